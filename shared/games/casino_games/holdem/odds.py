"""WinOdds of known hands, and equity of one hand against random ones (needs numpy).

The odds are for the record of a completed hand: dead cards, those of folded hands, are in no
runout. They are derived from hole cards and as secret as these: never publish them during a hand.
The equity is for players, who know their own cards alone. The engine uses neither.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from casino_games.cards import DECK, Card
from casino_games.holdem.batch_ranking import KEYS, NO_CARDS, Cards, rank_columns, rank_totals
from casino_games.holdem.hand import Hole

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
    """Return all completions as columns; raises `ValueError` before the flop: 1.7 million."""
    if len(board) < _FLOP_SIZE:
        raise ValueError("before the flop there are too many boards to count: sample them")
    missing = _BOARD_SIZE - len(board)
    completions = list(combinations(unseen, missing))
    runouts = np.array(completions, np.uint8).reshape(len(completions), missing)
    return np.ascontiguousarray(runouts.T)


def random_runouts(
    unseen: Sequence[Card], board: Sequence[Card], trials: int, generator: np.random.Generator
) -> Cards:
    """Return up to `trials` random completions, equally likely; raises `ValueError`."""
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


class WinOdds(NamedTuple):
    """The probabilities of one hand, each 0..1."""

    win: float
    """To be the only best hand."""
    tie: float
    """To be one of several best hands."""


def exact_odds(
    holes: Sequence[Hole], board: Sequence[Card], dead: Sequence[Card] = ()
) -> list[WinOdds]:
    """Return odds over every completion; raises `ValueError` before the flop: `sampled_odds`."""
    runouts = every_runout(unseen_cards(holes, board, dead), board)
    return _odds(wins_on(holes, board, runouts))


def sampled_odds(
    holes: Sequence[Hole],
    board: Sequence[Card],
    trials: int,
    generator: np.random.Generator,
    dead: Sequence[Card] = (),
) -> list[WinOdds]:
    """Return odds over up to `trials` runouts, error ≤ 0.5 / sqrt(trials); raises `ValueError`."""
    runouts = random_runouts(unseen_cards(holes, board, dead), board, trials, generator)
    return _odds(wins_on(holes, board, runouts))


def equity(
    hole_cards: Sequence[Card],
    board: Sequence[Card],
    opponents: int,
    generator: np.random.Generator,
    trials: int = 1500,
) -> float:
    """Return the mean share, 0..1, against random hands; standard error ≤ 0.5 / sqrt(trials)."""
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


def _odds(wins: Wins) -> list[WinOdds]:
    alone = wins.sum(axis=0) == 1
    count = wins.shape[1]
    return [
        WinOdds(int((hand & alone).sum()) / count, int((hand & ~alone).sum()) / count)
        for hand in wins
    ]
