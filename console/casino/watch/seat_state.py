"""Immutable state of the seats of a table, as spectators see them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from casino_contracts import PlayerSeat, ShownHand
from casino_contracts.events.content import ActionTaken, PostedBet, ReportedSeat

from casino.watch.side_pots import Stake

Standing = Literal["playing", "folded", "all-in", "waiting"]


@dataclass(frozen=True)
class SeatState:
    """A seated player; names and texts are untrusted and not sanitized."""

    player_id: str
    name: str
    number: int
    stack: float
    state: Standing = "waiting"
    bet: float = 0
    """Chips put in during this betting round."""
    action: str = ""
    """The player's last action in this hand."""
    has_acted: bool = False
    """Whether the player has acted in this betting round."""
    shown: ShownHand | None = None
    sits_out: bool = False
    won: float = 0
    """Chips won or lost in the hands observed so far."""
    faults: int = 0
    """Failed decisions observed so far, without turns of a seat that sits out."""

    @classmethod
    def of(cls, player: PlayerSeat, previous: "SeatState | None") -> "SeatState":
        """Return a player's seat; keeps what was observed of its previous state."""
        seat = cls(player.player_id, player.display_name, player.seat_number, player.stack)
        if previous is None:
            return seat
        return replace(seat, won=previous.won, faults=previous.faults, sits_out=previous.sits_out)

    def between_hands(self) -> "SeatState":
        """Reset what belongs to the last hand."""
        return replace(self, state="waiting", bet=0, action="", has_acted=False, shown=None)

    def dealt_in(self, player: ReportedSeat) -> "SeatState":
        """Join a hand; what its event leaves out stays as it was."""
        return replace(
            self,
            name=player.display_name or self.name,
            number=self.number if player.seat_number is None else player.seat_number,
            stack=self.stack if player.stack is None else player.stack,
            state="playing",
        )

    def posts(self, posted: PostedBet) -> "SeatState":
        """Post a blind or ante; a blind counts as a bet of the round, an ante does not."""
        chips, kind = posted.amount or 0, posted.kind or ""
        stack = max(0, round(self.stack - chips, 6))  # removes floating-point errors
        return replace(
            self,
            stack=stack,
            bet=self.bet + (0 if kind == "ante" else chips),
            action=kind.replace("-", " "),
            state="playing" if stack else "all-in",
        )

    def acts(self, content: ActionTaken) -> "SeatState":
        """Apply a Hold'em action, which the player or the table decided."""
        stack = self.stack if content.stack is None else content.stack
        seat = replace(
            self,
            stack=stack,
            state="playing" if stack else "all-in",
            bet=self.bet if content.amount is None else content.amount,
        )
        return seat.plays(content.action, content) if content.action else seat

    def plays(self, words: str, content: ActionTaken) -> "SeatState":
        """Apply an action; in another game the stack does not change until the hand ends."""
        fault = f" ({content.fault})" if content.fault else ""
        state = "folded" if content.action == "fold" else self.state
        is_fault = bool(fault) and content.outcome not in {"sitting_out", "away"}
        faults = self.faults + is_fault
        return replace(self, state=state, action=words + fault, has_acted=True, faults=faults)

    def next_round(self) -> "SeatState":
        """Begin another betting round."""
        return replace(self, bet=0, has_acted=False)

    def has(self, stack: float) -> "SeatState":
        """Set the stack."""
        return replace(self, stack=stack)

    def wins(self, chips: float, stack: float | None = None) -> "SeatState":
        """Add a hand's result, negative for a loss, and set the stack if there is one."""
        stack = self.stack if stack is None else stack
        return replace(self, won=self.won + chips, stack=stack)

    def shows(self, hand: ShownHand) -> "SeatState":
        """Show the hole cards."""
        return replace(self, shown=hand)

    def sits(self, *, is_out: bool) -> "SeatState":
        """Sit out or return."""
        return replace(self, sits_out=is_out)

    def stake(self, before: float) -> Stake:
        """Return what has been put in during the hand; `before` is the stack at its start."""
        put_in = max(0, before - self.stack)
        return Stake(put_in, self.state == "folded", self.state == "all-in")

    def taken_back(self, stack: float) -> "SeatState":
        """Restore the stack from before a cancelled hand."""
        return replace(self.between_hands(), stack=stack)


Seats = Mapping[str, SeatState]
"""The seats of a table by player id."""


def seated(seats: Seats, *players: PlayerSeat) -> Seats:
    """Return the seats with these players added or updated."""
    added = {
        player.player_id: SeatState.of(player, seats.get(player.player_id)) for player in players
    }
    return {**seats, **added}


def dealt(seats: Seats, *players: ReportedSeat) -> Seats:
    """Return the seats at the start of a hand with these players."""
    seats = {key: seat.between_hands() for key, seat in seats.items()}
    for player in players:
        seat = player.complete
        if seat is not None and player.player_id not in seats:
            seats = seated(seats, seat)
        seats = changed(seats, player.player_id, partial(SeatState.dealt_in, player=player))
    return seats


def paid(seats: Seats, before: Mapping[str, float], after: Mapping[str, float]) -> Seats:
    """Return the seats with the stacks after a hand.

    A player missing in `before` has a result of 0.
    """
    for player_id, stack in after.items():
        win = partial(SeatState.wins, chips=stack - before.get(player_id, stack), stack=stack)
        seats = changed(seats, player_id, win)
    return seats


def without(seats: Seats, player_id: str) -> Seats:
    """Return the seats without a player."""
    return {key: seat for key, seat in seats.items() if key != player_id}


def changed(seats: Seats, player_id: str, change: Callable[[SeatState], SeatState]) -> Seats:
    """Return the seats with one of them changed; an unknown player is ignored."""
    seat = seats.get(player_id)
    return seats if seat is None else {**seats, player_id: change(seat)}
