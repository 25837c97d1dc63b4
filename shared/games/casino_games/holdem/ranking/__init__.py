"""Ranks of poker hands."""

from casino_games.holdem.ranking.lookup import (
    best_five,
    class_name,
    rank_cards,
    rank_keys,
    rank_showdown,
)
from casino_games.holdem.ranking.tables import BEST_RANK, KEYS, WORST_RANK

__all__ = [
    "BEST_RANK",
    "KEYS",
    "WORST_RANK",
    "best_five",
    "class_name",
    "rank_cards",
    "rank_keys",
    "rank_showdown",
]
