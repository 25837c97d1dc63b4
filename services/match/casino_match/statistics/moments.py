"""Mean, variance and tails of values that come in blocks. Pure."""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from casino_match.statistics.values import Floats


@dataclass(frozen=True, slots=True)
class Moments:
    """The number of values, their mean, and the sums of powers of their deviations from it.

    Those of two blocks add up to those of both together, by the formulas of Chan and of Pébay.
    """

    count: int = 0
    mean: float = 0.0
    squares: float = 0.0
    cubes: float = 0.0
    fourths: float = 0.0

    @classmethod
    def of(cls, values: Floats) -> "Moments":
        """Return the moments of some values."""
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
        """The standard error of the variance, as a share of it: large where tails are heavy.

        It is 0 for values that are all the same.
        """
        if self.squares <= 0:
            return 0.0
        kurtosis = self.count * self.fourths / self.squares**2
        return sqrt(max(0.0, kurtosis - 1) / self.count)
