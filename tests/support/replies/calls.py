"""A transport for the length of a test, and calls by it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

from casino_agentkit import HttpTransport

from support.replies.framing import PLAIN
from support.replies.server import Replies, Reply

HELLO: Final[Reply] = (PLAIN,)
NEVER: Final[Reply] = ()
SOON_S: Final = 0.05


@asynccontextmanager
async def transport(**options: Any) -> AsyncIterator[HttpTransport]:
    made = HttpTransport(**options)
    try:
        yield made
    finally:
        await made.close()


async def body_of(
    made: HttpTransport, url: str, method: str = "POST", timeout_s: float = 10
) -> bytes:
    """Return the body of the reply to a request."""
    body = b"{}" if method == "POST" else b""
    return bytes((await made.send(method, url, {}, body, timeout_s)).body)


def first_and_then(first: Reply, then: Reply = HELLO) -> Replies:
    """Return what replies in one way to the first request, and in another to all others."""
    return lambda number: first if number == 1 else then
