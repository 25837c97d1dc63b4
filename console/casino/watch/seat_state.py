"""Immutable state of the seats of a table, as spectators see them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from casino_contracts import ActionTakenPayload, ForcedBet, PlayerSeat, ShownHand, StackAfter

SeatState = Literal["playing", "folded", "all-in", "waiting"]

_PLAYER_DECIDED = {"ok", "retried"}


@dataclass(frozen=True)
class SeatPicture:
    """A seated player; names and texts are untrusted and not sanitized."""

    player_id: str
    name: str
    number: int
    stack: float
    state: SeatState = "waiting"
    bet: float = 0
    """Chips put in during this betting round."""
    action: str = ""
    """The player's last action in this hand."""
    shown: ShownHand | None = None
    sits_out: bool = False
    won: float = 0
    """Chips won or lost in the hands observed so far."""

    @classmethod
    def of(cls, player: PlayerSeat, previous: "SeatPicture | None") -> "SeatPicture":
        """Return a player's seat; keeps `won` and `sits_out` of its previous state."""
        seat = cls(player.player_id, player.display_name, player.seat_number, player.stack)
        if previous is None:
            return seat
        return replace(seat, won=previous.won, sits_out=previous.sits_out)

    def between_hands(self) -> "SeatPicture":
        """Reset what belongs to the last hand."""
        return replace(self, state="waiting", bet=0, action="", shown=None)

    def dealt_in(self) -> "SeatPicture":
        """Join a hand."""
        return replace(self, state="playing")

    def posts(self, forced: ForcedBet) -> "SeatPicture":
        """Post a blind or ante; a blind counts as a bet of the round, an ante does not."""
        stack = round(self.stack - forced.amount, 6)  # removes floating-point errors
        return replace(
            self,
            stack=stack,
            bet=self.bet + (0 if forced.kind == "ante" else forced.amount),
            action=forced.kind.replace("-", " "),
            state="playing" if stack else "all-in",
        )

    def acts(self, payload: ActionTakenPayload) -> "SeatPicture":
        """Apply a Hold'em action, which the player or the table decided."""
        state: SeatState = "playing" if payload.stack else "all-in"
        why = "" if payload.outcome in _PLAYER_DECIDED else f" ({payload.outcome})"
        return replace(
            self,
            stack=payload.stack,
            state="folded" if payload.action == "fold" else state,
            bet=self.bet if payload.amount is None else payload.amount,
            action=payload.action + why,
        )

    def plays(self, action: str, outcome: str) -> "SeatPicture":
        """Apply an action of another game; the stack does not change until the hand ends."""
        why = "" if outcome in _PLAYER_DECIDED else f" ({outcome})"
        return replace(
            self, state="folded" if action == "fold" else self.state, action=action + why
        )

    def has(self, stack: float) -> "SeatPicture":
        """Set the stack."""
        return replace(self, stack=stack)

    def wins(self, chips: float, stack: float | None = None) -> "SeatPicture":
        """Add a hand's result, negative for a loss, and set the stack if there is one."""
        stack = self.stack if stack is None else stack
        return replace(self, won=self.won + chips, stack=stack)

    def shows(self, hand: ShownHand) -> "SeatPicture":
        """Show the hole cards."""
        return replace(self, shown=hand)

    def sits(self, *, is_out: bool) -> "SeatPicture":
        """Sit out or return."""
        return replace(self, sits_out=is_out)

    def taken_back(self, stack: float) -> "SeatPicture":
        """Restore the stack from before a cancelled hand."""
        return replace(self.between_hands(), stack=stack)


Seats = Mapping[str, SeatPicture]
"""The seats of a table by player id."""


def seated(seats: Seats, *players: PlayerSeat) -> Seats:
    """Return the seats with these players added or updated."""
    added = {
        player.player_id: SeatPicture.of(player, seats.get(player.player_id)) for player in players
    }
    return {**seats, **added}


def dealt(seats: Seats, *players: PlayerSeat) -> Seats:
    """Return the seats at the start of a hand with these players."""
    seats = seated({key: seat.between_hands() for key, seat in seats.items()}, *players)
    for player in players:
        seats = changed(seats, player.player_id, SeatPicture.dealt_in)
    return seats


def paid(seats: Seats, before: Mapping[str, float], *stacks: StackAfter) -> Seats:
    """Return the seats after a hand; a player missing in `before` has a result of 0."""
    for after in stacks:
        won = after.stack - before.get(after.player_id, after.stack)
        win = partial(SeatPicture.wins, chips=won, stack=after.stack)
        seats = changed(seats, after.player_id, win)
    return seats


def without(seats: Seats, player_id: str) -> Seats:
    """Return the seats without a player."""
    return {key: seat for key, seat in seats.items() if key != player_id}


def changed(seats: Seats, player_id: str, change: Callable[[SeatPicture], SeatPicture]) -> Seats:
    """Return the seats with one of them changed; an unknown player is ignored."""
    seat = seats.get(player_id)
    return seats if seat is None else {**seats, player_id: change(seat)}
