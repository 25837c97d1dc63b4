"""Mean and variance of values that come in blocks. Pure."""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from casino_match.statistics.values import Floats


@dataclass(frozen=True, slots=True)
class Moments:
    """The number of values, their mean, and the sum of their squared deviations from it."""

    count: int = 0
    mean: float = 0.0
    squares: float = 0.0

    @classmethod
    def of(cls, values: Floats) -> "Moments":
        """Return the moments of some values."""
        if not len(values):
            return cls()
        mean = float(values.mean())
        return cls(len(values), mean, float(np.square(values - mean).sum()))

    def __add__(self, other: "Moments") -> "Moments":
        count = self.count + other.count
        if not count:
            return self
        gap = other.mean - self.mean
        return Moments(
            count,
            self.mean + gap * other.count / count,
            self.squares + other.squares + gap * gap * self.count * other.count / count,
        )

    @property
    def deviation(self) -> float:
        """The standard deviation of a value; 0 below two."""
        return sqrt(self.squares / (self.count - 1)) if self.count > 1 else 0.0

    @property
    def error(self) -> float:
        """The standard error of the mean; 0 below two values."""
        return self.deviation / sqrt(self.count) if self.count else 0.0
