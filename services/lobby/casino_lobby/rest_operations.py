"""Every operation of the REST face: what it takes, what it gives, what can go wrong.

The routes, the checks of a request and the OpenAPI document are made from this one list.
"""

from casino_contracts import (
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
    TableSummary,
)

from casino_lobby import rest_queries as queries
from casino_lobby.problem_types import ProblemType as P
from casino_lobby.rest_operation import (
    AGENT,
    ALWAYS,
    BODY,
    CLOSING,
    COMMAND,
    EVENT_STREAM,
    READS,
    ROOM,
    TABLE,
    Operation,
)

OPERATIONS = (
    Operation(
        "listRooms",
        "GET",
        "/v1/rooms",
        "rooms",
        "List rooms",
        "The rooms of the lobby, the oldest first. While there are more, `next` is the id to go on"
        " after.",
        ALWAYS | ROOM,
        RoomList,
        parameters=(
            queries.ROOMS_STATUS,
            queries.ROOMS_GAME,
            queries.ROOMS_STATE,
            queries.ROOMS_AFTER,
            queries.ROOMS_LIMIT,
        ),
    ),
    Operation(
        "createRoom",
        "POST",
        "/v1/rooms",
        "rooms",
        "Open a room",
        "On the table of `tableAgentCardUrl`, else on an announced table that is free, else on one"
        " that the lobby launches.",
        ALWAYS
        | COMMAND
        | BODY
        | AGENT
        | {
            P.ROOM_EXISTS,
            P.TOO_MANY_ROOMS,
            P.TABLE_BUSY,
            P.PORT_TAKEN,
            P.NO_TABLE,
            P.DRAINING,
            P.INVALID_CONFIG,
        },
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
        ALWAYS | ROOM,
        RoomSnapshot,
    ),
    Operation(
        "deleteRoom",
        "DELETE",
        "/v1/rooms/{roomId}",
        "rooms",
        "Close a room",
        "It ends after its running hand; everybody leaves with the chips that are his.",
        CLOSING,
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
        CLOSING | {P.INVALID_JSON},
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
        ALWAYS
        | COMMAND
        | BODY
        | TABLE
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
        ALWAYS | COMMAND | TABLE | {P.PLAYER_NOT_FOUND, P.REQUEST_ID_REUSED},
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
        ALWAYS
        | COMMAND
        | BODY
        | TABLE
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
        ALWAYS | ROOM | READS,
        EventPage,
        parameters=(queries.EVENTS_AFTER, queries.EVENTS_LIMIT, queries.EPOCH),
    ),
    Operation(
        "listHands",
        "GET",
        "/v1/rooms/{roomId}/hands",
        "hands",
        "List completed hands",
        "In the order of play, or the newest first.",
        ALWAYS | ROOM | READS,
        HandPage,
        parameters=(queries.HANDS_AFTER, queries.HANDS_LIMIT, queries.HANDS_ORDER),
    ),
    Operation(
        "readHand",
        "GET",
        "/v1/rooms/{roomId}/hands/{handNumber}",
        "hands",
        "Read a completed hand",
        "With every public fact of it.",
        ALWAYS | ROOM | READS | {P.HAND_NOT_FOUND},
        HandDetail,
        parameters=(queries.EPOCH,),
    ),
    Operation(
        "readHandRecord",
        "GET",
        "/v1/rooms/{roomId}/hands/{handNumber}/record",
        "hands",
        "Read the whole record of a completed hand",
        "All cards, the deck, what players thought, the odds by street. For the operator alone.",
        ALWAYS
        | READS
        | TABLE
        | {P.HAND_NOT_FOUND, P.HAND_RUNNING, P.OPERATOR_ONLY, P.UNAUTHORIZED},
        HandRecord,
        parameters=(queries.EPOCH,),
        is_for_operators=True,
    ),
    Operation(
        "listTables",
        "GET",
        "/v1/tables",
        "lobby",
        "List table agents",
        "Those that announced themselves, and those of open rooms.",
        ALWAYS,
        TableList,
    ),
    Operation(
        "readConfig",
        "GET",
        "/v1/config",
        "lobby",
        "Read what this lobby is",
        "Its name, version, limits, and rules to begin with.",
        ALWAYS,
        LobbyInfo,
    ),
    Operation(
        "readProblem",
        "GET",
        "/problems/{slug}",
        "lobby",
        "Read what a problem means",
        "A page for people; a problem's `type` leads to it.",
        ALWAYS | {P.NOT_FOUND},
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
        ALWAYS,
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
        ALWAYS | AGENT | {P.GAME_NOT_FOUND, P.NO_TABLE},
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
        ALWAYS | ROOM | READS | {P.OPERATOR_ONLY, P.UNAUTHORIZED, P.TOO_MANY_STREAMS, P.DRAINING},
        parameters=(queries.STREAM_FEED, queries.STREAM_AFTER),
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
        ALWAYS | READS | {P.TOO_MANY_STREAMS, P.DRAINING},
        parameters=(queries.STREAM_AFTER,),
        media_type=EVENT_STREAM,
    ),
)
