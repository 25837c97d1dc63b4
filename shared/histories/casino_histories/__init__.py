"""Hand histories: completed hands of Hold'em, written to and read from the formats of others."""

from casino_histories.errors import HistoryError, NotExportable, UnreadableHistory
from casino_histories.hand_history import (
    Action,
    ForcedBet,
    HandHistory,
    Pot,
    SeatedPlayer,
    Share,
    ShownCards,
)

__all__ = [
    "Action",
    "ForcedBet",
    "HandHistory",
    "HistoryError",
    "NotExportable",
    "Pot",
    "SeatedPlayer",
    "Share",
    "ShownCards",
    "UnreadableHistory",
]
