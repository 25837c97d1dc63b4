"""Codes of A2G's errors, and the refusal that carries one."""

from enum import StrEnum, auto
from typing import Any

from casino_lobby_client.errors import CallFailed, CallRefused, LobbyAway, UnknownRoom
from casino_seats.errors import ActionRefused, RefusedAction

from casino_gateway.errors import GatewayError


class _Named(StrEnum):
    """Members whose values are their names."""

    @staticmethod
    def _generate_next_value_(
        name: str,
        start: int,  # noqa: ARG004  the enum module's signature
        count: int,  # noqa: ARG004
        last_values: list[Any],  # noqa: ARG004
    ) -> str:
        return name


class Code(_Named):
    """Protocol codes. The last five are additions of this casino."""

    AUTH_REQUIRED = auto()
    AUTH_EXPIRED = auto()
    AUTH_INVALID = auto()
    ACCOUNT_NOT_LINKED = auto()
    RATE_LIMITED = auto()
    INTERNAL_ERROR = auto()
    TABLE_NOT_FOUND = auto()
    TABLE_FULL = auto()
    GAME_NOT_FOUND = auto()
    INSUFFICIENT_BALANCE = auto()
    DUPLICATE_MESSAGE = auto()
    VERSION_UNSUPPORTED = auto()
    INVALID_MESSAGE = auto()
    """A frame or a body that cannot be read; the message names the field and the fix."""
    NOT_PERMITTED = auto()
    """The account's permissions, or the gateway's settings, forbid it."""
    SEAT_UNAVAILABLE = auto()
    """The lobby refuses the seat; the message is the lobby's."""
    NOT_FOUND = auto()
    NOT_SUPPORTED = auto()
    """This server does not have it: withdrawals, or sign-in without the extra that it needs."""


class GameCode(_Named):
    """Codes of `game_error`."""

    INVALID_ACTION = auto()
    INVALID_AMOUNT = auto()
    NOT_YOUR_TURN = auto()
    ROUND_COMPLETE = auto()
    BETTING_WINDOW_CLOSED = auto()
    TIMEOUT = auto()
    """Informational: the table performs the default action."""


STATUSES = {
    Code.AUTH_REQUIRED: 401,
    Code.AUTH_EXPIRED: 401,
    Code.AUTH_INVALID: 401,
    Code.ACCOUNT_NOT_LINKED: 403,
    Code.RATE_LIMITED: 429,
    Code.INTERNAL_ERROR: 503,
    Code.TABLE_NOT_FOUND: 404,
    Code.TABLE_FULL: 409,
    Code.GAME_NOT_FOUND: 404,
    Code.INSUFFICIENT_BALANCE: 409,
    Code.DUPLICATE_MESSAGE: 409,
    Code.VERSION_UNSUPPORTED: 400,
    Code.INVALID_MESSAGE: 400,
    Code.NOT_PERMITTED: 403,
    Code.SEAT_UNAVAILABLE: 409,
    Code.NOT_FOUND: 404,
    Code.NOT_SUPPORTED: 501,
}
"""The HTTP status of each code."""


class A2gRefused(GatewayError):
    """A message or a request that is refused with a code of the protocol."""

    def __init__(self, code: Code, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = STATUSES[code] if status is None else status


def refusal_of(error: CallFailed) -> A2gRefused:
    """Return an error of the gateway as A2G says it."""
    match error:
        case A2gRefused():
            return error
        case UnknownRoom():
            return A2gRefused(
                Code.TABLE_NOT_FOUND, str(error) or "no such room: GET /api/lobby lists them"
            )
        case CallRefused():
            full = error.reason.endswith("_FULL")
            code = Code.TABLE_FULL if full else Code.SEAT_UNAVAILABLE
            return A2gRefused(code, f"{error.reason}: {error.message}", error.status)
        case LobbyAway():
            return A2gRefused(Code.INTERNAL_ERROR, f"{error}; try again later")
    return A2gRefused(Code.INTERNAL_ERROR, "the gateway failed to do that; try again later")


def game_code_of(refused: ActionRefused, *, is_window: bool, is_hand_over: bool) -> GameCode:
    """Return the code of a refused action.

    `is_window`: the game is phase-based. `is_hand_over`: no hand is played at the table.
    """
    match refused.reason:
        case RefusedAction.ILLEGAL_ACTION:
            return GameCode.INVALID_ACTION
        case RefusedAction.INVALID_AMOUNT:
            return GameCode.INVALID_AMOUNT
        case RefusedAction.MATCH_ENDED:
            return GameCode.ROUND_COMPLETE
    if is_window:
        return GameCode.BETTING_WINDOW_CLOSED
    return GameCode.ROUND_COMPLETE if is_hand_over else GameCode.NOT_YOUR_TURN
