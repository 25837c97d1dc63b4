"""Codes of the Boardgame Protocol's errors, their HTTP statuses, and the protocol's limits."""

from enum import StrEnum

from casino_agentkit import KitReason
from casino_agentkit.protocol import INPUT_LIMIT

VERSION = "1.0.0"
"""The protocol's version, as it is written; any 1.x.y is read."""
MESSAGE_BYTES = INPUT_LIMIT
"""Maximum size of a message, in bytes."""
DEEPEST = 32
"""Maximum nesting of objects and arrays in a message, the message included."""


class ErrorCode(StrEnum):
    """`data.code` of a message of type `error`: the message cannot be taken."""

    INVALID_JSON = "INVALID_JSON"
    INVALID_MESSAGE = "INVALID_MESSAGE"
    UNKNOWN_TYPE = "UNKNOWN_TYPE"
    UNSUPPORTED_VERSION = "UNSUPPORTED_VERSION"
    TOO_LARGE = "TOO_LARGE"
    UNAUTHORIZED = KitReason.UNAUTHORIZED.value
    """No token, or one of another seat."""
    NOT_ALLOWED = "NOT_ALLOWED"
    """This gateway opens no rooms for guests."""
    UNKNOWN_MATCH = "UNKNOWN_MATCH"
    GAME_MISMATCH = "GAME_MISMATCH"
    RATE_LIMITED = "RATE_LIMITED"
    LAGGED = "LAGGED"
    """The receiver of pushes is too slow, and was disconnected."""
    LOBBY_UNAVAILABLE = "LOBBY_UNAVAILABLE"
    INTERNAL_ERROR = "INTERNAL_ERROR"


HTTP_STATUS: dict[ErrorCode, int] = {
    ErrorCode.INVALID_JSON: 400,
    ErrorCode.INVALID_MESSAGE: 400,
    ErrorCode.UNKNOWN_TYPE: 400,
    ErrorCode.UNSUPPORTED_VERSION: 400,
    ErrorCode.TOO_LARGE: 413,
    ErrorCode.UNAUTHORIZED: 403,
    ErrorCode.NOT_ALLOWED: 403,
    ErrorCode.UNKNOWN_MATCH: 404,
    ErrorCode.GAME_MISMATCH: 400,
    ErrorCode.RATE_LIMITED: 429,
    ErrorCode.LAGGED: 503,
    ErrorCode.LOBBY_UNAVAILABLE: 503,
    ErrorCode.INTERNAL_ERROR: 500,
}
"""The HTTP status of an error; a request without any token gets 401 instead of 403."""
