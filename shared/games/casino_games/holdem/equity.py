"""Expected share of the pot of known hands (needs numpy)."""

from collections.abc import Sequence

import numpy as np

from casino_games.cards import Card
from casino_games.holdem.deal import Hole
from casino_games.holdem.runouts import (
    Wins,
    every_runout,
    random_runouts,
    unseen_cards,
    wins_on,
)


def exact_equity(holes: Sequence[Hole], board: Sequence[Card]) -> list[float]:
    """Return the share of each hand over every completion of a flop, turn or river board.

    Raises `ValueError` without a flop (1.7 million boards heads-up: use `sampled_equity`) and
    for impossible cards.
    """
    runouts = every_runout(unseen_cards(holes, board), board)
    return _shares(wins_on(holes, board, runouts))


def sampled_equity(
    holes: Sequence[Hole], board: Sequence[Card], trials: int, generator: np.random.Generator
) -> list[float]:
    """Return the share of each hand over up to `trials` random completions of the board.

    The standard error is at most 0.5 / sqrt(trials).
    Raises `ValueError` for impossible cards, or without trials.
    """
    runouts = random_runouts(unseen_cards(holes, board), board, trials, generator)
    return _shares(wins_on(holes, board, runouts))


def _shares(wins: Wins) -> list[float]:
    shares = (wins / wins.sum(axis=0)).mean(axis=1)
    return [float(share) for share in shares]
