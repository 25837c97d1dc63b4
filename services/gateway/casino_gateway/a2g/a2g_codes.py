"""What all of A2G shares: codes of errors, the refusal that carries one, limits and clocks."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from time import monotonic

from casino_lobby_client.errors import CallFailed, CallRefused, LobbyAway, UnknownRoom
from casino_seats.errors import ActionRefused, RefusedAction

from casino_gateway.errors import GatewayError, ProtocolCode


class A2gCode(ProtocolCode):
    """Protocol codes, each with its HTTP status. The last five are additions of this casino."""

    AUTH_REQUIRED = "AUTH_REQUIRED", 401
    AUTH_EXPIRED = "AUTH_EXPIRED", 401
    AUTH_INVALID = "AUTH_INVALID", 401
    ACCOUNT_NOT_LINKED = "ACCOUNT_NOT_LINKED", 403
    RATE_LIMITED = "RATE_LIMITED", 429
    INTERNAL_ERROR = "INTERNAL_ERROR", 503
    TABLE_NOT_FOUND = "TABLE_NOT_FOUND", 404
    TABLE_FULL = "TABLE_FULL", 409
    GAME_NOT_FOUND = "GAME_NOT_FOUND", 404
    INSUFFICIENT_BALANCE = "INSUFFICIENT_BALANCE", 409
    DUPLICATE_MESSAGE = "DUPLICATE_MESSAGE", 409
    VERSION_UNSUPPORTED = "VERSION_UNSUPPORTED", 400
    INVALID_MESSAGE = "INVALID_MESSAGE", 400
    """A frame or a body that cannot be read; the message names the field and the fix."""
    NOT_PERMITTED = "NOT_PERMITTED", 403
    """The account's permissions, or the gateway's settings, forbid it."""
    SEAT_UNAVAILABLE = "SEAT_UNAVAILABLE", 409
    """The lobby refuses the seat; the message is the lobby's."""
    NOT_FOUND = "NOT_FOUND", 404
    NOT_SUPPORTED = "NOT_SUPPORTED", 501
    """This server does not have it: withdrawals, or sign-in without the extra that it needs."""


class GameCode(StrEnum):
    """Codes of `game_error`."""

    INVALID_ACTION = "INVALID_ACTION"
    INVALID_AMOUNT = "INVALID_AMOUNT"
    NOT_YOUR_TURN = "NOT_YOUR_TURN"
    ROUND_COMPLETE = "ROUND_COMPLETE"
    BETTING_WINDOW_CLOSED = "BETTING_WINDOW_CLOSED"
    TIMEOUT = "TIMEOUT"
    """Informational: the table performs the default action."""


class A2gRefused(GatewayError):
    """A message or a request that is refused with a code of the protocol."""

    def __init__(self, code: A2gCode, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = code.status if status is None else status


def refusal_of(error: CallFailed) -> A2gRefused:
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
    logins_per_address: int = 60
    """Guest logins, challenges and sign-ins a minute, of one address; 0: no limit."""
    authentication: float = 10.0
    heartbeat: float = 30.0
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
