"""Decks of simulated matches whose truth is known, with the tails of poker.

Most decks move little, some a medium pot, a few two stacks; wins and losses differ in size and in
number. A part of every deck is luck that the controls explain: that of all-ins, which is large and
rare, and that of three streets, with multiples unlike 1, tails and a scatter that grows with it.
"""

from collections.abc import Sequence

import numpy as np
from casino_match.domain.plan import Deal, Entrant, Plan
from casino_match.play.played_block import play_block
from casino_match.players.local_players import local_players
from casino_match.statistics.deck_values import PER, DeckValues, Floats, joined, values_of

HANDS_PER_DECK = 2
CONTROLS = 4
_MULTIPLES = np.array([1.0, 1.4, 0.8, 0.5])
"""Of the controls, in what the first player wins; that of all-ins is 1 by definition."""
_SIZES = np.array([1.5, 3.0, 4.0])
"""Standard deviation of the luck of a street, in big blinds."""
_KINDS, _SHARES = np.array([2.0, 15.0, 100.0]), (0.90, 0.084, 0.016)
"""Pots by size, in big blinds."""
_STACK_WINS = 0.65
"""How often the first player wins, when a whole stack is lost; so the tails are not equal."""
_ALL_INS = 0.03


class SimulatedDecks:
    """Heads-up decks in which the first player wins `truth` bb/100 more than the second."""

    def __init__(self, seed: int, truth: float) -> None:
        self._dice = np.random.default_rng(seed)
        self._truth = truth

    def draw(self, decks: int, first: int = 0) -> DeckValues:
        """Return the values of the next decks."""
        luck = np.column_stack([self._all_ins(decks), self._streets(decks)])
        won = self._skill(decks, np.abs(luck[:, 1:]).sum(axis=1)) + luck @ _MULTIPLES
        unit = PER / HANDS_PER_DECK
        net = won * unit + self._truth / 2
        return DeckValues(
            first=first,
            nets=np.column_stack([net, -net]),
            controls=np.stack([luck, -luck], axis=1) * unit,
            products=None,
        )

    def _all_ins(self, decks: int) -> Floats:
        """Return 200 big blinds times (won or not - the chance), where there is an all-in."""
        chance = self._dice.uniform(0.15, 0.85, decks)
        luck: Floats = 200 * ((self._dice.random(decks) < chance) - chance)
        return np.where(self._dice.random(decks) < _ALL_INS, luck, 0.0)

    def _streets(self, decks: int) -> Floats:
        """Return the luck of three streets: skewed, with heavy tails, zero in the mean."""
        shape = (decks, len(_SIZES))
        spread = self._dice.lognormal(-0.5, 1.0, shape)
        luck: Floats = (self._dice.exponential(1.0, shape) - 1) * spread * _SIZES
        return luck

    def _skill(self, decks: int, luck: Floats) -> Floats:
        """Return what the players' decisions did; it scatters more where luck is large."""
        kind = self._dice.choice(len(_KINDS), decks, p=_SHARES)
        won = self._dice.normal(0, _KINDS[kind]) * (1 + luck / 20)
        stacks = kind == len(_KINDS) - 1
        sign = np.where(self._dice.random(decks) < _STACK_WINS, 1.0, -1.0)
        mean = _SHARES[-1] * _KINDS[-1] * (2 * _STACK_WINS - 1)
        result: Floats = np.where(stacks, _KINDS[-1] * sign, won) - mean
        return result


class DrawnDecks:
    """Decks drawn again from those of a real match between two styles, whose mean is the truth.

    Of the luck of these decks its mean is taken off, which is zero in the mean of all decks.
    """

    def __init__(self, styles: Sequence[str], decks: int) -> None:
        """Play the match, in this process."""
        plan = Plan(
            players=tuple(Entrant(name=style, player=f"style:{style}") for style in styles),
            deal=Deal(seed="drawn decks", decks=decks),
        )
        players = local_players(plan)
        blocks = [play_block(plan, number, players) for number in range(plan.blocks)]
        values = joined([values_of(plan, block) for block in blocks])
        self._nets = values.nets
        self._controls = values.controls - values.controls.mean(axis=0)
        self.truth = float((values.nets[:, 0] - values.nets[:, 1]).mean())

    def draw(self, seed: int, decks: int) -> DeckValues:
        """Return so many decks, drawn with replacement."""
        rows = np.random.default_rng(seed).integers(len(self._nets), size=decks)
        return DeckValues(0, self._nets[rows], self._controls[rows], None)


def several_players(seed: int, players: int, decks: int) -> tuple[DeckValues, tuple[float, ...]]:
    """Return decks of more than two players, and the win rate of each; every two play heads-up."""
    nets = np.zeros((decks, players))
    controls = np.zeros((decks, players, CONTROLS))
    truths = np.zeros(players)
    for first in range(players):
        for second in range(first + 1, players):
            truth = float(10 * (second - first))
            values = SimulatedDecks((seed * players + first) * players + second, truth).draw(decks)
            truths[[first, second]] += truth / 2, -truth / 2
            nets[:, [first, second]] += values.nets
            controls[:, [first, second]] += values.controls
    return DeckValues(0, nets, controls, None), tuple(truths.tolist())
