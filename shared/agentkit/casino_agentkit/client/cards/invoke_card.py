"""Recognise cards of agents that offer only the invoke profile, and find where to call them.

Such a card has much in common with those of A2A: `name`, `url`, `skills`, sometimes
`supportedInterfaces`. So a card that may be one of A2A is read as one.
"""

from typing import Any, Final

from casino_agentkit.protocol import ENTRYPOINTS_PATH

_HTTP: Final = "HTTP"
_OLDER_FIELDS: Final = ("preferredTransport", "additionalInterfaces")
"""Fields of cards of A2A 0.3 that those of the invoke profile do not have."""
_REQUIRED_BY_A2A: Final = ("capabilities", "protocolVersion")
"""Every version of A2A has required `capabilities`; 0.3 required `protocolVersion` too."""


def invoke_url(content: dict[str, Any]) -> str | None:
    """Return the URL below which an agent's skills are invoked, None if its card offers A2A.

    The card of such an agent has `entrypoints`, or lacks what A2A requires; and none of its
    interfaces states a version of A2A. The address is that of its first interface whose name
    contains HTTP, otherwise its `url`.

    >>> invoke_url({"name": "py", "url": "http://bot:4301/", "skills": [{"id": "act"}]})
    'http://bot:4301/entrypoints/'
    """
    interfaces = content.get("supportedInterfaces")
    interfaces = interfaces if isinstance(interfaces, list) else []
    if any(field in content for field in _OLDER_FIELDS) or not all(map(_is_of_invoke, interfaces)):
        return None
    is_manifest = isinstance(content.get("entrypoints"), dict)
    if not is_manifest and any(field in content for field in _REQUIRED_BY_A2A):
        return None
    if not _has_skill_ids(content.get("skills")):
        return None
    url = interfaces[0].get("url") if interfaces else content.get("url")
    if not isinstance(url, str):
        return None
    return url.partition("#")[0].partition("?")[0].rstrip("/") + ENTRYPOINTS_PATH + "/"


def _is_of_invoke(interface: Any) -> bool:
    """Return whether an interface may be of the invoke profile: HTTP, no version of A2A."""
    return (
        isinstance(interface, dict)
        and isinstance(binding := interface.get("protocolBinding"), str)
        and _HTTP in binding
        and "protocolVersion" not in interface
    )


def _has_skill_ids(skills: Any) -> bool:
    return isinstance(skills, list) and any(
        isinstance(skill, dict) and isinstance(skill.get("id"), str) for skill in skills
    )
