"""Query parameters of the REST API, each with its bounds."""

from typing import get_args

from casino_contracts import MAX_SAFE, TableStatus

from casino_lobby.rest.parameters import ChoiceParameter, TextParameter, WholeParameter

_MAX_PAGE_SIZE = 5_000

EVENTS_AFTER = WholeParameter("after", "Return only events after this `sequence`.", 0, MAX_SAFE, 0)
EVENTS_LIMIT = WholeParameter("limit", "Maximum number of events.", 1, _MAX_PAGE_SIZE, 500)
EPOCH = WholeParameter("epoch", "Epoch of the room's table. Defaults to the newest.", 1, MAX_SAFE)
ROOMS_STATUS = ChoiceParameter(
    "status", "Return only rooms whose table has this status.", get_args(TableStatus)
)
ROOMS_GAME = TextParameter("gameType", "Return only rooms of this game.")
ROOMS_STATE = TextParameter(
    "state",
    "Return only rooms in this state: `opening`, `open`, `paused`, `table-away`, `closing`,"
    " `closed` or `failed`. A room whose summary has no `state` is `open`.",
)
ROOMS_AFTER = TextParameter(
    "after", "Return only rooms opened after this one: the `next` of the previous page."
)
ROOMS_LIMIT = WholeParameter("limit", "Maximum number of rooms.", 1, _MAX_PAGE_SIZE, 500)
HANDS_AFTER = TextParameter(
    "after",
    "Return only hands after this position: the `next` of the previous page.",
    40,
    r"^[0-9]{1,16}\.[0-9]{1,16}$",
)
HANDS_LIMIT = WholeParameter("limit", "Maximum number of hands.", 1, 1_000, 100)
HANDS_ORDER = ChoiceParameter("order", "Sort order of the hands.", ("oldest", "newest"), "oldest")
STREAM_AFTER = WholeParameter(
    "after",
    "Resume after this cursor. The header `Last-Event-ID` takes precedence.",
    0,
    MAX_SAFE,
)
STREAM_FEED = ChoiceParameter(
    "feed",
    "`commentator` is delayed by one hand and shows every card. It requires the operator's key.",
    ("public", "commentator"),
    "public",
)
