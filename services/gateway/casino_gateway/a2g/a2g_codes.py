"""What all of A2G shares: codes of errors, the refusal that carries one, limits and clocks."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum, auto
from time import monotonic
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


class A2gCode(_Named):
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
    A2gCode.AUTH_REQUIRED: 401,
    A2gCode.AUTH_EXPIRED: 401,
    A2gCode.AUTH_INVALID: 401,
    A2gCode.ACCOUNT_NOT_LINKED: 403,
    A2gCode.RATE_LIMITED: 429,
    A2gCode.INTERNAL_ERROR: 503,
    A2gCode.TABLE_NOT_FOUND: 404,
    A2gCode.TABLE_FULL: 409,
    A2gCode.GAME_NOT_FOUND: 404,
    A2gCode.INSUFFICIENT_BALANCE: 409,
    A2gCode.DUPLICATE_MESSAGE: 409,
    A2gCode.VERSION_UNSUPPORTED: 400,
    A2gCode.INVALID_MESSAGE: 400,
    A2gCode.NOT_PERMITTED: 403,
    A2gCode.SEAT_UNAVAILABLE: 409,
    A2gCode.NOT_FOUND: 404,
    A2gCode.NOT_SUPPORTED: 501,
}
"""The HTTP status of each code."""


class A2gRefused(GatewayError):
    """A message or a request that is refused with a code of the protocol."""

    def __init__(self, code: A2gCode, message: str, status: int | None = None) -> None:
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
                A2gCode.TABLE_NOT_FOUND, str(error) or "no such room: GET /api/lobby lists them"
            )
        case CallRefused():
            full = error.reason.endswith("_FULL")
            code = A2gCode.TABLE_FULL if full else A2gCode.SEAT_UNAVAILABLE
            return A2gRefused(code, f"{error.reason}: {error.message}", error.status)
        case LobbyAway():
            return A2gRefused(A2gCode.INTERNAL_ERROR, f"{error}; try again later")
    return A2gRefused(A2gCode.INTERNAL_ERROR, "the gateway failed to do that; try again later")


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


@dataclass(frozen=True, slots=True)
class A2gLimits:
    """Limits of the protocol's edges. Times in seconds."""

    reconnect: float = 120.0
    """How long a seat is kept for a client that is gone."""
    create_rooms: bool = False
    """Whether logins may open rooms."""
    logins_per_address: int = 60
    """Guest logins, challenges and sign-ins a minute, of one address; 0: no limit."""
    authentication: float = 10.0
    """How long a socket may take to authenticate."""
    heartbeat: float = 30.0
    """Time between the server's pings."""
    messages_per_second: float = 50.0
    """Messages of one socket, on average; a burst may have five times as many. Actions that the
    table takes are not counted."""
    hold: float = 5.0
    """How long a hand's first question waits at most for the result of the hand before; at most a
    quarter of its time."""
    seats_per_login: int = 8


@dataclass(frozen=True, slots=True)
class Clocks:
    """The time of the day, and monotonic seconds."""

    wall: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))
    monotonic: Callable[[], float] = monotonic

    def at_ms(self) -> int:
        """Return the milliseconds since 1970."""
        return milliseconds(self.wall())


def milliseconds(at: datetime) -> int:
    """Return a time as milliseconds since 1970.

    >>> milliseconds(datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC))
    1000
    """
    return round(at.timestamp() * 1000)
