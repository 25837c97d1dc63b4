"""Every error of the REST face as one RFC 9457 problem, in one place."""

from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import orjson
from casino_agentkit import Refusal, Violation
from starlette.responses import Response

PROBLEM_JSON = "application/problem+json"


class ProblemType(Enum):
    """Kinds of problems: the last part of `type`, the HTTP status, the title."""

    INVALID_JSON = ("invalid-json", 400, "The body is no JSON object")
    INVALID_REQUEST = ("invalid-request", 422, "The request has faulty fields")
    INVALID_CONFIG = ("invalid-config", 422, "The configuration cannot be played")
    NOT_FOUND = ("not-found", 404, "There is nothing at this address")
    METHOD_NOT_ALLOWED = ("method-not-allowed", 405, "This address does not take that method")
    ROOM_NOT_FOUND = ("room-not-found", 404, "There is no such room")
    ROOM_EXISTS = ("room-exists", 409, "The room exists already")
    ROOM_FULL = ("room-full", 409, "Every seat is taken")
    ROOM_CLOSED = ("room-closed", 409, "The room takes no more commands")
    ROOM_ALREADY_STARTED = ("room-already-started", 409, "The room is playing")
    NOT_ENOUGH_PLAYERS = ("not-enough-players", 409, "Too few players have chips")
    PLAYER_NOT_FOUND = ("player-not-found", 404, "There is no such player here")
    REQUEST_ID_REUSED = ("request-id-reused", 422, "The id names another command")
    DUPLICATE_SEAT = ("duplicate-seat", 409, "The player id is taken")
    TABLE_BUSY = ("table-busy", 409, "The table serves another room")
    PORT_TAKEN = ("port-taken", 409, "The port is in use")
    REFUSED = ("refused", 409, "The command is not possible now")
    AGENT_REFUSED = ("agent-refused", 409, "The other agent said no")
    AGENT_UNREACHABLE = ("agent-unreachable", 502, "The other agent cannot be reached")
    AGENT_CONTRACT_VIOLATION = (
        "agent-contract-violation",
        502,
        "The other agent does not speak the casino protocol",
    )
    AGENT_TIMED_OUT = ("agent-timed-out", 504, "The other agent did not answer in time")
    TOO_MANY_STREAMS = ("too-many-streams", 429, "As many streams are open as may be")
    NO_TABLE = ("no-table", 503, "No table could be provided")
    TABLE_AWAY = ("table-away", 503, "The room's table is away for the moment")
    NOT_KEPT = ("not-kept", 503, "It could not be written down, so it was not done")
    DRAINING = ("draining", 503, "The casino is closing")
    INTERNAL = ("internal", 500, "The lobby failed; the fault is not in the request")

    def __init__(self, slug: str, status: int, title: str) -> None:
        self.slug = slug
        self.status = status
        self.title = title


_BY_REASON = {
    "ALREADY_RUNNING": ProblemType.ROOM_ALREADY_STARTED,
    "BUY_IN_OUT_OF_RANGE": ProblemType.INVALID_CONFIG,
    "CLOSING": ProblemType.ROOM_CLOSED,
    "INVALID_AMOUNT": ProblemType.INVALID_CONFIG,
    "INVALID_BLINDS": ProblemType.INVALID_CONFIG,
    "INVALID_GAME_CONFIG": ProblemType.INVALID_CONFIG,
    "JOURNAL_FAILED": ProblemType.NOT_KEPT,
    "STORE_FAILED": ProblemType.NOT_KEPT,
    "UNKNOWN_PLAYER": ProblemType.PLAYER_NOT_FOUND,
    "PLAYER_ID_TAKEN": ProblemType.DUPLICATE_SEAT,
    "TABLE_DAMAGED": ProblemType.NO_TABLE,
    "TABLE_ID_TAKEN": ProblemType.ROOM_EXISTS,
    "TABLE_IN_USE": ProblemType.TABLE_BUSY,
    "UNKNOWN_GAME": ProblemType.INVALID_CONFIG,
    **{
        kind.name: kind
        for kind in ProblemType
        if kind not in {ProblemType.INTERNAL, ProblemType.REFUSED}
    },
}
"""The reason of a refusal → its problem; any other reason is `refused`."""


@dataclass(frozen=True)
class Problem(Exception):
    """An answer that says what is wrong and what would be right."""

    kind: ProblemType
    detail: str
    errors: tuple[Violation, ...] = ()
    reason: str | None = None
    headers: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, refusal: Refusal) -> "Problem":
        """Return the problem that a refusal is."""
        kind = _BY_REASON.get(refusal.reason, ProblemType.REFUSED)
        return cls(kind, refusal.message, refusal.violations, refusal.reason)

    def json(self) -> dict[str, Any]:
        """Return the problem document."""
        document: dict[str, Any] = {
            "type": f"/problems/{self.kind.slug}",
            "title": self.kind.title,
            "status": self.kind.status,
            "detail": self.detail,
        }
        if self.reason:
            document["reason"] = self.reason
        if self.errors:
            document["errors"] = [
                {"pointer": "#/" + fault.field.replace(".", "/"), "detail": fault.message}
                for fault in self.errors
            ]
        return document

    def response(self) -> Response:
        """Return it as an HTTP response."""
        return Response(
            orjson.dumps(self.json()),
            status_code=self.kind.status,
            media_type=PROBLEM_JSON,
            headers=self.headers,
        )
