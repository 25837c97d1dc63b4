"""One seat of a table as a spectator sees it; every change makes a new one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from casino_contracts import ActionTakenPayload, ForcedBet, PlayerSeat, ShownHand, StackAfter

SeatState = Literal["playing", "folded", "all-in", "waiting"]

_OWN = {"ok", "retried"}


@dataclass(frozen=True)
class SeatPicture:
    """A player at the table; texts are as their authors wrote them."""

    player_id: str
    name: str
    number: int
    stack: float
    state: SeatState = "waiting"
    bet: float = 0
    """Chips put in during this betting round."""
    action: str = ""
    """What he did last in this hand."""
    shown: ShownHand | None = None
    sits_out: bool = False
    won: float = 0
    """Chips won, or lost, in the hands that were seen."""

    @classmethod
    def of(cls, player: PlayerSeat, known: "SeatPicture | None") -> "SeatPicture":
        """Return a player's seat; one who sat there already keeps what he has won."""
        seat = cls(player.player_id, player.display_name, player.seat_number, player.stack)
        return replace(seat, won=known.won, sits_out=known.sits_out) if known else seat

    def between_hands(self) -> "SeatPicture":
        """Forget the last hand."""
        return replace(self, state="waiting", bet=0, action="", shown=None)

    def dealt_in(self) -> "SeatPicture":
        """Take part in a hand."""
        return replace(self, state="playing")

    def posts(self, forced: ForcedBet) -> "SeatPicture":
        """Pay a blind, which is a bet, or an ante, which is none."""
        stack = round(self.stack - forced.amount, 6)  # what floating point adds is no chip
        return replace(
            self,
            stack=stack,
            bet=self.bet + (0 if forced.kind == "ante" else forced.amount),
            action=forced.kind.replace("-", " "),
            state="playing" if stack else "all-in",
        )

    def acts(self, payload: ActionTakenPayload) -> "SeatPicture":
        """Decide, or have it decided by the table."""
        state: SeatState = "playing" if payload.stack else "all-in"
        why = "" if payload.outcome in _OWN else f" ({payload.outcome})"
        return replace(
            self,
            stack=payload.stack,
            state="folded" if payload.action == "fold" else state,
            bet=self.bet if payload.amount is None else payload.amount,
            action=payload.action + why,
        )

    def plays(self, action: str, outcome: str) -> "SeatPicture":
        """Decide in another game than Hold'em, which alone says what that costs."""
        why = "" if outcome in _OWN else f" ({outcome})"
        return replace(
            self, state="folded" if action == "fold" else self.state, action=action + why
        )

    def has(self, stack: float) -> "SeatPicture":
        """Have so many chips in front."""
        return replace(self, stack=stack)

    def wins(self, chips: float, stack: float | None = None) -> "SeatPicture":
        """End a hand with a result, which may be a loss, and the stack after it."""
        stack = self.stack if stack is None else stack
        return replace(self, won=self.won + chips, stack=stack)

    def shows(self, hand: ShownHand) -> "SeatPicture":
        """Turn the cards over."""
        return replace(self, shown=hand)

    def sits(self, *, is_out: bool) -> "SeatPicture":
        """Sit out, or come back."""
        return replace(self, sits_out=is_out)

    def taken_back(self, stack: float) -> "SeatPicture":
        """Have the chips of before a hand that is cancelled."""
        return replace(self.between_hands(), stack=stack)


Seats = Mapping[str, SeatPicture]
"""The seats of a table by player ids."""


def seated(seats: Seats, *players: PlayerSeat) -> Seats:
    """Return the seats with these players in them."""
    present = {player.player_id: player for player in players}
    return {**seats, **{key: SeatPicture.of(one, seats.get(key)) for key, one in present.items()}}


def dealt(seats: Seats, *players: PlayerSeat) -> Seats:
    """Return the seats at the beginning of a hand in which these players take part."""
    seats = seated({key: seat.between_hands() for key, seat in seats.items()}, *players)
    for player in players:
        seats = changed(seats, player.player_id, SeatPicture.dealt_in)
    return seats


def paid(seats: Seats, before: Mapping[str, float], *stacks: StackAfter) -> Seats:
    """Return the seats after a hand; who is not in `before` has won and lost nothing."""
    for after in stacks:
        won = after.stack - before.get(after.player_id, after.stack)
        win = partial(SeatPicture.wins, chips=won, stack=after.stack)
        seats = changed(seats, after.player_id, win)
    return seats


def without(seats: Seats, player_id: str) -> Seats:
    """Return the seats without a player."""
    return {key: seat for key, seat in seats.items() if key != player_id}


def changed(seats: Seats, player_id: str, change: Callable[[SeatPicture], SeatPicture]) -> Seats:
    """Return the seats after a change of one; whoever has none is nobody here."""
    seat = seats.get(player_id)
    return seats if seat is None else {**seats, player_id: change(seat)}
