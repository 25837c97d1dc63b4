"""Parse refusals of other agents: reason, violations and details.

They are untrusted text that appears in replies, pages and logs, so all of it is bounded.
"""

from typing import Any

from casino_agentkit.bounds import is_key, reason_of, shown
from casino_agentkit.errors import KitReason, RemoteRefused, Violation

_ERROR_INFO = "type.googleapis.com/google.rpc.ErrorInfo"
_MAX_ENTRIES = 20
"""Maximum number of violations or details kept."""
_FIELD_SHOWN = 128


def refused(agent: str, error: Any) -> RemoteRefused:
    """Convert a JSON-RPC error object to a refusal; missing parts get defaults."""
    fields = error if isinstance(error, dict) else {}
    code = fields.get("code")
    reason = ""
    violations: list[Violation] = []
    further: dict[str, str] = {}
    details = fields.get("data")
    for detail in details[:_MAX_ENTRIES] if isinstance(details, list) else []:
        if not isinstance(detail, dict):
            continue
        if detail.get("@type") == _ERROR_INFO:
            metadata = detail.get("metadata")
            metadata = metadata if isinstance(metadata, dict) else {}
            reason = reason_of(metadata.get("reason")) or reason_of(detail.get("reason"))
            violations += violations_in(metadata.get("errors"), "message")
            further = details_in(metadata)
        elif not violations:
            violations += violations_in(detail.get("fieldViolations"), "description")
    return RemoteRefused(
        agent,
        text_of(fields.get("message")) or "refused without a reason",
        code=code if isinstance(code, int) else 0,
        reason=reason or KitReason.UNKNOWN,
        violations=tuple(violations[:_MAX_ENTRIES]),
        details=further,
    )


def text_of(value: Any) -> str:
    """Return an untrusted text, bounded, "" if it is not a string."""
    return shown(value) if isinstance(value, str) else ""


def details_in(metadata: Any) -> dict[str, str]:
    """Return the strings of a refusal's metadata, except its reason; {} if it is no object."""
    further: dict[str, str] = {}
    for key, value in metadata.items() if isinstance(metadata, dict) else ():
        if key != "reason" and is_key(key) and isinstance(value, str):
            further[key] = shown(value)
            if len(further) == _MAX_ENTRIES:
                break
    return further


def violations_in(entries: Any, described_as: str) -> list[Violation]:
    """Return the violations in a list; invalid entries are skipped."""
    return [
        Violation(
            shown(text_of(entry.get("field")), _FIELD_SHOWN), text_of(entry.get(described_as))
        )
        for entry in (entries[:_MAX_ENTRIES] if isinstance(entries, list) else [])
        if isinstance(entry, dict)
    ]


def issues_in(issues: Any) -> tuple[Violation, ...]:
    """Return the violations in the `issues` of the invoke profile; invalid ones are skipped."""
    return tuple(
        Violation(shown(_path_of(issue.get("path")), _FIELD_SHOWN), text_of(issue.get("message")))
        for issue in (issues[:_MAX_ENTRIES] if isinstance(issues, list) else [])
        if isinstance(issue, dict)
    )


def _path_of(path: Any) -> str:
    parts = path[:_MAX_ENTRIES] if isinstance(path, list) else []
    return ".".join(str(part)[:_FIELD_SHOWN] for part in parts if isinstance(part, str | int))
