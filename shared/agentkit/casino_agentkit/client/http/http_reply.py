"""The reply to an HTTP request, and its body, read up to a limit."""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from aiohttp import StreamReader

from casino_agentkit.errors import ProtocolFault

_READ_AT_ONCE: Final = 65_536
"""A body of at most so many bytes is read in one step; a longer one would be copied by it."""


class HttpReply(NamedTuple):
    """A complete reply, its body at most BODY_LIMIT bytes."""

    status: int
    body: bytes | bytearray  # a bytearray if it is long: it is not copied again
    location: str = ""
    retry_after: str = ""  # the header of this name


async def read_reply(
    url: str,
    status: int,
    headers: Mapping[str, str],
    content: StreamReader,
    close: Callable[[], None],
    body_limit: int,
) -> HttpReply:
    """`close` ends an unread connection. Raises ProtocolFault if it is larger or compressed."""
    encoding = headers.get("Content-Encoding", "identity")
    if encoding.strip().lower() not in {"identity", ""}:
        close()
        raise ProtocolFault(url, f"the reply is encoded ({encoding[:20]}), not identity")
    body = await _read(content, _length(headers), body_limit)
    if body is None:
        close()  # the rest is not read
        raise ProtocolFault(url, f"the reply is larger than {body_limit} bytes")
    return HttpReply(status, body, headers.get("Location", ""), headers.get("Retry-After", ""))


async def _read(content: StreamReader, length: int | None, limit: int) -> bytes | bytearray | None:
    """Return a body; None if it is larger than the limit."""
    if length is not None and length <= min(_READ_AT_ONCE, limit):
        return await content.read()
    body = bytearray()
    if length is None or length <= limit:
        async for chunk in content.iter_any():
            body += chunk
            if len(body) > limit:
                return None  # the caller's error does not keep the body
        return body
    return None


def _length(headers: Mapping[str, str]) -> int | None:
    length = headers.get("Content-Length")
    return None if length is None else int(length)
