"""A block of a match: the decks that were played together, and what came of them. Pure.

A block is a function of the plan and its number, as far as its players are. Its hands are kept as
their actions, from which everything else can be computed again.
"""

from dataclasses import dataclass, field

from casino_contracts import Outcome
from casino_contracts.play_counts import PlayCounts
from casino_contracts.play_statistics import LatencySketch


@dataclass(frozen=True, slots=True)
class PlayedDeck:
    """One deck, played in every seating."""

    number: int
    net: tuple[int, ...]
    """What each player won or lost in all its hands, in chips; sums to 0."""
    controls: tuple[tuple[float, ...], ...]
    """Of each player, the sums of the control variates over its hands, in chips; see `luck`."""
    hands: tuple[str, ...]
    """The actions of the hand of each seating, such as `cc cbr6 f`: fold, check or call, and
    bet or raise to a total for the street. An all-in is a call or a raise to the whole stack."""
    nets: tuple[tuple[int, ...], ...] = ()
    """What each player won or lost in the hand of each seating, in chips, by player. Each hand
    sums to 0, and each player over the hands to `net`."""


@dataclass(slots=True)
class Conduct:
    """How a player decided in a block."""

    outcomes: dict[Outcome, int] = field(default_factory=dict)
    """Number of decisions by outcome."""
    latency: LatencySketch = field(default_factory=LatencySketch)
    play: dict[str, PlayCounts] = field(default_factory=dict)
    """Counts of play by position: `BTN`, `SB`, `BB`, `UTG`, …"""
    net: dict[str, int] = field(default_factory=dict)
    """Chips won or lost by position."""
    hands: dict[str, int] = field(default_factory=dict)
    """Number of hands by position."""
    ended_on: dict[str, int] = field(default_factory=dict)
    """Chips won or lost by the street on which the hand's betting ended."""


@dataclass(frozen=True, slots=True)
class Block:
    """The decks of one block, in order, and the conduct of each player."""

    plan: str
    """The digest of the plan."""
    number: int
    decks: tuple[PlayedDeck, ...]
    conduct: tuple[Conduct, ...]
