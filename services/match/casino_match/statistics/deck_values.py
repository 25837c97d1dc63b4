"""The sample of a match: of every deck, what each player won a hand, and its luck. Pure.

Everything is in bb/100: big blinds per 100 hands, as a mean over the hands of a deck. So the mean
over the decks is a win rate, and a deck is one observation, whatever the number of its seatings.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from casino_match.domain.block import PlayedBlock
from casino_match.domain.plan import Plan, seatings_of

Floats = NDArray[np.float64]

PER = 100
"""Win rates are per so many hands."""


@dataclass(frozen=True, slots=True)
class DeckValues:
    """The observations of some decks, in the order of their numbers."""

    first: int
    """The number of the first deck; the others follow without a gap."""
    nets: Floats
    """What each player won a hand: decks x players."""
    controls: Floats
    """The control variates of each player: decks x players x controls."""
    products: Floats | None
    """The sums over all hands of the products of two players' nets in big blinds: players x
    players. None if the nets of the hands are not there."""

    @property
    def decks(self) -> int:
        return len(self.nets)


def values_of(plan: Plan, block: PlayedBlock) -> DeckValues:
    players = len(plan.players)
    hands = len(seatings_of(players, plan.deal.seatings))
    unit = PER / (hands * plan.rules.big_blind)
    decks = block.decks
    controls = np.array([deck.controls for deck in decks], dtype=np.float64)
    return DeckValues(
        first=decks[0].number if decks else 0,
        nets=np.array([deck.net for deck in decks], dtype=np.float64).reshape(-1, players) * unit,
        controls=controls.reshape(len(decks), players, -1 if controls.size else 0) * unit,
        products=_products(block, plan.rules.big_blind),
    )


def joined(parts: list[DeckValues]) -> DeckValues:
    """Return the observations of several blocks, which follow each other, as those of one."""
    products = [part.products for part in parts]
    return DeckValues(
        first=parts[0].first,
        nets=np.concatenate([part.nets for part in parts]),
        controls=np.concatenate([part.controls for part in parts]),
        products=None
        if any(each is None for each in products)
        else np.sum([each for each in products if each is not None], axis=0),
    )


def _products(block: PlayedBlock, big_blind: int) -> Floats | None:
    if not all(deck.nets for deck in block.decks):
        return None
    nets = np.array([hand for deck in block.decks for hand in deck.nets], dtype=np.float64)
    nets /= big_blind
    products: Floats = nets.T @ nets
    return products


@dataclass(frozen=True, slots=True)
class Moments:
    """Number, mean and sums of powers of deviations, which add up (Chan, Pébay)."""

    count: int = 0
    mean: float = 0.0
    squares: float = 0.0
    cubes: float = 0.0
    fourths: float = 0.0

    @classmethod
    def of(cls, values: Floats) -> "Moments":
        if not len(values):
            return cls()
        mean = float(values.mean())
        deviations = values - mean
        squares = np.square(deviations)
        return cls(
            len(values),
            mean,
            float(squares.sum()),
            float((squares * deviations).sum()),
            float(np.square(squares).sum()),
        )

    def __add__(self, other: "Moments") -> "Moments":
        count = self.count + other.count
        if not self.count or not other.count:
            return other if other.count else self
        gap = other.mean - self.mean
        mine, theirs = self.count / count, other.count / count
        both = count * mine * theirs
        return Moments(
            count,
            self.mean + gap * theirs,
            self.squares + other.squares + gap**2 * both,
            self.cubes
            + other.cubes
            + gap**3 * both * (mine - theirs)
            + 3 * gap * (mine * other.squares - theirs * self.squares),
            self.fourths
            + other.fourths
            + gap**4 * both * (mine**2 - mine * theirs + theirs**2)
            + 6 * gap**2 * (mine**2 * other.squares + theirs**2 * self.squares)
            + 4 * gap * (mine * other.cubes - theirs * self.cubes),
        )

    @property
    def deviation(self) -> float:
        """The standard deviation of a value; 0 below two."""
        return sqrt(self.squares / (self.count - 1)) if self.count > 1 else 0.0

    @property
    def error(self) -> float:
        """The standard error of the mean; 0 below two values."""
        return self.deviation / sqrt(self.count) if self.count else 0.0

    @property
    def variance_error(self) -> float:
        """The variance's standard error as a share of it, 0 if nothing varies."""
        if self.squares <= 0:
            return 0.0
        kurtosis = self.count * self.fourths / self.squares**2
        return sqrt(max(0.0, kurtosis - 1) / self.count)
