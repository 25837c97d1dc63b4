"""Nets without luck: control variates, with multiples that are fitted on other decks. Pure.

A deck's value for a player is its net `x`, and `c` are the control variates of all players in the
same deck: luck, which is zero in the mean whatever anybody does. For any fixed multiples `b`, the
adjusted value `x - b'c` has the mean of `x`. The best multiples are not known, so they are fitted
by least squares, and never on the deck itself: `b` is then a function of other decks, which are
dealt independently, so that `E[b'c] = E[b]' E[c] = 0` holds exactly, for any number of decks and
however bad the fit is. A bad fit costs precision and nothing else.

The luck of all-ins comes after the last decision of a hand. Nothing that came before it is
correlated with it, so its multiple is exactly 1 and is not fitted.
"""

from dataclasses import dataclass

import numpy as np

from casino_match.statistics.deck_values import DeckValues, Floats

FOLDS = 10
"""A deck's fold is its number modulo this; its multiples are fitted on the other folds."""

_NOTHING = 1e-3
"""Controls whose standard deviation is smaller, in bb/100, are left out: they are rounding."""
_DECKS_PER_CONTROL = 7.5
"""With fewer, multiples are shrunk so far that fitting them does not widen the true error."""
_PRIOR = 30.0
"""How large multiples are expected to be at most, as a standard deviation."""


@dataclass(slots=True)
class Fit:
    """The sums over decks from which multiples are computed; sums of disjoint decks add up."""

    decks: float
    sums: Floats
    """Of all columns: the controls, then the players' values."""
    products: Floats
    """Of every two columns."""

    @classmethod
    def empty(cls, columns: int) -> "Fit":
        return cls(0, np.zeros(columns), np.zeros((columns, columns)))

    @classmethod
    def of(cls, controls: Floats, values: Floats) -> "Fit":
        columns = np.hstack([controls, values])
        return cls(len(columns), columns.sum(axis=0), columns.T @ columns)

    def __add__(self, other: "Fit") -> "Fit":
        return Fit(self.decks + other.decks, self.sums + other.sums, self.products + other.products)

    def multiples(self, controls: int) -> Floats:
        """Return the multiples of the controls for every player: controls x players.

        Ridge regression with an intercept on standardised controls. Its penalty shrinks multiples
        towards zero where few decks say something about them: where there are few decks for many
        controls, and where a control hardly ever occurs, by a prior deviation of the multiples. It
        vanishes with the number of decks, and settles controls that determine each other.
        """
        multiples = np.zeros((controls, len(self.sums) - controls))
        if self.decks <= 1:
            return multiples
        means = self.sums / self.decks
        moments = self.products / self.decks - np.outer(means, means)
        variances = np.diag(moments)
        usable = np.flatnonzero(variances[:controls] > _NOTHING**2)
        if not len(usable):
            return multiples
        scale = np.sqrt(variances[usable])
        noise = float(variances[controls:].mean())
        penalty = (_DECKS_PER_CONTROL * len(usable) / self.decks) ** 2
        rarity = noise / (_PRIOR * scale) ** 2 / self.decks
        correlations = moments[np.ix_(usable, usable)] / np.outer(scale, scale)
        target = moments[usable, controls:] / scale[:, None]
        fitted = np.linalg.solve(correlations + np.diag(penalty + rarity), target)
        multiples[usable] = fitted / scale[:, None]
        return multiples


def without_all_ins(values: DeckValues) -> Floats:
    """Return the nets minus the luck of all-ins, which is the first control."""
    if not values.controls.shape[2]:
        return values.nets
    difference: Floats = values.nets - values.controls[:, :, 0]
    return difference


def columns_of(values: DeckValues) -> Floats:
    """Return the controls to fit, of all players side by side, so that values still sum to 0."""
    return values.controls[:, :, 1:].reshape(values.decks, -1)


def adjusted(values: DeckValues) -> Floats:
    """Return the nets without luck: decks x players, the multiples fitted across folds."""
    base, controls = without_all_ins(values), columns_of(values)
    columns = controls.shape[1]
    if not columns:
        return base
    folds = (values.first + np.arange(values.decks)) % FOLDS
    members = [folds == fold for fold in range(FOLDS)]
    fits = [Fit.of(controls[rows], base[rows]) for rows in members]
    result = base.copy()
    for fold, rows in enumerate(members):
        first, *others = fits[:fold] + fits[fold + 1 :]
        result[rows] -= controls[rows] @ sum(others, first).multiples(columns)
    return result


class PastFit:
    """Adjusts blocks as they come, with multiples that are fitted on the blocks before.

    Unlike those of `adjusted`, its values do not change when more decks are played, so that a test
    which looks at them again and again sees differences of a martingale.
    """

    def __init__(self) -> None:
        self._fit: Fit | None = None

    def adjust(self, values: DeckValues) -> Floats:
        """Return the values of the next block without luck: decks x players."""
        base, controls = without_all_ins(values), columns_of(values)
        columns = controls.shape[1]
        fit = self._fit or Fit.empty(columns + base.shape[1])
        self._fit = fit + Fit.of(controls, base)
        result: Floats = base - controls @ fit.multiples(columns)
        return result
