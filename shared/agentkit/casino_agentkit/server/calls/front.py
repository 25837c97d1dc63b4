"""Front of a process for plain typed calls: reads a whole request, and writes a whole response."""

from collections.abc import Callable, Sequence
from contextvars import copy_context
from typing import Final, NamedTuple

from casino_agentkit.authority import Caller, set_caller
from casino_agentkit.protocol import EXTENSION, EXTENSIONS_HEADER, JSON
from casino_agentkit.server.body_limits import BodyLimits, TooLarge
from casino_agentkit.server.browser_guard import PageRules
from casino_agentkit.server.calls.addresses import AgentAddresses
from casino_agentkit.server.calls.known_heads import KnownHeads, PlainHead
from casino_agentkit.server.calls.plain_calls import PlainCalls
from casino_agentkit.server.calls.recognition import PlainCall, recognise

Headers = Sequence[tuple[bytes, bytes]]

_LEAST_HEAD: Final = len("POST / HTTP/1.1\r\n")
_ECHO: Final = f"\r\n{EXTENSIONS_HEADER.lower()}: {EXTENSION}\r\n\r\n".encode()
_END: Final = b"\r\n\r\n"
_FAILED: Final = (
    b"content-type: text/plain; charset=utf-8\r\ncontent-length: 21\r\nconnection: close\r\n\r\n"
    b"Internal Server Error"
)
"""As uvicorn responds where an application fails."""


class PlainRequest(NamedTuple):
    """A whole request with a plain typed call."""

    head: PlainHead
    call: PlainCall
    sender: Caller


class PlainCallFront:
    """Answers plain typed calls without an application; one for all connections of a process.

    `is_open` tells whether it may at this moment; the application answers otherwise.
    """

    def __init__(
        self,
        addresses: AgentAddresses,
        calls: PlainCalls,
        rules: PageRules,
        *,
        body_limits: BodyLimits,
        is_open: Callable[[], bool],
    ) -> None:
        self._addresses = addresses
        self._calls = calls
        self._heads = KnownHeads(addresses, rules)
        self._body_limits = body_limits
        self._is_open = is_open
        self._default_headers: Headers | None = None
        self._status = b""
        """The response up to the length of its body."""

    def request_in(self, data: bytes, address: str) -> PlainRequest | None:
        """Return the request that data is, None if it is not exactly one with a plain call.

        `address` is that of the client.
        """
        if not data.startswith(b"POST "):
            return None
        end = data.find(b"\r\n\r\n", _LEAST_HEAD)
        if end < 0 or not self._is_open():
            return None
        head = self._heads.plain(data, end)
        agent = None if head is None else self._addresses.agent_at(head.path)
        if head is None or agent is None:
            return None
        sender = Caller(head.token or head.capability, address, head.capability, head.is_forwarded)
        try:
            self._body_limits.check(len(data) - end - 4, head.path, sender)
        except TooLarge:  # the application refuses it
            return None
        call = recognise(data[end + 4 :], agent)
        return None if call is None else PlainRequest(head, call, sender)

    async def response(self, request: PlainRequest, default_headers: Headers) -> bytes:
        """Run the call of a request; return the whole response, an error of the call included.

        `default_headers` are those that the server adds to every response.
        """
        body = await self._calls.reply(request.call)
        return self._with_head(body, request.head, default_headers)

    def computed_response(self, request: PlainRequest, default_headers: Headers) -> bytes:
        """Do as `response` for an entrypoint that answers at once.

        It runs in a context of its own, as in a task: what it sets is not seen by the next call.
        """
        body = copy_context().run(self._computed, request.call, request.sender)
        return self._with_head(body, request.head, default_headers)

    def _computed(self, call: PlainCall, sender: Caller) -> bytes:
        set_caller(sender)
        return self._calls.computed_reply(call)

    def _with_head(self, body: bytes, head: PlainHead, default_headers: Headers) -> bytes:
        if default_headers is not self._default_headers:
            self._default_headers = default_headers
            self._status = b"HTTP/1.1 200 OK\r\n%bcontent-type: %b\r\ncontent-length: " % (
                _lines(default_headers),
                JSON.encode(),
            )
        end = _ECHO if head.activated else _END
        return b"%b%d%b%b" % (self._status, len(body), end, body)


def closing(response: bytes) -> bytes:
    """Return a response that says that it is the last one of its connection."""
    return response.replace(_END, b"\r\nconnection: close\r\n\r\n", 1)


def failed_response(default_headers: Headers) -> bytes:
    """Return the response to a call that ended without an answer; it is the connection's last."""
    return b"HTTP/1.1 500 Internal Server Error\r\n%b%b" % (_lines(default_headers), _FAILED)


def _lines(headers: Headers) -> bytes:
    return b"".join([b"%b: %b\r\n" % header for header in headers])
