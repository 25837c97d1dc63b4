"""Register players in rooms and release their seats."""

import structlog
from casino_agentkit import CommandRefused, Violation
from casino_contracts import (
    LeaveRoomInput,
    LeaveTableInput,
    PlayerSeat,
    Reason,
    RegisteredPlayer,
    TableSummary,
)

from casino_lobby.domain.room import Room
from casino_lobby.domain.room_limits import SeatOrder
from casino_lobby.service.command_replies import CommandRun
from casino_lobby.service.dependencies import Dependencies
from casino_lobby.service.player_seating import Invitations, find_earlier_seat
from casino_lobby.service.room_lifecycle import start_if_full

LEAVE_SKILL = "leaveTable"

logger = structlog.get_logger(__name__)


def _check_seat(room: Room, preferred: int | None) -> None:
    """Raise CommandRefused if the room has no seat of this number: SEAT_OUT_OF_RANGE."""
    last = room.config.max_seats - 1
    if preferred is not None and preferred > last:
        raise CommandRefused(
            Reason.SEAT_OUT_OF_RANGE,
            f"This room has no seat {preferred}: its seats are 0 to {last}.",
            (Violation("preferredSeat", f"must be 0 to {last}"),),
        )


class PlayerCommands:
    """Registers players and releases their seats."""

    def __init__(self, parts: Dependencies, invitations: Invitations) -> None:
        self._parts = parts
        self._invitations = invitations

    async def register(self, request: SeatOrder, run: CommandRun) -> RegisteredPlayer:
        """Seat a player; raises as `RoomUseCases.register_player`."""
        self._parts.refuse_while_draining()

        async def seat_at(room: Room) -> PlayerSeat:
            return await self._seat(room, request, run)

        seat = await self._parts.at_table(request.room_id, seat_at)
        room = self._parts.room(request.room_id)
        logger.info("player_seated", room=room.room_id, player=seat.player_id)
        start_if_full(self._parts, room)
        return RegisteredPlayer(room_id=room.room_id, **seat.model_dump(by_alias=False))

    async def _seat(self, room: Room, request: SeatOrder, run: CommandRun) -> PlayerSeat:
        earlier = await find_earlier_seat(self._parts.tables, room, request, run)
        if earlier is not None:
            return earlier
        _check_seat(room, request.preferred_seat)
        if room.is_full:
            raise CommandRefused(Reason.ROOM_FULL, f"All {room.config.max_seats} seats are taken.")
        epoch = room.epoch
        seat, agent = await self._invitations.seat(room, request, run)
        if room.epoch == epoch:  # else the seat is void
            room.seat(seat, agent)
            await self._parts.store.save(room)
        return seat

    async def leave(self, request: LeaveRoomInput) -> TableSummary:
        """Release a player's seat: at once between hands, otherwise after the running hand.

        Raises CommandRefused: ROOM_NOT_FOUND, ROOM_CLOSED, UNKNOWN_PLAYER, UNSUPPORTED, AGENT_….
        """

        async def leave_from(room: Room) -> TableSummary:
            if request.player_id not in room.seats:
                raise CommandRefused(
                    Reason.UNKNOWN_PLAYER,
                    f"No player with the id {request.player_id} sits in this room.",
                )
            if not self._parts.tables.offers(room, LEAVE_SKILL):
                raise CommandRefused(Reason.UNSUPPORTED, "This room's table cannot release a seat.")
            leaving = LeaveTableInput(player_id=request.player_id, request_id=request.request_id)
            return await self._parts.tables.call(room, LEAVE_SKILL, leaving, TableSummary)

        return await self._parts.at_table(request.room_id, leave_from)
