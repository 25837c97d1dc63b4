"""The boards that a deal could have had, and what each seat holds on them. Pure.

Every turn and river that could follow the flop is enumerated. Before the flop there are too many
boards, and a sample stands for them. It is drawn from a deck that is shuffled by the hole cards'
names, and so does not depend on the board; it is the same in every seating. All counts are whole
numbers, on which all machines agree.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from casino_games.cards import DECK, Card, cards_to_text
from casino_games.holdem.batch_ranking import KEYS, NO_CARDS, Cards, Ranks, rank_totals
from casino_games.holdem.deal import Hole
from casino_games.shuffle import deck_order
from numpy.typing import NDArray

from casino_match.luck.strength import Levels, levels_of, thresholds_on

Places = NDArray[np.int64]
Columns = slice | Places

FLOP: Final = 3
_ROUNDS: Final = 2
"""How many shuffled decks the sample is taken from."""


class Held(NamedTuple):
    """What a seat holds on each board."""

    ranks: Ranks
    levels: Levels


class Design(NamedTuple):
    """Which unseen cards make up the boards, as places; the same for all deals of a size."""

    sample: Places
    """Flop, turn and river of the boards of one round, among the shuffled unseen cards."""
    first: Places
    second: Places
    """Turn and river of each run-out, among the cards that are unseen after the flop."""
    runout: Places
    """The run-out of two such cards."""


@lru_cache(maxsize=16)
def design_of(unseen: int) -> Design:
    """Return the design for a number of cards that are unseen before the flop.

    The flops of a round have no card in common, nor have the run-outs of a flop.
    """
    sample = []
    for start in range(0, unseen - FLOP + 1, FLOP):
        turned = [(start + place) % unseen for place in range(unseen)]
        sample += [[*turned[:FLOP], *pair] for pair in _pairs(turned[FLOP:])]
    left = unseen - FLOP
    first, second = np.triu_indices(left, 1)
    runout = np.zeros((left, left), np.int64)
    runout[first, second] = runout[second, first] = np.arange(len(first))
    return Design(np.array(sample).T, first, second, runout)


class Deal:
    """All boards of one deal as columns: first the run-outs of its flop, then the sample."""

    def __init__(self, holes: Sequence[Hole], flop: Sequence[Card]) -> None:
        self._holes = holes
        seen = {card for hole in holes for card in hole}
        unseen = [card for card in DECK if card not in seen]
        self._left = [card for card in unseen if card not in flop]
        design = self._design = design_of(len(unseen))
        names = cards_to_text(card for hole in holes for card in hole)
        shuffled = [
            [card for card in deck_order(f"luck {turn} {names}") if card not in seen]
            for turn in range(_ROUNDS)
        ]
        left = np.array(self._left, np.uint8)
        runouts = len(design.first)
        flops = np.repeat(np.array(flop, np.uint8)[:, None], runouts, axis=1)
        self._boards: Cards = np.concatenate(
            [
                np.concatenate([flops, left[None, design.first], left[None, design.second]]),
                *(np.array(cards, np.uint8)[design.sample] for cards in shuffled),
            ],
            axis=1,
        )
        self._totals = KEYS.take(self._boards).sum(axis=0)
        self._thresholds = thresholds_on(self._boards)
        self._held: dict[int, Held] = {}
        self.sample = slice(runouts, None)
        """The columns of the sample."""
        self.runouts = slice(0, runouts)
        """The columns of the run-outs of the flop."""
        self.runouts_of_a_flop = len(unseen) - FLOP >> 1
        """How many boards of the sample are of the same flop; they are adjacent."""
        order = [self._left.index(card) for card in shuffled[0] if card not in flop]
        self.own_sample = design.runout[tuple(np.array(_pairs(order)).T)]
        """As many run-outs of the flop of the deal, drawn in the same way."""

    def held_by(self, seat: int) -> Held:
        """Return what a seat holds on each board."""
        held = self._held.get(seat)
        if held is None:
            first, second = self._holes[seat]
            totals = self._totals + (NO_CARDS + KEYS[first] + KEYS[second])
            ranks = rank_totals(totals, [*self._boards, first, second])
            held = self._held[seat] = Held(ranks, levels_of(ranks, self._thresholds))
        return held

    def boards_after(self, board: Sequence[Card]) -> list[Columns]:
        """Return the columns that are possible before the flop, after it, … after the board."""
        columns: list[Columns] = [self.sample, self.runouts]
        places = [self._left.index(card) for card in board[FLOP:]]
        if places:
            runouts = self._design.runout[places[0]]
            columns.append(np.delete(runouts, places[0]))
            columns += [runouts[[river]] for river in places[1:]]
        return columns


def _pairs(places: Sequence[int]) -> list[tuple[int, int]]:
    return list(zip(places[0:-1:2], places[1::2], strict=False))
