"""The score of a completed hand: points for what makes it worth looking at. Pure.

| what | points |
| --- | --- |
| the pot | 1 for each big blind, at most 500; in games without blinds 1 for each percent that the largest winner added to its stack |
| players who were all-in and called | 40 for each, at most 4 |
| a bad beat: the best hand that was shown and won nothing | straight 60, flush 80, full house 120, four of a kind 200, straight flush 300 |
| a possible bluff: a bet of at least 10 big blinds and half the pot that nobody called | 30 |
| decisions that failed | 5 for each, at most 4 |
"""  # noqa: E501 - a table has its rows in lines

from dataclasses import dataclass
from math import isfinite

from casino_contracts import HandKind

MOST_SIZE = 500
BIG_POT = 100
"""In points for its size: 100 big blinds, or a stack that was doubled."""
_ALL_IN, _MOST_ALL_IN = 40, 4
_BLUFF, _BLUFF_BLINDS = 30, 10
_FAULT, _MOST_FAULTS = 5, 4
_BEATEN = {
    "straight": 60,
    "flush": 80,
    "full house": 120,
    "four of a kind": 200,
    "straight flush": 300,
    "royal flush": 300,
}


@dataclass(frozen=True)
class Highlight:
    """A completed hand's score, its kinds, and who was dealt in."""

    score: int
    kinds: tuple[HandKind, ...]
    players: tuple[str, ...]
    """Their ids, in the order in which the hand's start lists them."""


@dataclass(frozen=True)
class HandFacts:
    """What the public events of a completed hand say about it."""

    size: float
    """The pot in big blinds; without blinds the largest win in percent of the winner's stack."""
    has_blinds: bool
    called_all_ins: int
    """Players without chips, if at least one other player stayed in the hand."""
    beaten: tuple[str, ...]
    """Names of the ranks of shown hands that won nothing."""
    uncalled: float
    """The last bet, in big blinds, if nobody called it and the winner showed nothing."""
    faults: int
    """Decisions that the table made because an answer failed."""
    players: tuple[str, ...]


def highlight_of(facts: HandFacts) -> Highlight:
    """Return the score and the kinds of a hand.

    >>> facts = HandFacts(150, True, 2, ("Full House",), 0, 1, ("p1", "p2"))
    >>> highlight_of(facts)
    Highlight(score=355, kinds=('big-pot', 'all-in', 'bad-beat', 'fault'), players=('p1', 'p2'))
    """
    size = int(min(MOST_SIZE, facts.size)) if isfinite(facts.size) else 0
    beaten = max((_BEATEN.get(name.lower(), 0) for name in facts.beaten), default=0)
    big_bet = max(_BLUFF_BLINDS, facts.size / 2)
    points: dict[HandKind, int] = {
        "all-in": _ALL_IN * min(_MOST_ALL_IN, facts.called_all_ins),
        "bad-beat": beaten,
        "bluff": _BLUFF if facts.has_blinds and facts.uncalled >= big_bet else 0,
        "fault": _FAULT * min(_MOST_FAULTS, facts.faults),
    }
    big_pot: tuple[HandKind, ...] = ("big-pot",) if size >= BIG_POT else ()
    kinds = (*big_pot, *(kind for kind, value in points.items() if value))
    return Highlight(size + sum(points.values()), kinds, facts.players)
