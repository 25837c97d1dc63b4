"""Completions of a board, and the best hands on each (needs numpy).

For records; the engine does not use it. Results are derived from hole cards and as
secret as these: never publish them during a hand.
"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from casino_games.cards import DECK, Card
from casino_games.holdem.batch_ranking import KEYS, NO_CARDS, Cards, rank_totals
from casino_games.holdem.deal import Hole

Wins = NDArray[np.bool_]
"""Whether a hand (row) is among the best on a runout (column)."""

_BOARD_SIZE = 5
_FLOP_SIZE = 3


def unseen_cards(
    holes: Sequence[Hole], board: Sequence[Card], dead: Sequence[Card] = ()
) -> list[Card]:
    """Return the rest of the deck; raises `ValueError` for impossible cards."""
    dealt = [*board, *dead, *(card for hole in holes for card in hole)]
    unseen = [card for card in DECK if card not in dealt]
    if len(unseen) + len(dealt) != len(DECK) or len(board) not in {0, 3, 4, 5}:
        raise ValueError("odds need distinct cards, and a board of 0, 3, 4 or 5 of them")
    if len(holes) < 2 or any(len(hole) != 2 for hole in holes):  # noqa: PLR2004 - two of two
        raise ValueError("odds need two hands or more, of two cards each")
    return unseen


def every_runout(unseen: Sequence[Card], board: Sequence[Card]) -> Cards:
    """Return every completion of a flop, turn or river board as a column.

    Raises `ValueError` without a flop: there are up to 1.7 million.
    """
    if len(board) < _FLOP_SIZE:
        raise ValueError("before the flop there are too many boards to count: sample them")
    missing = _BOARD_SIZE - len(board)
    completions = list(combinations(unseen, missing))
    runouts = np.array(completions, np.uint8).reshape(len(completions), missing)
    return np.ascontiguousarray(runouts.T)


def random_runouts(
    unseen: Sequence[Card], board: Sequence[Card], trials: int, generator: np.random.Generator
) -> Cards:
    """Return up to `trials` random completions of the board as columns.

    They are drawn with replacement, and those with a duplicate card are dropped, so that all
    completions are equally likely. Raises `ValueError` without trials.
    """
    if trials < 1:
        raise ValueError("at least one trial is needed")
    missing = _BOARD_SIZE - len(board)
    # A quarter more than `trials`, and a few: at most a fifth of all draws has a duplicate card.
    draws = trials * 5 // 4 + 64
    drawn = generator.integers(0, len(unseen), size=(missing, draws), dtype=np.uint8)
    distinct = np.ones(draws, np.bool_)
    for first, second in combinations(range(missing), 2):
        distinct &= drawn[first] != drawn[second]
    return np.array(unseen, np.uint8)[drawn[:, distinct][:, :trials]]


def wins_on(holes: Sequence[Hole], board: Sequence[Card], runouts: Cards) -> Wins:
    """Return which hands are the best, alone or tied, on each runout."""
    totals = np.full(runouts.shape[1], NO_CARDS + sum(int(KEYS[card]) for card in board))
    for column in runouts:
        totals += KEYS.take(column)
    shared = [*board, *runouts]
    ranks = np.stack([rank_totals(totals + (KEYS[a] + KEYS[b]), [*shared, a, b]) for a, b in holes])
    wins: Wins = ranks == ranks.min(axis=0)
    return wins
