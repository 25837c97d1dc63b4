"""Every kind of problem that the REST face knows, each with what it means and what to do."""

from enum import Enum


class ProblemType(Enum):
    """A kind's HTTP status, its title, the text of its page; its name is the end of `type`.

    Where it passes by itself, `retry_after` is when to ask again, in seconds.
    """

    INVALID_JSON = (
        400,
        "The body is no JSON object",
        (
            "The body could not be read as JSON in UTF-8, or is no object. `detail` says where "
            "reading stopped. Send one JSON object, `{}` if you have nothing to say."
        ),
    )
    INVALID_REQUEST = (
        422,
        "The request has faulty fields",
        (
            "A field of the body, a part of the path or a query parameter is unknown or has a "
            "value that it cannot have. `errors` names each, and what would be right. A field "
            "that is not known is refused as well, so that a typo does not go unnoticed."
        ),
    )
    INVALID_CONFIG = (
        422,
        "The configuration cannot be played",
        (
            "Each field is well formed, but together they cannot be played: blinds above the "
            "stacks, a buy-in outside the room's range, an amount that is no multiple of the "
            "table's unit, a game that the table does not have. `detail` says which."
        ),
    )
    UNAUTHORIZED = (
        401,
        "The operator's key is missing or wrong",
        (
            "This lobby has an operator: commands and hand records need the key of "
            "`CASINO_LOBBY_OPERATOR_TOKEN`, and with `CASINO_LOBBY_READERS=operator` reading does "
            "too. Send it as `Authorization: Bearer …`; the `casino` command takes it from "
            "`CASINO_OPERATOR_TOKEN`."
        ),
    )
    OPERATOR_ONLY = (
        403,
        "This lobby shows that to nobody",
        (
            "Hand records and the commentators' feed hold cards that were not shown. They are "
            "closed until the lobby is started with a key in `CASINO_LOBBY_OPERATOR_TOKEN`."
        ),
    )
    NOT_FOUND = (
        404,
        "There is nothing at this address",
        (
            "No operation has this path. `/openapi.json` lists all of them. A slash within an id "
            "is written `%2F`."
        ),
    )
    ROOM_NOT_FOUND = (
        404,
        "There is no such room",
        "No room has this id, or it never opened. `GET /v1/rooms` lists all rooms.",
    )
    HAND_NOT_FOUND = (
        404,
        "There is no such completed hand",
        (
            "The hand was not played to its end (yet), or was cancelled, or belongs to another "
            "epoch of the room, or is kept no longer. `GET /v1/rooms/{id}/hands` lists those that "
            "are there."
        ),
    )
    GAME_NOT_FOUND = (
        404,
        "Nobody here plays that game",
        (
            "No table that announced itself, and none that the lobby would launch, has this game. "
            "`GET /api/games` lists those that can be played; a table that is started with the "
            "game's package brings it."
        ),
    )
    PLAYER_NOT_FOUND = (
        404,
        "There is no such player here",
        (
            "Nobody with this id sits in the room: the id is wrong, or the player has left "
            "already. `GET /v1/rooms/{id}` tells who sits there."
        ),
    )
    METHOD_NOT_ALLOWED = (
        405,
        "This address does not take that method",
        "The header `Allow` lists the methods that it takes.",
    )
    ROOM_EXISTS = (
        409,
        "The room exists already",
        (
            "Another room has this `roomId` or `tableId`. Choose another one, or leave it out and "
            "the lobby chooses. To repeat a command whose answer was lost, send it with the same "
            "`Idempotency-Key`."
        ),
    )
    TOO_MANY_ROOMS = (
        409,
        "Too many rooms are open",
        (
            "The lobby has as many open rooms as `CASINO_LOBBY_ROOMS` allows. Close one that is "
            "not needed, or raise the setting."
        ),
    )
    ROOM_FULL = (
        409,
        "Every seat is taken",
        (
            "The room has as many players as `maxSeats`. Wait until one leaves, or open another "
            "room."
        ),
    )
    ROOM_CLOSED = (
        409,
        "The room takes no more commands",
        (
            "The room is being opened, is closing, is closed or has lost its table for good; "
            "`detail` says which. What was played there can still be read."
        ),
    )
    ROOM_ALREADY_STARTED = (
        409,
        "The room is playing",
        (
            "A session runs. A room whose last seat is taken begins by itself; nothing is to be "
            "done."
        ),
    )
    NOT_ENOUGH_PLAYERS = (
        409,
        "Too few players have chips",
        "A session needs as many players with chips as the game asks for. Register more.",
    )
    DUPLICATE_SEAT = (
        409,
        "The player id is taken",
        "Somebody with this id sits at the table already. Send the command again.",
    )
    TABLE_BUSY = (
        409,
        "The table serves another room",
        (
            "The table agent at `tableAgentCardUrl` has a room. Name another table, or none: then "
            "the lobby finds or launches one."
        ),
    )
    PORT_TAKEN = (
        409,
        "The port is in use",
        (
            "Another process listens on the port that `launchOptions` asks for. Choose another "
            "one, or leave it out."
        ),
    )
    HAND_RUNNING = (
        409,
        "The hand is still being played",
        (
            "The record of a hand holds every card, so it is given when the hand is over. Ask "
            "again after its `hand_completed`."
        ),
    )
    AGENT_REFUSED = (
        409,
        "The other agent said no",
        "A player or a table answered that it will not. Its reason is in `detail`.",
    )
    REFUSED = (
        409,
        "The command is not possible now",
        (
            "The request is right, but not at this moment or not for this room. `reason` is a "
            "stable word for programs, `detail` says what to do."
        ),
    )
    UNSUPPORTED_MEDIA_TYPE = (
        415,
        "The body is of a type that is not taken",
        (
            "A body is JSON, and its `Content-Type` says `application/json`. None is taken as "
            "JSON too, and so is `application/x-www-form-urlencoded`, which curl sends unasked; "
            "no other is, because web pages can send those anywhere."
        ),
    )
    REQUEST_ID_REUSED = (
        422,
        "The id names another command",
        (
            "An `Idempotency-Key` (or `requestId`) names one command for ever. This one was used "
            "for a command with other content. Choose a new one."
        ),
    )
    TOO_MANY_REQUESTS = (
        429,
        "Too many commands from this address",
        (
            "One address may send so many commands a minute (`CASINO_LOBBY_COMMANDS_PER_MINUTE`). "
            "`Retry-After` says in how many seconds the next one is taken. Reading is not "
            "limited."
        ),
        1,
    )
    TOO_MANY_STREAMS = (
        429,
        "Too many streams are open",
        (
            "The lobby feeds as many streams as it can. Close one, or try again later; the same "
            "facts can be read from `/v1/rooms/{id}/events`."
        ),
        5,
    )
    INTERNAL = (
        500,
        "The lobby failed; the fault is not in the request",
        "The lobby's log holds what happened. Please report it.",
    )
    AGENT_UNREACHABLE = (
        502,
        "The other agent cannot be reached",
        (
            "Nobody answers at the card URL of the player or the table, or the connection broke. "
            "See that it runs and that the lobby can reach it by that URL."
        ),
    )
    AGENT_CONTRACT_VIOLATION = (
        502,
        "The other agent does not speak the casino protocol",
        (
            "Its card or its answer is not what the protocol promises; `detail` says where. The "
            "schemas are in docs/reference/schemas."
        ),
    )
    NO_TABLE = (
        503,
        "No table could be provided",
        (
            "No announced table is free and the lobby launched none, or the table's journal is "
            "damaged. Start one more table agent that announces itself, or name one in "
            "`tableAgentCardUrl`."
        ),
        10,
    )
    TABLE_AWAY = (
        503,
        "The room's table is away for the moment",
        "The lobby is looking for the room's table. Try again later; nothing is lost.",
        5,
    )
    NOT_KEPT = (
        503,
        "The lobby's store failed",
        (
            "What was to be kept could not be written down, so it was not done, or what was asked "
            "for could not be read. The disk may be full or the database away: the lobby's log "
            "says why."
        ),
        5,
    )
    DRAINING = (
        503,
        "The casino is closing",
        "The lobby was told to end and takes no more commands. Try again when it runs again.",
        30,
    )
    AGENT_TIMED_OUT = (
        504,
        "The other agent did not answer in time",
        (
            "The player or the table has the connection, but did not answer. Sent again with the "
            "same `Idempotency-Key`, the command is done once at most."
        ),
    )

    def __init__(
        self, status: int, title: str, meaning: str, retry_after: int | None = None
    ) -> None:
        self.status = status
        self.title = title
        self.meaning = meaning
        self.retry_after = retry_after

    @property
    def slug(self) -> str:
        """Its name in an address."""
        return self.name.lower().replace("_", "-")

    @property
    def path(self) -> str:
        """The address of its page, which is the problem's `type`."""
        return f"/problems/{self.slug}"
