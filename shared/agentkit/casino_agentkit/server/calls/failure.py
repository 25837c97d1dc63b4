"""A typed call that failed, and its JSON-RPC error, which is that of the SDK."""

from enum import Enum
from typing import Any, Final

import orjson

from casino_agentkit.errors import CommandRefused, KitError, KitReason, Violation

_SHOWN_FAULTS: Final = 3
_DOMAIN: Final = "a2a-protocol.org"
_ERROR_INFO: Final = "type.googleapis.com/google.rpc.ErrorInfo"
_BAD_REQUEST: Final = "type.googleapis.com/google.rpc.BadRequest"


class FailureKind(Enum):
    """Why a call failed: JSON-RPC code and reason of A2A."""

    INVALID = (-32602, "INVALID_PARAMS")
    """The input violates the schema."""
    REFUSED = (-32004, str(KitReason.UNSUPPORTED_OPERATION))
    """A valid command that is not possible now."""
    FAILED = (-32603, "INTERNAL_ERROR")
    """A fault of the entrypoint."""


class CallFailure(KitError):
    """A typed call has no output.

    `message` and `metadata` are sent to the caller; `metadata["errors"]` lists faults of the input.
    """

    def __init__(
        self, kind: FailureKind, message: str, metadata: dict[str, Any] | None = None
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.metadata = metadata

    def rpc_reply(self, request_id: str | int) -> bytes:
        """Return the JSON-RPC response to the request with this id."""
        code, reason = self.kind.value
        metadata = self.metadata or {}
        details: list[dict[str, Any]] = [
            {"@type": _ERROR_INFO, "reason": reason, "domain": _DOMAIN, "metadata": metadata}
        ]
        if self.kind is FailureKind.INVALID and (faults := metadata.get("errors")):
            violations = [_violation(fault) for fault in faults]
            details.append({"@type": _BAD_REQUEST, "fieldViolations": violations})
        error = {"code": code, "message": self.message, "data": details}
        return orjson.dumps({"error": error, "id": request_id, "jsonrpc": "2.0"})


def invalid_input(violations: tuple[Violation, ...]) -> CallFailure:
    """Return the failure of an invalid input, with the path and description of each fault."""
    shown = violations[:_SHOWN_FAULTS]
    listed = "; ".join(f"{fault.field or 'input'}: {fault.message}" for fault in shown)
    left = len(violations) - len(shown)
    more = f"; and {left} more" if left else ""
    metadata = {"errors": _entries(violations)}
    return CallFailure(FailureKind.INVALID, f"invalid input: {listed}{more}", metadata)


def refused_command(refusal: CommandRefused) -> CallFailure:
    """Return the failure of a command that is not possible now, with its reason and details."""
    metadata: dict[str, Any] = {**refusal.details, "reason": refusal.reason}
    if refusal.violations:
        metadata["errors"] = _entries(refusal.violations)
    return CallFailure(FailureKind.REFUSED, refusal.message, metadata)


def failed_entrypoint() -> CallFailure:
    """Return the failure of an entrypoint that has a fault, without its details."""
    message = "the entrypoint failed; the fault is not in the call"
    return CallFailure(FailureKind.FAILED, message)


def _entries(violations: tuple[Violation, ...]) -> list[dict[str, str]]:
    return [{"field": fault.field, "message": fault.message} for fault in violations]


def _violation(fault: dict[str, str]) -> dict[str, str]:
    """Return a fault as protobuf's JSON has it: without empty fields."""
    named = {"field": fault["field"], "description": fault["message"]}
    return {name: text for name, text in named.items() if text}
