"""A message that cannot be taken: what the `error` in reply to it says."""

from dataclasses import dataclass
from typing import Any

from casino_lobby_client.errors import CallRefused

from casino_gateway.bgp.codes import HTTP_STATUS, ErrorCode
from casino_gateway.errors import GatewayError

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Core:
    """Core fields that say what a message is about; "" where a request's could not be read."""

    game: str = ""
    match_id: str = ""
    agent_id: str = ""


class MessageRefused(GatewayError):
    """A message that cannot be taken.

    `data` is what the error's data has beside the code; `status` is the HTTP status.
    """

    def __init__(
        self,
        code: ErrorCode | str,
        message: str,
        core: Core | None = None,
        data: Json | None = None,
        *,
        status: int | None = None,
    ) -> None:
        super().__init__(message)
        self.code = str(code)
        self.message = message
        self.core = core or Core()
        self.data = data or {}
        self.status = status or (HTTP_STATUS[code] if isinstance(code, ErrorCode) else 409)


def refused_by_lobby(refusal: CallRefused, core: Core) -> MessageRefused:
    """Return the refusal of a seat or a match, with the lobby's reason as its code."""
    return MessageRefused(refusal.reason, refusal.message, core, status=refusal.status)
