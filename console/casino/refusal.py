"""The error of a request that the lobby has refused, from its problem document."""

from collections.abc import Mapping

import httpx

from casino.errors import CallFailed, LobbyAway
from casino.output import sanitize


def refusal_of(reply: httpx.Response) -> CallFailed:
    """Return the error of a problem document: its sentence, and the fields that it leaves out."""
    try:
        problem = reply.json()
        reason = str(problem.get("reason", ""))
        detail = str(problem.get("detail") or problem["title"])
        faults = [fault for fault in problem.get("errors", ()) if _field(fault) not in detail]
        message = sanitize(detail + "".join(f" ({_fault(fault)})" for fault in faults))
    except (ValueError, KeyError, TypeError, AttributeError):
        message, reason = f"HTTP status {reply.status_code} {reply.reason_phrase}".strip(), ""
    is_temporary = reply.status_code == httpx.codes.TOO_MANY_REQUESTS or reply.is_server_error
    return (LobbyAway if is_temporary else CallFailed)(message, reason)


def _fault(error: Mapping[str, str]) -> str:
    field = _field(error)
    return f"{field}: {error['detail']}" if field else error["detail"]


def _field(error: Mapping[str, str]) -> str:
    return error.get("pointer", "").removeprefix("#/").replace("/", ".")
