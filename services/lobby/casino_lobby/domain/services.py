"""The services that act for others at this lobby: what they may do, and their shares. Pure.

Each has a key of its own, derived from the operator's. A right is the `operation_id` of a command.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, TypeVar, cast, get_args

from casino_contracts import CreateRoomInput, RegisterPlayerInput
from casino_contracts.base import WireModel, optional
from casino_contracts.lobby_messages import Service

OrderT = TypeVar("OrderT", bound=WireModel)

SERVICES: Final[tuple[Service, ...]] = get_args(Service)

_OWN_ROOMS: Final = frozenset(
    {"createRoom", "registerPlayer", "leaveRoom", "startRoom", "deleteRoom", "closeRoom"}
)


@dataclass(frozen=True)
class Scope:
    """What the key of a service may do.

    `commands` are for rooms that it opened; `open_rooms` are those of them for every room whose
    seats are open. In rooms of others it removes only players that it registered.
    """

    commands: frozenset[str]
    open_rooms: frozenset[str] = frozenset()
    share: Fraction = Fraction(0)
    """Of the rooms and of the launched tables that the lobby may have; at least one of each."""
    leaves_a_table: bool = False
    """Whether the last free table that announced itself is not for its rooms."""


SCOPES: Final[dict[Service, Scope]] = {
    "gateway": Scope(
        frozenset({"createRoom", "registerPlayer", "leaveRoom"}),
        frozenset({"registerPlayer", "leaveRoom"}),
        Fraction(1, 4),
        leaves_a_table=True,
    ),
    "evaluator": Scope(_OWN_ROOMS, share=Fraction(1, 2), leaves_a_table=True),
    "dealer": Scope(
        _OWN_ROOMS, frozenset({"registerPlayer", "leaveRoom", "startRoom"}), Fraction(1, 8)
    ),
    "match": Scope(frozenset({"publishMatch", "publishLeague"})),
}
"""An eighth of every limit is nobody's but the operator's."""


class RoomOrder(CreateRoomInput):
    """A `createRoom` with the service that sent it; None: the operator."""

    owner: Service | None = optional()


class SeatOrder(RegisterPlayerInput):
    """A `registerPlayer` with the service that sent it; None: the operator."""

    registrar: Service | None = optional()


def order_of(kind: type[OrderT], command: WireModel, **sender: Any) -> OrderT:
    """Return a command with its sender; one that has a sender keeps it."""
    fields = {name: getattr(command, name) for name in type(command).model_fields}
    return cast("OrderT", kind.model_construct(**{**sender, **fields}))
