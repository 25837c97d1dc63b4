"""The problem types of the REST API: HTTP status, title and meaning of each."""

from enum import Enum


class ProblemType(Enum):
    """HTTP status, title and page text of a problem type; its name makes the end of `type`.

    A fourth value is the default `Retry-After` in seconds, where a retry helps.
    """

    INVALID_JSON = (
        400,
        "The body is not a JSON object",
        (
            "The body is not valid UTF-8 encoded JSON, or is not an object. `detail` gives the "
            "position of the error. Send one JSON object; it may be empty (`{}`)."
        ),
    )
    INVALID_REQUEST = (
        422,
        "The request has faulty fields",
        (
            "A body field, path parameter or query parameter is unknown or has an invalid value. "
            "`errors` lists each with the values it accepts. Unknown fields are rejected so that "
            "typos do not go unnoticed."
        ),
    )
    INVALID_CONFIG = (
        422,
        "The configuration is not playable",
        (
            "Each field is valid, but the combination is not. Examples are blinds above the "
            "stacks, a buy-in outside the room's range, an amount that is not a multiple of the "
            "table's unit, and a game that the table does not offer. `detail` names the cause."
        ),
    )
    UNAUTHORIZED = (
        401,
        "The operator's key is missing or wrong",
        (
            "The request needs the operator's key, set in `CASINO_LOBBY_OPERATOR_TOKEN`. "
            "Commands and hidden cards need it, and with `CASINO_LOBBY_READERS=operator` all "
            "other reads do too. Send it as `Authorization: Bearer …`. The `casino` command reads "
            "it from `CASINO_OPERATOR_TOKEN`."
        ),
    )
    OPERATOR_ONLY = (
        403,
        "Only the operator may do this",
        (
            "Hand records and the commentator feed contain hidden cards: a lobby without a key in "
            "`CASINO_LOBBY_OPERATOR_TOKEN` shows them to nobody. The key of a service, such as the "
            "gateway, allows only what `detail` does not name; the operator's key allows it."
        ),
    )
    NOT_FOUND = (
        404,
        "There is nothing at this address",
        "No operation has this path; `/openapi.json` lists all. Write a slash in an id as `%2F`.",
    )
    ROOM_NOT_FOUND = (
        404,
        "There is no such room",
        "The lobby has no room with this id. `GET /v1/rooms` lists all rooms.",
    )
    HAND_NOT_FOUND = (
        404,
        "There is no such completed hand",
        (
            "The hand is not completed, was cancelled, belongs to another epoch of the room, or "
            "is no longer stored. `GET /v1/rooms/{id}/hands` lists the completed hands."
        ),
    )
    GAME_NOT_FOUND = (
        404,
        "No table offers this game",
        (
            "Neither a room's table, an announced one nor those that the lobby launches offer this "
            "game. `GET /api/games` lists the available games. To add one, start a table with the "
            "game's package installed."
        ),
    )
    PLAYER_NOT_FOUND = (
        404,
        "There is no such player here",
        (
            "No player with this id is seated in the room: the id is wrong, or the player has "
            "left. `GET /v1/rooms/{id}` lists the seated players."
        ),
    )
    MATCH_NOT_FOUND = (
        404,
        "There is no such match",
        "No match with this id is published here. `GET /v1/matches` lists all matches.",
    )
    LEAGUE_NOT_FOUND = (
        404,
        "There is no such league",
        "No league with this id is published here. `GET /v1/leagues` lists all leagues.",
    )
    METHOD_NOT_ALLOWED = (
        405,
        "The method is not allowed at this address",
        "The path exists, but not with this method. The header `Allow` lists the allowed ones.",
    )
    ROOM_EXISTS = (
        409,
        "The room exists already",
        (
            "Another room has this `roomId` or `tableId`. Choose another one, or omit it and "
            "the lobby chooses one. To retry a command whose response was lost, send it with the "
            "same `Idempotency-Key`."
        ),
    )
    MATCH_EXISTS = (
        409,
        "Another result has this id",
        (
            "A match with this id and another digest is published. Choose another id, or send the "
            "digest of the published one in `If-Match` to replace it."
        ),
    )
    TOO_MANY_PUBLISHED = (
        409,
        "Too many matches or leagues are published",
        "The lobby keeps no more of them. Delete some that nobody needs any more.",
    )
    TOO_MANY_ROOMS = (
        409,
        "Too many rooms are open",
        "The open rooms have reached the limit `CASINO_LOBBY_ROOMS`. Close one, or raise it.",
    )
    ROOM_FULL = (
        409,
        "Every seat is taken",
        "The room has `maxSeats` players. Wait until one leaves, or create another room.",
    )
    ROOM_CLOSED = (
        409,
        "The room does not accept commands",
        (
            "The room is opening, closing or closed, or has lost its table permanently. `detail` "
            "says which. Its events and hands can still be read."
        ),
    )
    ROOM_ALREADY_STARTED = (
        409,
        "The room is already playing",
        "A session is running already: a room starts by itself when its last seat is taken.",
    )
    NOT_ENOUGH_PLAYERS = (
        409,
        "Too few players have chips",
        "A session needs at least the game's minimum of players with chips. Register more.",
    )
    DUPLICATE_SEAT = (
        409,
        "The player id is taken",
        "A player with this id is already seated at the table. Send the command again.",
    )
    TABLE_BUSY = (
        409,
        "The table serves another room",
        (
            "The table agent at `tableAgentCardUrl` already has a room. Name another table, or "
            "omit the field to let the lobby find or launch one."
        ),
    )
    PORT_TAKEN = (
        409,
        "The port is in use",
        "Another process listens on the port of `launchOptions`. Choose another one, or omit it.",
    )
    HAND_RUNNING = (
        409,
        "The hand is still being played",
        (
            "The record of a hand contains every card, so it is available only after the hand. "
            "Send the request again after the event `hand_completed`."
        ),
    )
    AGENT_REFUSED = (
        409,
        "The other agent refused",
        "A player or table agent refused the request. `detail` gives its reason.",
    )
    REFUSED = (
        409,
        "The command is not possible now",
        (
            "The request is valid, but not at this moment or not for this room. `reason` is a "
            "stable code for programs; `detail` says what to do."
        ),
    )
    UNSUPPORTED_MEDIA_TYPE = (
        415,
        "The media type of the body is not supported",
        (
            "The body must be JSON with the `Content-Type` `application/json`. A missing "
            "`Content-Type` and curl's default, `application/x-www-form-urlencoded`, are accepted "
            "as JSON too."
        ),
    )
    REQUEST_ID_REUSED = (
        422,
        "The idempotency key belongs to another command",
        (
            "This `Idempotency-Key` (or `requestId`) was already used for a command with other "
            "content. Send a new key with each new command."
        ),
    )
    TOO_MANY_REQUESTS = (
        429,
        "Too many requests from this address",
        (
            "This address has used up its budget of requests "
            "(`CASINO_LOBBY_COMMANDS_PER_MINUTE`). Reads count by the size of their responses. "
            "Wait for the number of seconds in `Retry-After`. Requests with the operator's key "
            "are not limited."
        ),
        1,
    )
    TOO_MANY_STREAMS = (
        429,
        "Too many streams are open",
        (
            "The number of open streams has reached the limit of the lobby or of this address. "
            "Close a stream, or try again later. `GET /v1/rooms/{id}/events` returns the same "
            "events."
        ),
        5,
    )
    INTERNAL = (
        500,
        "Internal error of the lobby",
        "The lobby failed to handle a valid request. Its log has the details; please report it.",
    )
    AGENT_UNREACHABLE = (
        502,
        "The other agent cannot be reached",
        (
            "The player or table does not respond at its agent card URL, or the connection broke. "
            "Check that it is running and that the lobby can reach it by that URL."
        ),
    )
    AGENT_CONTRACT_VIOLATION = (
        502,
        "The other agent does not speak the casino protocol",
        (
            "The agent card or a response of the agent violates the protocol. `detail` names the "
            "field. The schemas are in docs/reference/schemas."
        ),
    )
    NO_TABLE = (
        503,
        "No table could be provided",
        (
            "No announced table is free and the lobby cannot launch one, or the table's journal "
            "is damaged. Start another table agent that announces itself, or name one in "
            "`tableAgentCardUrl`."
        ),
        10,
    )
    TABLE_AWAY = (
        503,
        "The room's table is temporarily unreachable",
        "The lobby is reconnecting to the room's table. Try again later; no data is lost.",
        5,
    )
    NOT_KEPT = (
        503,
        "The lobby's store failed",
        (
            "The lobby could not write to its store, so the command had no effect, or it could "
            "not read the requested data. The disk may be full or the database unreachable; the "
            "lobby's log has the cause."
        ),
        5,
    )
    DRAINING = (
        503,
        "The lobby is shutting down",
        "The lobby is shutting down and accepts no commands. Try again after its restart.",
        30,
    )
    STANDBY = (
        503,
        "Another lobby is active",
        "Another lobby is active on this database. Send the request again, to the shared address.",
        1,
    )
    AGENT_TIMED_OUT = (
        504,
        "The other agent did not answer in time",
        (
            "The player or table accepted the connection, but did not respond in time. Retry with "
            "the same `Idempotency-Key`: the command is executed at most once."
        ),
    )

    def __init__(self, status: int, title: str, page: str, retry_after: int | None = None) -> None:
        self.status, self.title, self.meaning, self.retry_after = status, title, page, retry_after

    @property
    def slug(self) -> str:
        """Name in URLs."""
        return self.name.lower().replace("_", "-")

    @property
    def path(self) -> str:
        """Path of its page; the `type` of its problem documents."""
        return f"/problems/{self.slug}"
