"""Errors of the REST API as RFC 9457 problem documents."""

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
"""Refusal reason → problem type; any other reason maps to `REFUSED`."""


@dataclass(frozen=True)
class Problem(Exception):
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
        kind = _BY_REASON.get(refusal.reason, ProblemType.REFUSED)
        if kind not in among and ProblemType.REFUSED in among:
            kind = ProblemType.REFUSED
        retry_after = refusal.details.get("retryAfter", "")
        is_number = retry_after.isascii() and retry_after.isdigit()
        headers = {"Retry-After": retry_after} if is_number else {}
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
