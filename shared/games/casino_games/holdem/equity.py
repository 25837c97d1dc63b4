"""What share of the pot known hands can expect; needs numpy, and the engine does not need it.

For watchers and for players who reason.  Odds that come from hole cards are as secret as they are:
they never belong to a live feed.
"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from casino_games.cards import DECK, Card
from casino_games.holdem.batch_ranking import KEYS, NO_CARDS, Cards, rank_totals
from casino_games.holdem.deal import Hole

_BOARD_SIZE = 5
_FLOP_SIZE = 3


def exact_equity(holes: Sequence[Hole], board: Sequence[Card]) -> list[float]:
    """Return the share of each hand over every completion of a flop, turn or river board.

    Raises ``ValueError`` without a flop (1.7 million boards heads-up: sample instead) and for cards
    that are no deal.
    """
    unseen = _unseen(holes, board)
    missing = _BOARD_SIZE - len(board)
    if len(board) < _FLOP_SIZE:
        raise ValueError("before the flop there are too many boards to count: use sampled_equity")
    completions = list(combinations(unseen, missing))
    runouts = np.array(completions, np.uint8).reshape(len(completions), missing).T
    return _equity_on(holes, board, np.ascontiguousarray(runouts))


def sampled_equity(
    holes: Sequence[Hole], board: Sequence[Card], trials: int, generator: np.random.Generator
) -> list[float]:
    """Return the share of each hand over up to ``trials`` random completions of the board.

    Completions are drawn with repetition, and those that name a card twice are dropped, which
    leaves every completion equally likely.  The standard error is at most 0.5 / sqrt(trials).
    Raises ``ValueError`` for cards that are no deal, or without trials.
    """
    if trials < 1:
        raise ValueError("at least one trial is needed")
    unseen = np.array(_unseen(holes, board), np.uint8)
    missing = _BOARD_SIZE - len(board)
    # A quarter more than asked for, and a few: at most a fifth of all draws names a card twice.
    draws = trials * 5 // 4 + 64
    drawn = generator.integers(0, len(unseen), size=(missing, draws), dtype=np.uint8)
    distinct = np.ones(draws, np.bool_)
    for first, second in combinations(range(missing), 2):
        distinct &= drawn[first] != drawn[second]
    return _equity_on(holes, board, unseen[drawn[:, distinct][:, :trials]])


def _unseen(holes: Sequence[Hole], board: Sequence[Card]) -> list[Card]:
    """Return the rest of the deck, and refuse what no dealer could have dealt."""
    dealt = [*board, *(card for hole in holes for card in hole)]
    unseen = [card for card in DECK if card not in dealt]
    if len(unseen) + len(dealt) != len(DECK) or len(board) not in {0, 3, 4, 5}:
        raise ValueError("equity needs distinct cards, and a board of 0, 3, 4 or 5 of them")
    if len(holes) < 2 or any(len(hole) != 2 for hole in holes):  # noqa: PLR2004 - two of two
        raise ValueError("equity needs two hands or more, of two cards each")
    return unseen


def _equity_on(holes: Sequence[Hole], board: Sequence[Card], runouts: Cards) -> list[float]:
    """Return the average share of each hand over board completions, one column each."""
    totals = np.full(runouts.shape[1], NO_CARDS + sum(int(KEYS[card]) for card in board))
    for column in runouts:
        totals += KEYS.take(column)
    shared = [*board, *runouts]
    ranks = np.stack([rank_totals(totals + (KEYS[a] + KEYS[b]), [*shared, a, b]) for a, b in holes])
    wins = ranks == ranks.min(axis=0)
    shares = (wins / wins.sum(axis=0)).mean(axis=1)
    return [float(share) for share in shares]
