"""What a client makes of a reply."""

import ssl
from typing import Final, NamedTuple

from casino_agentkit import AgentError, HttpReply, HttpTransport

LIMIT: Final = 70_000
"""The largest body that is read: above the size of one read."""
_TLS: Final = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""Not used, and made faster than one with the system's authorities."""


class Verdict(NamedTuple):
    """A reply as it was read, or the error."""

    status: int = 0
    body: bytes = b""
    location: str = ""
    retry_after: str = ""
    error: str = ""


def transports() -> tuple[HttpTransport, HttpTransport]:
    """Return a transport that calls plain http by the lean client, and one that does by aiohttp."""
    lean = HttpTransport(tls=_TLS, body_limit=LIMIT)
    return lean, HttpTransport(tls=_TLS, body_limit=LIMIT, is_lean=False)


async def verdict(
    transport: HttpTransport, method: str, url: str, body: bytes = b"", timeout_s: float = 20
) -> Verdict:
    """Send a request; return what comes of it."""
    headers = {"Content-Type": "application/json"}
    try:
        reply = await transport.send(method, url, headers, body, timeout_s)
    except AgentError as error:
        return Verdict(error=f"{type(error).__name__}: {error.message}")
    return of_reply(reply)


def of_reply(reply: HttpReply) -> Verdict:
    return Verdict(reply.status, bytes(reply.body), reply.location, reply.retry_after)
