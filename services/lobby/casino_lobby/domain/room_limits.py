"""Limits on open rooms and launched tables, and what services may do and have of them. Pure.

The services act for others at this lobby. Each has a key of its own, derived from the operator's.
A right is the `operation_id` of a command.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, TypeVar, cast, get_args

from casino_agentkit import CommandRefused
from casino_contracts import CreateRoomInput, Reason, RegisterPlayerInput
from casino_contracts.base import WireModel, optional
from casino_contracts.lobby_messages import Service

from casino_lobby.domain.room import Room

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


@dataclass(frozen=True)
class RoomCaps:
    """Maximum number of rooms that are not over, and of launched tables among them.

    None means unlimited.
    """

    rooms: int | None = 200
    launched_tables: int | None = 20

    def refuse_room_beyond(self, rooms: Iterable[Room], owner: Service | None) -> None:
        """May raise CommandRefused: TOO_MANY_ROOMS."""
        rooms = [room for room in rooms if not room.is_over]
        if owner is not None and self.rooms is not None:
            share = _share_of(self.rooms, owner)
            if sum(room.owner == owner for room in rooms) >= share:
                raise CommandRefused(
                    Reason.TOO_MANY_ROOMS,
                    f"The {owner}'s share of the rooms, {share} of {self.rooms}"
                    " (CASINO_LOBBY_ROOMS), is used up; it has to close one.",
                )
        if self.rooms is not None and len(rooms) >= self.rooms:
            raise CommandRefused(
                Reason.TOO_MANY_ROOMS,
                f"{self.rooms} rooms are open, which is the maximum (CASINO_LOBBY_ROOMS);"
                " close one.",
            )

    def refuse_launch_beyond(self, rooms: Iterable[Room], owner: Service | None) -> None:
        """Check that another table may be launched, for a room of the operator or of a service.

        Raises CommandRefused: NO_TABLE.
        """
        limit = self.launched_tables
        launched = [room for room in rooms if room.is_launched and not room.is_over]
        if owner is not None and limit is not None:
            share = _share_of(limit, owner)
            if sum(room.owner == owner for room in launched) >= share:
                raise CommandRefused(
                    Reason.NO_TABLE,
                    f"No announced table is free, and the {owner}'s share of launched tables,"
                    f" {share} of {limit} (CASINO_LOBBY_LAUNCHED_TABLES), is used up: it has to"
                    " close a room, or the operator starts a table agent that announces itself.",
                )
        if limit is not None and len(launched) >= limit:
            raise CommandRefused(
                Reason.NO_TABLE,
                f"No announced table is free, and the lobby has launched {limit} tables, which is"
                " the maximum (CASINO_LOBBY_LAUNCHED_TABLES): close a room, start a table agent"
                " that announces itself, or set tableAgentCardUrl.",
            )


def _share_of(limit: int, owner: Service) -> int:
    return max(1, int(limit * SCOPES[owner].share))
