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
    Unread,
    UnreadableHistory,
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
    "Unread",
    "UnreadableHistory",
    "all_read",
]
