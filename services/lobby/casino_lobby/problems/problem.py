"""Every error of the REST face as one RFC 9457 problem, in one place."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

import orjson
from casino_agentkit import CommandRefused, Violation
from starlette.responses import Response

from casino_lobby.problems.types import ProblemType

__all__ = ["PROBLEM_JSON", "Problem", "ProblemType"]

PROBLEM_JSON = "application/problem+json"


_BY_REASON = {
    "ALREADY_RUNNING": ProblemType.ROOM_ALREADY_STARTED,
    "BUY_IN_OUT_OF_RANGE": ProblemType.INVALID_CONFIG,
    "CLOSING": ProblemType.ROOM_CLOSED,
    "FORBIDDEN": ProblemType.AGENT_REFUSED,
    "INVALID_AMOUNT": ProblemType.INVALID_CONFIG,
    "INVALID_BLINDS": ProblemType.INVALID_CONFIG,
    "INVALID_GAME_CONFIG": ProblemType.INVALID_CONFIG,
    "JOURNAL_FAILED": ProblemType.NOT_KEPT,
    "STORE_FAILED": ProblemType.NOT_KEPT,
    "UNKNOWN_HAND": ProblemType.HAND_NOT_FOUND,
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
    def of(cls, refusal: CommandRefused, among: Collection[ProblemType] = ()) -> "Problem":
        """Return the problem that a refusal is.

        `among` are those that the operation may answer with: a table's or a player's reason never
        dresses up as an answer that the lobby does not give there.
        `retryAfter` in the refusal's details is when to ask again, in seconds.
        """
        kind = _BY_REASON.get(refusal.reason, ProblemType.REFUSED)
        if kind not in among and ProblemType.REFUSED in among:
            kind = ProblemType.REFUSED
        later = refusal.details.get("retryAfter", "")
        headers = {"Retry-After": later} if later.isascii() and later.isdigit() else {}
        return cls(kind, refusal.message, refusal.violations, refusal.reason, headers)

    def json(self) -> dict[str, Any]:
        """Return the problem document."""
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
        """Return it as an HTTP response."""
        headers = dict(self.headers)
        if self.kind.retry_after is not None:
            headers.setdefault("Retry-After", str(self.kind.retry_after))
        if self.kind is ProblemType.UNAUTHORIZED:
            headers["WWW-Authenticate"] = "Bearer"
        return Response(
            orjson.dumps(self.json()),
            status_code=self.kind.status,
            media_type=PROBLEM_JSON,
            headers=headers,
        )


def _pointer(field: str) -> str:
    return "#/" + field.replace(".", "/")
