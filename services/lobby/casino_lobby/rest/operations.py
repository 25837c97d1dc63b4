"""Declares every operation of the REST API with its messages and problems.

The routes, the request checks and the OpenAPI document are built from these lists.
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

from casino_lobby.problems.types import ProblemType as P
from casino_lobby.rest import queries
from casino_lobby.rest.operation import (
    AGENT,
    ALWAYS,
    BODY,
    CLOSING,
    COMMAND,
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
        "Returns the rooms of the lobby, oldest first. If the response has `next`, pass it as"
        " `after` to get the next page.",
        ALWAYS | ROOM,
        RoomList,
        parameters=(
            queries.ROOMS_STATUS,
            queries.ROOMS_GAME,
            queries.ROOMS_STATE,
            queries.ROOMS_AFTER,
            queries.ROOMS_LIMIT,
        ),
        who="reader",
    ),
    Operation(
        "createRoom",
        "POST",
        "/v1/rooms",
        "rooms",
        "Create a room",
        "Opens a room at the table of `tableAgentCardUrl`. Without that field, the lobby uses a"
        " free announced table or launches a new one.",
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
        who="operator",
    ),
    Operation(
        "readRoom",
        "GET",
        "/v1/rooms/{roomId}",
        "rooms",
        "Get a room",
        "Returns the room's configuration, its current state and its 200 most recent events.",
        ALWAYS | ROOM,
        RoomSnapshot,
        who="reader",
    ),
    Operation(
        "deleteRoom",
        "DELETE",
        "/v1/rooms/{roomId}",
        "rooms",
        "Close a room",
        "Closes the room after the running hand. Each player leaves with their stack.",
        CLOSING,
        RoomSnapshot,
        202,
        who="operator",
    ),
    Operation(
        "closeRoom",
        "POST",
        "/v1/rooms/{roomId}/close",
        "rooms",
        "Close a room with POST",
        "Equivalent to `DELETE /v1/rooms/{roomId}`, for clients that cannot send `DELETE`.",
        CLOSING | {P.INVALID_JSON},
        RoomSnapshot,
        202,
        NoInput,
        who="operator",
    ),
    Operation(
        "registerPlayer",
        "POST",
        "/v1/rooms/{roomId}/players",
        "players",
        "Register a player",
        "Invites a player agent to sign up and seats it. The room starts automatically when its"
        " last seat is taken.",
        ALWAYS
        | COMMAND
        | BODY
        | TABLE
        | {P.ROOM_FULL, P.INVALID_CONFIG, P.DUPLICATE_SEAT, P.DRAINING},
        RegisteredPlayer,
        201,
        RegisterPlayerInput,
        body_is_needed=True,
        who="operator",
    ),
    Operation(
        "leaveRoom",
        "DELETE",
        "/v1/rooms/{roomId}/players/{playerId}",
        "players",
        "Remove a player",
        "Frees the player's seat, either immediately between hands or after the running hand."
        " Returns the table.",
        ALWAYS | COMMAND | TABLE | {P.PLAYER_NOT_FOUND, P.REQUEST_ID_REUSED},
        TableSummary,
        202,
        LeaveRoomInput,
        who="operator",
    ),
    Operation(
        "startRoom",
        "POST",
        "/v1/rooms/{roomId}/start",
        "rooms",
        "Start a session",
        "Starts a session and returns immediately. `overrides` replaces the room's session length"
        " and blinds for this session.",
        ALWAYS
        | COMMAND
        | BODY
        | TABLE
        | {P.ROOM_ALREADY_STARTED, P.NOT_ENOUGH_PLAYERS, P.INVALID_CONFIG, P.DRAINING},
        TableSummary,
        202,
        StartRoomInput,
        who="operator",
    ),
    Operation(
        "readEvents",
        "GET",
        "/v1/rooms/{roomId}/events",
        "hands",
        "List events",
        "Returns the room's events in order of `sequence`. Cards that were not shown are omitted.",
        ALWAYS | ROOM | READS,
        EventPage,
        parameters=(queries.EVENTS_AFTER, queries.EVENTS_LIMIT, queries.EPOCH),
        who="reader",
    ),
    Operation(
        "listHands",
        "GET",
        "/v1/rooms/{roomId}/hands",
        "hands",
        "List completed hands",
        "Returns completed hands in the order of play, or newest first. If the response has `next`,"
        " pass it as `after` to get the next page.",
        ALWAYS | ROOM | READS,
        HandPage,
        parameters=(queries.HANDS_AFTER, queries.HANDS_LIMIT, queries.HANDS_ORDER),
        who="reader",
    ),
    Operation(
        "readHand",
        "GET",
        "/v1/rooms/{roomId}/hands/{handNumber}",
        "hands",
        "Get a completed hand",
        "Returns the summary and all public events of a hand.",
        ALWAYS | ROOM | READS | {P.HAND_NOT_FOUND},
        HandDetail,
        parameters=(queries.EPOCH,),
        who="reader",
    ),
    Operation(
        "readHandRecord",
        "GET",
        "/v1/rooms/{roomId}/hands/{handNumber}/record",
        "hands",
        "Get the full record of a completed hand",
        "Returns all cards, the deck, the decisions with the players' reasoning, and the odds by"
        " street. Always requires the operator's key.",
        ALWAYS | READS | TABLE | {P.HAND_NOT_FOUND, P.HAND_RUNNING, P.OPERATOR_ONLY},
        HandRecord,
        parameters=(queries.EPOCH,),
        who="operator",
    ),
    Operation(
        "listTables",
        "GET",
        "/v1/tables",
        "lobby",
        "List table agents",
        "Returns the table agents that announced themselves and those of open rooms.",
        ALWAYS,
        TableList,
        who="reader",
    ),
    Operation(
        "readConfig",
        "GET",
        "/v1/config",
        "lobby",
        "Get the lobby's configuration",
        "Returns the lobby's name, version, limits and default room configuration.",
        ALWAYS,
        LobbyInfo,
        who="reader",
    ),
    Operation(
        "readProblem",
        "GET",
        "/problems/{slug}",
        "lobby",
        "Get a problem's documentation",
        "Returns an HTML page that explains a problem type. The `type` of a problem document is"
        " the URL of this page.",
        ALWAYS | {P.NOT_FOUND},
        media_type="text/html",
        who="public",
    ),
    Operation(
        "listGames",
        "GET",
        "/api/games",
        "games",
        "List games",
        "Returns the games that can be played, taken from the agent cards of the announced tables"
        " and of the tables that the lobby can launch.",
        ALWAYS,
        GameList,
        who="public",
    ),
    Operation(
        "readGameSpecification",
        "GET",
        "/api/games/{gameType}/spec",
        "games",
        "Get a game's specification",
        "Returns Markdown with YAML front matter and the JSON Schemas of state, action and result."
        " Send the last `ETag` as `If-None-Match` to get 304 if the specification is unchanged.",
        ALWAYS | AGENT | {P.GAME_NOT_FOUND, P.NO_TABLE},
        media_type="text/markdown",
        may_be_unchanged=True,
        who="public",
    ),
)
