"""The problem types of the REST API; `problem_pages.json` has the meaning of each."""

import json
from enum import Enum
from pathlib import Path
from typing import Final

_PAGES: Final[dict[str, str]] = json.loads(
    Path(__file__).with_name("problem_pages.json").read_bytes()
)


class ProblemType(Enum):
    """HTTP status and title of a problem type; its name makes the end of `type`.

    A third value is the default `Retry-After` in seconds, where a retry helps.
    """

    INVALID_JSON = (400, "The body is not a JSON object")
    INVALID_REQUEST = (422, "The request has faulty fields")
    INVALID_CONFIG = (422, "The configuration is not playable")
    UNAUTHORIZED = (401, "The operator's key is missing or wrong")
    OPERATOR_ONLY = (403, "Only the operator may do this")
    NOT_FOUND = (404, "There is nothing at this address")
    ROOM_NOT_FOUND = (404, "There is no such room")
    HAND_NOT_FOUND = (404, "There is no such completed hand")
    GAME_NOT_FOUND = (404, "No table offers this game")
    PLAYER_NOT_FOUND = (404, "There is no such player here")
    MATCH_NOT_FOUND = (404, "There is no such match")
    LEAGUE_NOT_FOUND = (404, "There is no such league")
    METHOD_NOT_ALLOWED = (405, "The method is not allowed at this address")
    ROOM_EXISTS = (409, "The room exists already")
    MATCH_EXISTS = (409, "Another result has this id")
    TOO_MANY_PUBLISHED = (409, "Too many matches or leagues are published")
    TOO_MANY_ROOMS = (409, "Too many rooms are open")
    ROOM_FULL = (409, "Every seat is taken")
    ROOM_CLOSED = (409, "The room does not accept commands")
    ROOM_ALREADY_STARTED = (409, "The room is already playing")
    NOT_ENOUGH_PLAYERS = (409, "Too few players have chips")
    DUPLICATE_SEAT = (409, "The player id is taken")
    TABLE_BUSY = (409, "The table serves another room")
    PORT_TAKEN = (409, "The port is in use")
    HAND_RUNNING = (409, "The hand is still being played")
    AGENT_REFUSED = (409, "The other agent refused")
    REFUSED = (409, "The command is not possible now")
    UNSUPPORTED_MEDIA_TYPE = (415, "The media type of the body is not supported")
    REQUEST_ID_REUSED = (422, "The idempotency key belongs to another command")
    TOO_MANY_REQUESTS = (429, "Too many requests from this address", 1)
    TOO_MANY_STREAMS = (429, "Too many streams are open", 5)
    INTERNAL = (500, "Internal error of the lobby")
    AGENT_UNREACHABLE = (502, "The other agent cannot be reached")
    AGENT_CONTRACT_VIOLATION = (502, "The other agent does not speak the casino protocol")
    NO_TABLE = (503, "No table could be provided", 10)
    TABLE_AWAY = (503, "The room's table is temporarily unreachable", 5)
    NOT_KEPT = (503, "The lobby's store failed", 5)
    DRAINING = (503, "The lobby is shutting down", 30)
    STANDBY = (503, "Another lobby is active", 1)
    AGENT_TIMED_OUT = (504, "The other agent did not answer in time")

    def __init__(self, status: int, title: str, retry_after: int | None = None) -> None:
        self.status, self.title, self.retry_after = status, title, retry_after

    @property
    def meaning(self) -> str:
        return _PAGES[self.name]

    @property
    def slug(self) -> str:
        return self.name.lower().replace("_", "-")

    @property
    def path(self) -> str:
        return f"/problems/{self.slug}"
