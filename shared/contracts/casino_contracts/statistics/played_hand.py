"""What statistics need of a hand: stacks, forced bets, and every decision in order. Pure."""

from dataclasses import dataclass, field
from typing import Final, Literal, get_args

from casino_contracts.events.content import ActionTaken, HandStarted, PostedBet
from casino_contracts.events.payloads import Outcome
from casino_contracts.numbers import MAX_SAFE

MOST_DECISIONS: Final = 1_000
"""Further decisions of a hand are not counted; only a third-party table can exceed it."""

NOT_ASKED = frozenset({"sitting_out", "away"})
"""Outcomes of a decision that nobody made: nobody was asked, or nobody was there."""

MoveKind = Literal["fold", "check", "call", "raise", "all-in"]
"""A bet is a raise of nothing; whether an all-in is a call or a raise depends on the chips."""
Move = tuple[int, MoveKind]
"""The betting round, 0 before the flop, and what was done."""

Decision = tuple[str, Move | None, float | None, int | None, Outcome | None]
"""Player, move in Hold'em, stack after it, time in ms, outcome: None where it cannot be read.

A plain tuple, since a lobby makes one for every action.
"""

_KINDS: dict[str, MoveKind] = {
    "fold": "fold",
    "check": "check",
    "call": "call",
    "bet": "raise",
    "raise": "raise",
    "all-in": "all-in",
}
_MOVES: dict[tuple[object, object], Move] = {
    (betting_round, action): (number, kind)
    for number, betting_round in enumerate(("preflop", "flop", "turn", "river"))
    for action, kind in _KINDS.items()
}
_OUTCOMES: dict[str | None, Outcome] = {outcome: outcome for outcome in get_args(Outcome)}


@dataclass
class PlayedHand:
    """A hand from its `hand_started` on."""

    stacks: dict[str, float] = field(default_factory=dict)
    """Before the forced bets, by player."""
    posted: tuple[PostedBet, ...] = ()
    big_blind: float | None = None
    """None in games without blinds: there only outcomes and times are counted."""
    decisions: list[Decision] = field(default_factory=list)

    @classmethod
    def begin(cls, content: HandStarted, big_blind: float | None) -> "PlayedHand":
        """Return a hand that begins; `big_blind` is that of hands that state none, if any."""
        stacks = {seat.player_id: seat.stack for seat in content.players if seat.stack}
        if big_blind is None:
            return cls(stacks)
        return cls(stacks, content.posted, content.big_blind or big_blind)

    def decide(self, content: ActionTaken) -> None:
        """Add a decision."""
        if len(self.decisions) > MOST_DECISIONS:
            return
        fields = content.fields
        try:
            move = _MOVES.get((fields.get("bettingRound"), fields.get("action")))
        except TypeError:  # a list or an object
            move = None
        latency_ms = fields.get("latencyMs")
        if type(latency_ms) is not int or not 0 <= latency_ms <= MAX_SAFE:
            latency_ms = content.latency_ms
        outcome = _OUTCOMES.get(content.outcome)
        self.decisions.append((content.player_id, move, content.stack, latency_ms, outcome))
