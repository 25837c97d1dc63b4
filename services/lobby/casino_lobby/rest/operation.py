"""What there is to say of one operation of the REST face."""

from dataclasses import dataclass, field
from typing import Literal

from casino_contracts import WireModel

from casino_lobby.problems.types import ProblemType as P
from casino_lobby.rest.parameters import Parameter

EVENT_STREAM = "text/event-stream"

Who = Literal["public", "reader", "operator"]
"""Who may use an operation: everybody; everybody unless the lobby is set to show itself to its
operator only; whoever has the operator's key, where there is one."""

# What can go wrong, by what an operation has to do with.
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

    `gives` is the message of its answer; with `media_type` it is something else than JSON.
    `takes` is the message of its body; fields that stand in the path are not in the body.
    """

    operation_id: str
    method: str
    path: str
    tag: str
    summary: str
    description: str
    problems: frozenset[P]
    """All that it may be refused with; that of `who` is added."""
    response_model: type[WireModel] | None = None
    status: int = 200
    request_model: type[WireModel] | None = None
    body_is_needed: bool = False
    parameters: tuple[Parameter, ...] = ()
    media_type: str = "application/json"
    may_be_unchanged: bool = False
    """Whether 304 tells that the caller has it already."""
    who: Who = field(kw_only=True)

    def __post_init__(self) -> None:
        """Check that commands are the operator's; raises TypeError."""
        if self.is_command and self.who != "operator":
            raise TypeError(f"{self.operation_id} changes something, so it is the operator's")
        if self.who != "public":
            object.__setattr__(self, "problems", self.problems | {P.UNAUTHORIZED})

    @property
    def is_stream(self) -> bool:
        """Whether its answer has no end."""
        return self.media_type == EVENT_STREAM

    @property
    def is_command(self) -> bool:
        """Whether it changes something."""
        return self.method != "GET"
