"""Declares operations of the REST API at their handlers."""

import inspect
from collections.abc import Awaitable, Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, Literal, TypeVar, get_type_hints

from casino_contracts import WireModel
from starlette.responses import Response

from casino_lobby.access.request_budget import READ
from casino_lobby.problem import ProblemType as P
from casino_lobby.rest.request_reading import Parameter

EVENT_STREAM = "text/event-stream"

Access = Literal["public", "reader", "player", "operator"]
"""Who may call an operation.

`public`: everyone. `reader`: everyone, or only the operator if `CASINO_LOBBY_READERS=operator`.
`player`: the player of the path, with its seat token or view key, and the operator if there is a
key. `operator`: commands need the operator's key if the lobby has one, or that of a service whose
scope includes them; hidden cards always need the operator's.
"""

# The problems of operations, by what an operation does or addresses.
ALWAYS = frozenset({P.INVALID_REQUEST, P.INTERNAL, P.STANDBY, P.TOO_MANY_REQUESTS})
READS = frozenset({P.NOT_KEPT})
COMMAND = frozenset({P.NOT_KEPT, P.OPERATOR_ONLY, P.UNSUPPORTED_MEDIA_TYPE})
BODY = frozenset({P.INVALID_JSON, P.REQUEST_ID_REUSED})
ROOM = frozenset({P.ROOM_NOT_FOUND, P.NOT_KEPT})
AGENT = frozenset(
    {P.REFUSED, P.AGENT_REFUSED, P.AGENT_UNREACHABLE, P.AGENT_CONTRACT_VIOLATION, P.AGENT_TIMED_OUT}
)
TABLE = AGENT | {P.ROOM_CLOSED, P.TABLE_AWAY, P.NO_TABLE, P.TABLE_BUSY}

Handler = Callable[..., Awaitable[WireModel | Response]]
HandlerT = TypeVar("HandlerT", bound=Handler)

_DECLARED = "__operation__"


@dataclass(frozen=True)
class Operation:
    """One method of one path, declared by decorating the method that handles it.

    The handler's docstring is the text of the OpenAPI document: its first line is the summary, the
    rest the description. Its annotations are the messages: a second parameter is read from the
    body and from the path parameters that are fields of it, and a returned message is sent as
    JSON. A handler that returns a `Response` instead declares its `media_type`.
    """

    operation_id: str
    route: str
    """Its method and path: `GET /v1/rooms`."""
    _: KW_ONLY
    tag: str
    who: Access
    problems: AbstractSet[P] = frozenset()
    """Those it may respond with besides what follows from its method, its path and `who`."""
    status: int = 200
    parameters: tuple[Parameter, ...] = ()
    media_type: str = "application/json"
    may_be_unchanged: bool = False
    """Whether it supports `If-None-Match` and responds 304."""
    price: float = READ
    """Of a read, before the price of its bytes."""
    is_private: bool = False
    """Whether no cache may store its response."""
    location: Callable[[Any], str] | None = None
    """Returns the URL of the resource that it creates, from the message that it responds with."""
    events: Mapping[str, type[WireModel]] = field(default_factory=dict)
    """The server-sent events of a stream: event name → message."""

    method: str = field(init=False)
    path: str = field(init=False)
    is_command: bool = field(init=False)
    is_stream: bool = field(init=False)

    # Read from the handler.
    summary: str = ""
    description: str = ""
    request_model: type[WireModel] | None = None
    response_model: type[WireModel] | None = None

    def __post_init__(self) -> None:
        """Split `route`, and add the problems that follow from it and `who`.

        Raises TypeError for a command that is not the operator's.
        """
        method, path = self.route.split()
        object.__setattr__(self, "method", method)
        object.__setattr__(self, "path", path)
        object.__setattr__(self, "is_command", method != "GET")
        object.__setattr__(self, "is_stream", self.media_type == EVENT_STREAM)
        if self.is_command and self.who != "operator":
            raise TypeError(f"{self.operation_id} is a command, so `who` must be operator")
        implied = ALWAYS | (COMMAND if self.is_command else frozenset())
        if "{roomId}" in path:
            implied |= ROOM
        if self.who != "public":
            implied |= {P.UNAUTHORIZED}
        object.__setattr__(self, "problems", self.problems | implied)

    def __call__(self, handler: HandlerT) -> HandlerT:
        """Declare a method of a handler class as the handler of this operation."""
        summary, _, description = inspect.cleandoc(handler.__doc__ or "").partition("\n\n")
        annotations = get_type_hints(handler)
        returned = annotations.pop("return")
        declared = replace(
            self,
            summary=summary.removesuffix("."),
            description=" ".join(description.split()),
            request_model=next(filter(_is_message, annotations.values()), None),
            response_model=returned if _is_message(returned) else None,
        )
        setattr(handler, _DECLARED, declared)
        return handler


def _is_message(annotation: type) -> bool:
    return issubclass(annotation, WireModel)


def operations_of(handlers: type) -> dict[str, Operation]:
    """Return the operations of a handler class: method name → operation, in order."""
    return {
        name: getattr(method, _DECLARED)
        for name, method in vars(handlers).items()
        if hasattr(method, _DECLARED)
    }
