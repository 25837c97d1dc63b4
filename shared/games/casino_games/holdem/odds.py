"""Odds of known hands, and equity of one hand against random ones (needs numpy).

The odds are for the record of a completed hand: dead cards, those of folded hands, are in no
runout. The equity is for players, who know their own cards alone.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from casino_games.cards import DECK, Card
from casino_games.holdem.batch_ranking import rank_columns
from casino_games.holdem.deal import Hole
from casino_games.holdem.runouts import (
    Wins,
    every_runout,
    random_runouts,
    unseen_cards,
    wins_on,
)

_BOARD_SIZE = 5


class Odds(NamedTuple):
    """The probabilities of one hand, each 0..1."""

    win: float
    """To be the only best hand."""
    tie: float
    """To be one of several best hands."""


def exact_odds(
    holes: Sequence[Hole], board: Sequence[Card], dead: Sequence[Card] = ()
) -> list[Odds]:
    """Return the odds of each hand over every completion of a flop, turn or river board.

    Raises `ValueError` without a flop (use `sampled_odds`) and for impossible cards.
    """
    runouts = every_runout(unseen_cards(holes, board, dead), board)
    return _odds(wins_on(holes, board, runouts))


def sampled_odds(
    holes: Sequence[Hole],
    board: Sequence[Card],
    trials: int,
    generator: np.random.Generator,
    dead: Sequence[Card] = (),
) -> list[Odds]:
    """Return the odds of each hand over up to `trials` random completions of the board.

    The standard error is at most 0.5 / sqrt(trials).
    Raises `ValueError` for impossible cards, or without trials.
    """
    runouts = random_runouts(unseen_cards(holes, board, dead), board, trials, generator)
    return _odds(wins_on(holes, board, runouts))


def equity(
    hole_cards: Sequence[Card],
    board: Sequence[Card],
    opponents: int,
    generator: np.random.Generator,
    trials: int = 1500,
) -> float:
    """Return the share of the pot, 0..1, that a hand wins against random hands on average.

    The standard error is at most 0.5 / sqrt(trials).
    """
    seen = {*hole_cards, *board}
    unseen = np.array([card for card in DECK if card not in seen], np.uint8)
    missing = _BOARD_SIZE - len(board)
    needed = missing + 2 * opponents
    # The indices of the smallest of random numbers are a sample without replacement.
    order = generator.random((len(unseen), trials)).argpartition(needed, axis=0)[:needed]
    dealt = unseen[order]
    shared = np.vstack([np.repeat(np.array(board, np.uint8)[:, None], trials, 1), dealt[:missing]])

    def ranks(pair: NDArray[np.uint8]) -> NDArray[np.uint16]:
        hands: NDArray[np.uint8] = np.vstack([shared, pair])
        return rank_columns(hands)

    own = ranks(np.repeat(np.array(hole_cards, np.uint8)[:, None], trials, 1))
    others = np.stack(
        [ranks(dealt[missing + 2 * i : missing + 2 * i + 2]) for i in range(opponents)]
    )
    best = others.min(axis=0)
    ties = (others == own).sum(axis=0)
    won = np.where(own < best, 1.0, np.where(own == best, 1 / (1 + ties), 0.0))
    return float(won.mean())


def _odds(wins: Wins) -> list[Odds]:
    alone = wins.sum(axis=0) == 1
    count = wins.shape[1]
    return [
        Odds(int((hand & alone).sum()) / count, int((hand & ~alone).sum()) / count) for hand in wins
    ]
