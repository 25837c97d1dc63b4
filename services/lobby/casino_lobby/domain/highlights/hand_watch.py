"""Collects what the public events of a running hand say, until it is completed. Pure."""

from dataclasses import dataclass, field, replace
from typing import Self

from casino_contracts.events.content import (
    ActionTaken,
    EventContent,
    HandCompleted,
    HandStarted,
    StatusChanged,
    stacks_of,
)

from casino_lobby.domain.highlights.score import HandFacts, Highlight, highlight_of

_FAILED = frozenset({"timeout", "illegal", "malformed", "unreachable", "disconnected"})


@dataclass
class HandWatch:
    """What is known of the newest hand; its cost is constant per action, O(players) per hand."""

    place: tuple[int, int | None] = (0, None)
    """Epoch and number of the hand; without a number none runs."""
    before: dict[str, float] = field(default_factory=dict)
    """Stacks before the forced bets, by player."""
    big_blind: float = 0
    folded: set[str] = field(default_factory=set)
    all_in: set[str] = field(default_factory=set)
    faults: int = 0

    def copy(self) -> Self:
        """Return an independent copy."""
        return replace(self, folded=set(self.folded), all_in=set(self.all_in))

    def add(self, content: EventContent | None, epoch: int) -> Highlight | None:
        """Apply what an event of an epoch says; returns the score if it completes a hand.

        Fields that cannot be read change nothing; of a hand whose beginning is not known only its
        result counts.
        """
        match content:
            case ActionTaken() if (epoch, content.hand_number) == self.place:
                self._act(content)
            case HandStarted():
                self._start(content, epoch)
            case HandCompleted():
                if (epoch, content.hand_number) != self.place:
                    self._forget()
                highlight = highlight_of(self._facts(content))
                self._forget()
                return highlight
            case StatusChanged(kind="hand_cancelled"):
                self._forget()
        return None

    def _forget(self) -> None:
        vars(self).update(vars(HandWatch()))

    def _start(self, content: HandStarted, epoch: int) -> None:
        self._forget()
        self.place = (epoch, content.hand_number)
        self.before = {seat.player_id: seat.stack or 0 for seat in content.players}
        self.big_blind = content.big_blind or 0
        posted: dict[str, float] = {}
        for bet in content.posted:
            posted[bet.player_id] = posted.get(bet.player_id, 0) + (bet.amount or 0)
        self.all_in = {
            player_id
            for player_id, amount in posted.items()
            if 0 < self.before.get(player_id, 0) <= amount
        }

    def _act(self, content: ActionTaken) -> None:
        if content.action == "fold":
            self.folded.add(content.player_id)
        elif content.stack == 0:
            self.all_in.add(content.player_id)
        self.faults += content.outcome in _FAILED

    def _facts(self, content: HandCompleted) -> HandFacts:
        after = stacks_of(content.stacks)
        players = tuple(self.before or after)
        staying = [player_id for player_id in players if player_id not in self.folded]
        pots = sum(amount for amount in content.pot_amounts if amount is not None)
        winners = {
            share.player_id for pot in content.pots for share in pot.winners if share.amount > 0
        }
        uncalled = 0.0
        if self.big_blind and content.returned and not content.shown and len(staying) == 1:
            uncalled = content.returned.amount / self.big_blind
        return HandFacts(
            size=pots / self.big_blind if self.big_blind else self._largest_win(after),
            has_blinds=self.big_blind > 0,
            called_all_ins=len(self.all_in) if len(staying) > 1 else 0,
            beaten=tuple(hand.rank_name for hand in content.shown if hand.player_id not in winners),
            uncalled=uncalled,
            faults=self.faults,
            players=players,
        )

    def _largest_win(self, after: dict[str, float]) -> float:
        """Return what the largest winner added to its stack, in percent of it."""
        wins = (
            100 * (after.get(player_id, stack) - stack) / stack
            for player_id, stack in self.before.items()
            if stack
        )
        return max(0, max(wins, default=0))
