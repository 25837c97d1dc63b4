"""Credentials and parameters of a request: token, address, dialect, and where to resume."""

from collections.abc import Sequence

from starlette.requests import HTTPConnection

from casino_gateway.bgp.codes import ErrorCode
from casino_gateway.bgp.refusal import MessageRefused
from casino_gateway.bgp.strict import DIALECT, SUBPROTOCOL

BEARER_SUBPROTOCOL = "bearer."
OWN_SUBPROTOCOL = "bgp"
"""For clients that must name a subprotocol beside the one with the token."""


def bearer(connection: HTTPConnection) -> str | None:
    """Return the bearer token of the header `Authorization`."""
    scheme, _, token = connection.headers.get("authorization", "").partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None


def address(connection: HTTPConnection) -> str:
    """Return the client's address."""
    return connection.client.host if connection.client else ""


def subprotocols(connection: HTTPConnection) -> list[str]:
    """Return the subprotocols that a WebSocket client offers."""
    return [
        name.strip()
        for header in connection.headers.getlist("sec-websocket-protocol")
        for name in header.split(",")
    ]


def token_of(offered: Sequence[str]) -> str | None:
    """Return the token among the offered subprotocols."""
    for name in offered:
        if name.startswith(BEARER_SUBPROTOCOL):
            return name.removeprefix(BEARER_SUBPROTOCOL) or None
    return None


def selected(offered: Sequence[str]) -> str | None:
    """Return the subprotocol that the server selects: a dialect before the one with the token.

    >>> selected(["bearer.x", "bgp"]), selected(["bearer.x"]), selected([])
    ('bgp', 'bearer.x', None)
    """
    for wanted in (SUBPROTOCOL, OWN_SUBPROTOCOL):
        if wanted in offered:
            return wanted
    return next((name for name in offered if name.startswith(BEARER_SUBPROTOCOL)), None)


def is_strict(connection: HTTPConnection, offered: Sequence[str] = ()) -> bool:
    """Return whether the organisation's dialect is asked for; raises MessageRefused."""
    dialect = connection.query_params.get("dialect")
    if dialect not in {None, DIALECT}:
        raise MessageRefused(
            ErrorCode.INVALID_MESSAGE, f"The dialect must be {DIALECT}, or be left out."
        )
    return dialect == DIALECT or SUBPROTOCOL in offered


def after(connection: HTTPConnection) -> int | None:
    """Return the sequence after which pushes resume; raises MessageRefused."""
    text = connection.query_params.get("after")
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= 15):  # noqa: PLR2004  below 2^53
        raise MessageRefused(
            ErrorCode.INVALID_MESSAGE, "after must be the sequence of an event, a whole number."
        )
    return int(text)
