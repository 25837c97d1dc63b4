"""Every operation of the REST face: what it takes, what it gives, what can go wrong.

The routes, the checks of a request and the OpenAPI document are made from this one list.
"""

from dataclasses import dataclass
from typing import get_args

from casino_contracts import (
    MAX_SAFE,
    CreateRoomInput,
    EventPage,
    GameList,
    HandDetail,
    HandPage,
    HandRecord,
    LeaveRoomInput,
    LobbyInfo,
    NoInput,
    RegisteredPlayer,
    RegisterPlayerInput,
    RoomList,
    RoomSnapshot,
    StartRoomInput,
    TableList,
    TableStatus,
    TableSummary,
    WireModel,
)

from casino_lobby.problem_types import ProblemType as P
from casino_lobby.rest_parameters import ChoiceParameter, Parameter, TextParameter, WholeParameter

MOST_PER_PAGE = 5_000
EVENT_STREAM = "text/event-stream"


@dataclass(frozen=True)
class Operation:
    """One method of one path.

    `gives` is the message of its answer; with `media_type` it is something else than JSON.
    `takes` is the message of its body; fields that stand in the path are not in the body.
    """

    operation_id: str
    method: str
    path: str
    tag: str
    summary: str
    description: str
    problems: frozenset[P]
    gives: type[WireModel] | None = None
    status: int = 200
    takes: type[WireModel] | None = None
    body_is_needed: bool = False
    parameters: tuple[Parameter, ...] = ()
    media_type: str = "application/json"
    may_be_unchanged: bool = False
    """Whether 304 tells that the caller has it already."""
    is_for_operators: bool = False
    """Whether it always needs the operator's token."""

    @property
    def is_endless(self) -> bool:
        """Whether its answer has no end."""
        return self.media_type == EVENT_STREAM

    @property
    def is_command(self) -> bool:
        """Whether it changes something."""
        return self.method != "GET"


EVENTS_AFTER = WholeParameter("after", "Only events after this sequence.", 0, MAX_SAFE, 0)
EVENTS_LIMIT = WholeParameter("limit", "At most so many events.", 1, MOST_PER_PAGE, 500)
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
ROOMS_LIMIT = WholeParameter("limit", "At most so many rooms.", 1, MOST_PER_PAGE, 500)
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

_ALWAYS = frozenset({P.INVALID_REQUEST, P.INTERNAL})
_READS = frozenset({P.NOT_KEPT})
_COMMAND = frozenset({P.TOO_MANY_REQUESTS, P.NOT_KEPT})
_BODY = frozenset({P.INVALID_JSON, P.REQUEST_ID_REUSED})
_ROOM = frozenset({P.ROOM_NOT_FOUND})
_AGENT = frozenset(
    {
        P.REFUSED,
        P.AGENT_REFUSED,
        P.AGENT_UNREACHABLE,
        P.AGENT_CONTRACT_VIOLATION,
        P.AGENT_TIMED_OUT,
    }
)
_TABLE = _AGENT | _ROOM | {P.ROOM_CLOSED, P.TABLE_AWAY, P.NO_TABLE, P.TABLE_BUSY}
_CLOSING = _ALWAYS | _COMMAND | _ROOM

