"""What an event of a third-party table changes, when its payload is incomplete."""

from functools import partial
from typing import NamedTuple

from casino_contracts import PlayerSeat
from casino_contracts.event_content import (
    ActionTaken,
    EventContent,
    HandCompleted,
    HandStarted,
    PlayerBusted,
    PlayerRegistered,
    ReportedSeat,
    StatusChanged,
)

from casino.watch.seat_state import SeatPicture, Seats, changed, seated, without


class PartialState(NamedTuple):
    """The part of a table's state that an incomplete event can change."""

    status: str
    seats: Seats

    def after(self, content: EventContent | None) -> "PartialState":
        """Return the state after an event; fields that cannot be read change nothing."""
        state = self
        match content:
            case PlayerRegistered():
                state = self._with_seat(content.seat)
            case HandStarted():
                state = self._replace(status="running")
            case ActionTaken():
                state = self.with_stack(content.player_id, content.stack)
            case HandCompleted():
                for after in content.stacks:
                    state = state.with_stack(after.player_id, after.stack)
            case PlayerBusted():
                state = self._replace(seats=without(self.seats, content.player_id))
            case StatusChanged():
                state = self._after_status(content)
        return state

    def _with_seat(self, seat: ReportedSeat) -> "PartialState":
        if seat.seat_number is None:
            return self
        player = PlayerSeat(
            player_id=seat.player_id,
            seat_number=seat.seat_number,
            display_name=seat.display_name or seat.player_id,
            stack=seat.stack or 0,
        )
        return self._replace(seats=seated(self.seats, player))

    def _after_status(self, content: StatusChanged) -> "PartialState":
        state = self._replace(status=content.status or self.status)
        match content.kind:
            case "rebought" if content.player_id is not None:
                return state.with_stack(content.player_id, content.stack)
            case "left" if content.player_id is not None:
                return state._replace(seats=without(state.seats, content.player_id))
            case "closed":
                return state._replace(seats={})
        return state

    def with_stack(self, player_id: str, stack: float | None) -> "PartialState":
        """Return the state with a player's stack, unless it cannot be read."""
        if stack is None:
            return self
        has = partial(SeatPicture.has, stack=stack)
        return self._replace(seats=changed(self.seats, player_id, has))
