"""How many rooms there may be at a time, and how many tables of the lobby's own. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass

from casino_agentkit import CommandRefused

from casino_lobby.domain.room import Room


@dataclass(frozen=True)
class RoomCaps:
    """The most rooms that are not over, and the most of them on tables that the lobby launched.

    None: any.
    """

    rooms: int | None = 200
    launched_tables: int | None = 20

    def refuse_room_beyond(self, rooms: Iterable[Room]) -> None:
        """Refuse one more room beside those that there are.

        Raises CommandRefused: TOO_MANY_ROOMS.
        """
        if self.rooms is not None and sum(not room.is_over for room in rooms) >= self.rooms:
            raise CommandRefused(
                "TOO_MANY_ROOMS",
                f"{self.rooms} rooms are open, which is the most here (CASINO_LOBBY_ROOMS);"
                " close one.",
            )

    def refuse_launch_beyond(self, rooms: Iterable[Room]) -> None:
        """Refuse one more launched table beside those of the rooms that there are.

        Raises CommandRefused: NO_TABLE.
        """
        most = self.launched_tables
        launched = sum(room.is_launched and not room.is_over for room in rooms)
        if most is not None and launched >= most:
            raise CommandRefused(
                "NO_TABLE",
                f"No announced table is free, and the lobby runs {most} tables of its own, which is"
                " the most here (CASINO_LOBBY_LAUNCHED_TABLES): close a room, start a table agent"
                " that announces itself, or give tableAgentCardUrl.",
            )
