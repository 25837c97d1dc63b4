"""Errors of the REST API: types, RFC 9457 problem documents, and the pages that explain them.

`problem_pages.json` has the meaning of each type.
"""

import json
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from enum import Enum
from html import escape
from pathlib import Path
from typing import Any, Final

import orjson
from casino_agentkit import CommandRefused, KitReason, Violation
from casino_contracts import Reason
from starlette.responses import Response

from casino_lobby.errors import LobbyError

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
    NO_PROOF = (404, "Nobody can check the deal of this hand")
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


PROBLEM_JSON = "application/problem+json"

PROBLEM_BY_REASON: dict[str, ProblemType] = {
    Reason.ALREADY_RUNNING: ProblemType.ROOM_ALREADY_STARTED,
    Reason.BUY_IN_OUT_OF_RANGE: ProblemType.INVALID_CONFIG,
    Reason.CLOSING: ProblemType.ROOM_CLOSED,
    KitReason.FORBIDDEN: ProblemType.AGENT_REFUSED,
    Reason.INVALID_AMOUNT: ProblemType.INVALID_CONFIG,
    Reason.INVALID_BLINDS: ProblemType.INVALID_CONFIG,
    Reason.INVALID_GAME_CONFIG: ProblemType.INVALID_CONFIG,
    Reason.JOURNAL_FAILED: ProblemType.NOT_KEPT,
    Reason.STORE_FAILED: ProblemType.NOT_KEPT,
    Reason.SEAT_OUT_OF_RANGE: ProblemType.INVALID_CONFIG,
    Reason.SPECIFICATION_UNAVAILABLE: ProblemType.AGENT_REFUSED,
    Reason.UNKNOWN_HAND: ProblemType.HAND_NOT_FOUND,
    Reason.UNKNOWN_PLAYER: ProblemType.PLAYER_NOT_FOUND,
    Reason.PLAYER_ID_TAKEN: ProblemType.DUPLICATE_SEAT,
    Reason.TABLE_DAMAGED: ProblemType.NO_TABLE,
    Reason.TABLE_ID_TAKEN: ProblemType.ROOM_EXISTS,
    Reason.TABLE_IN_USE: ProblemType.TABLE_BUSY,
    Reason.UNKNOWN_GAME: ProblemType.INVALID_CONFIG,
    # Of events, of the table alone, or too rare for a type of their own.
    Reason.DEAL_REFUSED: ProblemType.REFUSED,
    Reason.EVENT_TOO_LARGE: ProblemType.REFUSED,
    Reason.EVENT_UNREADABLE: ProblemType.REFUSED,
    Reason.HAND_UNFINISHED: ProblemType.REFUSED,
    Reason.INVALID_PLAN: ProblemType.REFUSED,
    Reason.INVALID_SEATS: ProblemType.REFUSED,
    Reason.JOURNAL_DAMAGED: ProblemType.REFUSED,
    Reason.JOURNAL_HELD: ProblemType.REFUSED,
    Reason.NOT_CONFIGURED: ProblemType.REFUSED,
    Reason.SEQUENCE_CONFLICT: ProblemType.REFUSED,
    Reason.SEQUENCE_GAP: ProblemType.REFUSED,
    Reason.SEQUENCE_MISSING: ProblemType.REFUSED,
    Reason.STALE_EPOCH: ProblemType.REFUSED,
    Reason.TABLE_ERROR: ProblemType.REFUSED,
    Reason.TABLE_FULL: ProblemType.REFUSED,
    Reason.TABLE_UNPROVEN: ProblemType.REFUSED,
    Reason.TOO_MANY_MATCHES: ProblemType.REFUSED,
    Reason.TOO_MANY_TABLES: ProblemType.REFUSED,
    Reason.UNKNOWN_TABLE: ProblemType.REFUSED,
    Reason.UNSUPPORTED: ProblemType.REFUSED,
    **{
        kind.name: kind
        for kind in ProblemType
        if kind not in {ProblemType.INTERNAL, ProblemType.REFUSED}
    },
}
"""Refusal reason → problem type, complete for ours; the reason of another agent is `REFUSED`."""

