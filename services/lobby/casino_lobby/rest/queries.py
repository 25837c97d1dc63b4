"""The query parameters of the REST face, each with its bounds."""

from typing import get_args

from casino_contracts import MAX_SAFE, TableStatus

from casino_lobby.rest.parameters import ChoiceParameter, TextParameter, WholeParameter

_MOST_PER_PAGE = 5_000

EVENTS_AFTER = WholeParameter("after", "Only events after this sequence.", 0, MAX_SAFE, 0)
EVENTS_LIMIT = WholeParameter("limit", "At most so many events.", 1, _MOST_PER_PAGE, 500)
EPOCH = WholeParameter(
    "epoch", "Of which reign of the room's table; absent: the newest.", 1, MAX_SAFE
)
ROOMS_STATUS = ChoiceParameter(
    "status", "Only rooms whose table has this status.", get_args(TableStatus)
)
ROOMS_GAME = TextParameter("gameType", "Only rooms of this game.")
ROOMS_STATE = TextParameter(
    "state",
    "Only rooms in this state: `opening`, `open`, `paused`, `table-away`, `closing`, `closed`,"
    " `failed`; `open` is a room whose summary says nothing finer.",
)
ROOMS_AFTER = TextParameter("after", "Only rooms after this one, in the order of their opening.")
ROOMS_LIMIT = WholeParameter("limit", "At most so many rooms.", 1, _MOST_PER_PAGE, 500)
HANDS_AFTER = TextParameter(
    "after", "Go on after a page: its `next`.", 40, r"^[0-9]{1,16}\.[0-9]{1,16}$"
)
HANDS_LIMIT = WholeParameter("limit", "At most so many hands.", 1, 1_000, 100)
HANDS_ORDER = ChoiceParameter("order", "Which hands come first.", ("oldest", "newest"), "oldest")
STREAM_AFTER = WholeParameter(
    "after",
    "Go on after this cursor; the header `Last-Event-ID` says the same.",
    0,
    MAX_SAFE,
)
STREAM_FEED = ChoiceParameter(
    "feed",
    "`commentator` is one hand late and holds every card; it needs the operator's token.",
    ("public", "commentator"),
    "public",
)
