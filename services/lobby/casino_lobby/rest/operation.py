"""Describes one operation of the REST API."""

from dataclasses import dataclass, field
from typing import Literal

from casino_contracts import WireModel

from casino_lobby.problems.types import ProblemType as P
from casino_lobby.rest.parameters import Parameter

EVENT_STREAM = "text/event-stream"

Access = Literal["public", "reader", "operator"]
"""Who may call an operation.

`public`: everyone. `reader`: everyone, or only the operator if `CASINO_LOBBY_READERS=operator`.
`operator`: commands need the operator's key if the lobby has one; hidden cards always need it.
"""

# The problems of operations, by what an operation does or addresses.
ALWAYS = frozenset({P.INVALID_REQUEST, P.INTERNAL, P.TOO_MANY_REQUESTS})
READS = frozenset({P.NOT_KEPT})
COMMAND = frozenset({P.NOT_KEPT, P.UNSUPPORTED_MEDIA_TYPE})
BODY = frozenset({P.INVALID_JSON, P.REQUEST_ID_REUSED})
ROOM = frozenset({P.ROOM_NOT_FOUND})
AGENT = frozenset(
    {
        P.REFUSED,
        P.AGENT_REFUSED,
        P.AGENT_UNREACHABLE,
        P.AGENT_CONTRACT_VIOLATION,
        P.AGENT_TIMED_OUT,
    }
)
TABLE = AGENT | ROOM | {P.ROOM_CLOSED, P.TABLE_AWAY, P.NO_TABLE, P.TABLE_BUSY}
CLOSING = ALWAYS | COMMAND | ROOM


@dataclass(frozen=True)
class Operation:
    """One method of one path.

    `response_model` is None if `media_type` is not JSON. Fields of `request_model` that are path
    parameters are not part of the body.
    """

    operation_id: str
    method: str
    path: str
    tag: str
    summary: str
    description: str
    problems: frozenset[P]
    """All problems it may respond with; `UNAUTHORIZED` is added unless it is public."""
    response_model: type[WireModel] | None = None
    status: int = 200
    request_model: type[WireModel] | None = None
    body_is_needed: bool = False
    parameters: tuple[Parameter, ...] = ()
    media_type: str = "application/json"
    may_be_unchanged: bool = False
    """Whether it supports `If-None-Match` and responds 304."""
    who: Access = field(kw_only=True)

    def __post_init__(self) -> None:
        """Add `UNAUTHORIZED`; raises TypeError for a command that is not the operator's."""
        if self.is_command and self.who != "operator":
            raise TypeError(f"{self.operation_id} is a command, so `who` must be operator")
        if self.who != "public":
            object.__setattr__(self, "problems", self.problems | {P.UNAUTHORIZED})

    @property
    def is_stream(self) -> bool:
        """Whether it responds with server-sent events."""
        return self.media_type == EVENT_STREAM

    @property
    def is_command(self) -> bool:
        """Whether it changes state."""
        return self.method != "GET"
