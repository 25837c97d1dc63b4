"""Hand histories: completed hands of Hold'em, written to and read from the formats of others."""

from casino_histories.completed_hand import (
    Action,
    ForcedBet,
    HandHistory,
    Pot,
    SeatedPlayer,
    Share,
    ShownCards,
)
from casino_histories.errors import (
    HistoryError,
    NotExportable,
    UnreadableHistory,
    UnreadHand,
    all_read,
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
    "UnreadHand",
    "UnreadableHistory",
    "all_read",
]