OPERATIONS = (
    Operation(
        "listRooms",
        "GET",
        "/v1/rooms",
        "rooms",
        "List rooms",
        "The rooms of the lobby, the oldest first. While there are more, `next` is the id to go on"
        " after.",
        _ALWAYS | _ROOM,
        RoomList,
        parameters=(ROOMS_STATUS, ROOMS_GAME, ROOMS_STATE, ROOMS_AFTER, ROOMS_LIMIT),
    ),
    Operation(
        "createRoom",
        "POST",
        "/v1/rooms",
        "rooms",
        "Open a room",
        "On the table of `tableAgentCardUrl`, else on an announced table that is free, else on one"
        " that the lobby launches.",
        _ALWAYS
        | _COMMAND
        | _BODY
        | _AGENT
        | {P.ROOM_EXISTS, P.TABLE_BUSY, P.PORT_TAKEN, P.NO_TABLE, P.DRAINING, P.INVALID_CONFIG},
        RoomSnapshot,
        201,
        CreateRoomInput,
        body_is_needed=True,
    ),
    Operation(
        "readRoom",
        "GET",
        "/v1/rooms/{roomId}",
        "rooms",
        "Read a room",
        "Its rules, how it stands, and its newest 200 events.",
        _ALWAYS | _ROOM,
        RoomSnapshot,
    ),
    Operation(
        "deleteRoom",
        "DELETE",
        "/v1/rooms/{roomId}",
        "rooms",
        "Close a room",
        "It ends after its running hand; everybody leaves with the chips that are his.",
        _CLOSING,
        RoomSnapshot,
        202,
    ),
    Operation(
        "closeRoom",
        "POST",
        "/v1/rooms/{roomId}/close",
        "rooms",
        "Close a room",
        "The same as deleting it, for clients that only post.",
        _CLOSING | {P.INVALID_JSON},
        RoomSnapshot,
        202,
        NoInput,
    ),
    Operation(
        "registerPlayer",
        "POST",
        "/v1/rooms/{roomId}/players",
        "players",
        "Invite a player agent and seat it",
        "The agent is asked to sign up; a room whose last seat is taken begins by itself.",
        _ALWAYS
        | _COMMAND
        | _BODY
        | _TABLE
        | {P.ROOM_FULL, P.INVALID_CONFIG, P.DUPLICATE_SEAT, P.DRAINING},
        RegisteredPlayer,
        201,
        RegisterPlayerInput,
        body_is_needed=True,
    ),
    Operation(
        "leaveRoom",
        "DELETE",
        "/v1/rooms/{roomId}/players/{playerId}",
        "players",
        "Give a seat back",
        "At once between hands, else after the running hand. The answer is the table.",
        _ALWAYS | _COMMAND | _TABLE | {P.PLAYER_NOT_FOUND, P.REQUEST_ID_REUSED},
        TableSummary,
        202,
        LeaveRoomInput,
    ),
    Operation(
        "startRoom",
        "POST",
        "/v1/rooms/{roomId}/start",
        "rooms",
        "Begin a session",
        "Answered at once; the session's length and blinds may differ from the room's.",
        _ALWAYS
        | _COMMAND
        | _BODY
        | _TABLE
        | {P.ROOM_ALREADY_STARTED, P.NOT_ENOUGH_PLAYERS, P.INVALID_CONFIG, P.DRAINING},
        TableSummary,
        202,
        StartRoomInput,
    ),
    Operation(
        "readEvents",
        "GET",
        "/v1/rooms/{roomId}/events",
        "hands",
        "Read events",
        "Everything that happened in a room, in order, without a card that was not shown.",
        _ALWAYS | _ROOM | _READS,
        EventPage,
        parameters=(EVENTS_AFTER, EVENTS_LIMIT, EPOCH),
    ),
    Operation(
        "listHands",
        "GET",
        "/v1/rooms/{roomId}/hands",
        "hands",
        "List completed hands",
        "In the order of play, or the newest first.",
        _ALWAYS | _ROOM | _READS,
        HandPage,
        parameters=(HANDS_AFTER, HANDS_LIMIT, HANDS_ORDER),
    ),
    Operation(
        "readHand",
        "GET",
        "/v1/rooms/{roomId}/hands/{handNumber}",
        "hands",
        "Read a completed hand",
        "With every public fact of it.",
        _ALWAYS | _ROOM | _READS | {P.HAND_NOT_FOUND},
        HandDetail,
        parameters=(EPOCH,),
    ),
    Operation(
        "readHandRecord",
        "GET",
        "/v1/rooms/{roomId}/hands/{handNumber}/record",
        "hands",
        "Read the whole record of a completed hand",
        "All cards, the deck, what players thought, the odds by street. For the operator alone.",
        _ALWAYS
        | _READS
        | _TABLE
        | {P.HAND_NOT_FOUND, P.HAND_RUNNING, P.OPERATOR_ONLY, P.UNAUTHORIZED},
        HandRecord,
        parameters=(EPOCH,),
        is_for_operators=True,
    ),
    Operation(
        "listTables",
        "GET",
        "/v1/tables",
        "lobby",
        "List table agents",
        "Those that announced themselves, and those of open rooms.",
        _ALWAYS,
        TableList,
    ),
    Operation(
        "readConfig",
        "GET",
        "/v1/config",
        "lobby",
        "Read what this lobby is",
        "Its name, version, limits, and rules to begin with.",
        _ALWAYS,
        LobbyInfo,
    ),
    Operation(
        "readProblem",
        "GET",
        "/problems/{slug}",
        "lobby",
        "Read what a problem means",
        "A page for people; a problem's `type` leads to it.",
        _ALWAYS | {P.NOT_FOUND},
        media_type="text/html",
    ),
    Operation(
        "listGames",
        "GET",
        "/api/games",
        "games",
        "List the games that can be played",
        "Read off the cards of the tables: of those that announced themselves, and of those that"
        " the lobby would launch.",
        _ALWAYS,
        GameList,
    ),
    Operation(
        "readGameSpecification",
        "GET",
        "/api/games/{gameType}/spec",
        "games",
        "Read how a game is played",
        "Markdown with YAML front matter and the JSON Schemas of state, action and result. Send its"
        " `ETag` as `If-None-Match` to be told that nothing changed.",
        _ALWAYS | _AGENT | {P.GAME_NOT_FOUND, P.NO_TABLE},
        media_type="text/markdown",
        may_be_unchanged=True,
    ),
)

STREAMS = (
    Operation(
        "streamRoom",
        "GET",
        "/v1/rooms/{roomId}/stream",
        "streams",
        "Follow a room",
        "Server-sent events: `snapshot` first, unless the stream goes on after a cursor that is"
        " known; then `table_event` for every fact, `room_closed` at the end; `lagged` for a"
        " reader who is too slow, and the stream ends. The commentator's feed adds `hand_record`"
        " (or `hand_record_missing`) before the events of each hand. A comment comes as a"
        " heartbeat.",
        _ALWAYS
        | _ROOM
        | _READS
        | {P.OPERATOR_ONLY, P.UNAUTHORIZED, P.TOO_MANY_STREAMS, P.DRAINING},
        parameters=(STREAM_FEED, STREAM_AFTER),
        media_type=EVENT_STREAM,
    ),
    Operation(
        "streamLobby",
        "GET",
        "/v1/stream",
        "streams",
        "Follow the whole lobby",
        "Server-sent events: `snapshot` first, unless the stream goes on after a cursor that is"
        " known; then `room_opened`, `room_closed`, and `table_event` of every room; `lagged` for"
        " a reader who is too slow, and the stream ends. A comment comes as a heartbeat.",
        _ALWAYS | _READS | {P.TOO_MANY_STREAMS, P.DRAINING},
        parameters=(STREAM_AFTER,),
        media_type=EVENT_STREAM,
    ),
)