_STYLE = (
    "body{font:1rem/1.5 system-ui,sans-serif;max-width:42rem;margin:3rem auto;padding:0 1rem;"
    "color-scheme:light dark}code{font-family:ui-monospace,monospace}"
)
_INTRODUCTION = """\
# Problems

Every error of the lobby's REST API is an [RFC 9457](https://www.rfc-editor.org/rfc/rfc9457) \
problem document, `application/problem+json`:

```json
{"type": "/problems/room-full", "title": "Every seat is taken", "status": 409,
 "detail": "All 6 seats are taken.", "reason": "ROOM_FULL"}
```

- `type` identifies the problem and is the path of its page at the lobby.
- `detail` explains this occurrence in plain text and says what to do.
- `reason` is a stable upper-case code.
- `errors` lists the invalid fields, each with a JSON pointer.
- The header `Retry-After` gives the seconds until a retry, if a retry helps.

This page is generated from the lobby's problem types by `make reference`.
"""


@dataclass(frozen=True)
class Problem(LobbyError):
    """An error response; `detail` says what is wrong and what to do."""

    kind: ProblemType
    detail: str
    errors: tuple[Violation, ...] = ()
    reason: str | None = None
    headers: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, refusal: CommandRefused, among: Collection[ProblemType] = ()) -> "Problem":
        """Return the problem for a refusal.

        `among` are the operation's problems. If they include `REFUSED`, it replaces any type
        outside of them, so an agent cannot cause a response that the operation does not document.
        `retryAfter` in the refusal's details, in seconds, becomes the header `Retry-After`.
        """
        kind = PROBLEM_BY_REASON.get(refusal.reason, ProblemType.REFUSED)
        if kind not in among and ProblemType.REFUSED in among:
            kind = ProblemType.REFUSED
        retry_after = refusal.details.get("retryAfter", "")
        is_number = retry_after.isascii() and retry_after.isdigit()
        headers = {"Retry-After": retry_after} if is_number else {}
        return cls(kind, refusal.message, refusal.violations, refusal.reason, headers)

    def json(self) -> dict[str, Any]:
        document: dict[str, Any] = {
            "type": self.kind.path,
            "title": self.kind.title,
            "status": self.kind.status,
            "detail": self.detail,
        }
        if self.reason:
            document["reason"] = self.reason
        if self.errors:
            document["errors"] = [
                {"pointer": _pointer(fault.field), "detail": fault.message} for fault in self.errors
            ]
        return document

    def response(self) -> Response:
        return Response(
            orjson.dumps(self.json()),
            status_code=self.kind.status,
            media_type=PROBLEM_JSON,
            headers=self.all_headers(),
        )

    def all_headers(self) -> dict[str, str]:
        """With those that every problem of its type has."""
        headers = dict(self.headers)
        if self.kind.retry_after is not None:
            headers.setdefault("Retry-After", str(self.kind.retry_after))
        if self.kind is ProblemType.UNAUTHORIZED:
            headers["WWW-Authenticate"] = "Bearer"
        return headers


def _pointer(field: str) -> str:
    return "#/" + field.replace(".", "/")


def html_page(kind: ProblemType) -> str:
    title, meaning = escape(kind.title), _with_code(escape(kind.meaning))
    return (
        f'<!doctype html>\n<html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{title}</title><style>{_STYLE}</style>\n"
        f"<h1>{title}</h1>\n<p>{meaning}</p>\n"
        f"<p>HTTP status {kind.status}, type <code>{kind.path}</code>.{_retry_hint(kind)}</p>\n"
        '<p><a href="/openapi.json">All operations</a></p></html>\n'
    )


def markdown_page() -> str:
    parts = [_INTRODUCTION]
    for kind in sorted(ProblemType, key=lambda kind: (kind.status, kind.slug)):
        meaning = "\n".join(re.split(r"(?<=\.) ", kind.meaning))
        parts.append(f"## {kind.slug}\n\n**{kind.status} {kind.title}.**\n{meaning}\n")
    return "\n".join(parts)


def _retry_hint(kind: ProblemType) -> str:
    return "" if kind.retry_after is None else " Retry after <code>Retry-After</code> seconds."


def _with_code(text: str) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", text)
