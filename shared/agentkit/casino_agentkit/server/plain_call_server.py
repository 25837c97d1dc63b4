"""HTTP/1.1 protocol that answers plain typed calls itself, each with one write.

A request that arrives in one read and is a plain call takes no part of the HTTP parser and of the
application. Every other request is parsed as before.

Heads are judged once, then known by their bytes. A head is plain if nothing in it concerns anybody
but the agent that is called: whose RPC endpoint its path is, and whether that is a capability
address. All other heads are judged by the HTTP parser and the application, every time.
"""

import asyncio
import re
from collections.abc import Callable, Sequence
from contextvars import copy_context
from math import inf
from typing import ClassVar, Final, NamedTuple

from casino_agentkit.authority import Caller, set_caller
from casino_agentkit.protocol import EXTENSION, EXTENSIONS_HEADER, JSON, VERSION_HEADER
from casino_agentkit.server.call_execution import PlainCall, PlainCalls, recognise
from casino_agentkit.server.connections import Connections
from casino_agentkit.server.fast_path import CALL_VERSION, AgentAddresses, CallHead, Header, head_of
from casino_agentkit.server.http_protocol import LimitedProtocol
from casino_agentkit.server.request_guard import BodyLimits, PageRules, TooLarge
from casino_agentkit.server.server_limits import ServerLimits

Headers = Sequence[Header]

_LEAST_HEAD: Final = len("POST / HTTP/1.1\r\n")
_ECHO: Final = f"\r\n{EXTENSIONS_HEADER.lower()}: {EXTENSION}\r\n\r\n".encode()
_END: Final = b"\r\n\r\n"
_FAILED: Final = (
    b"content-type: text/plain; charset=utf-8\r\ncontent-length: 21\r\nconnection: close\r\n\r\n"
    b"Internal Server Error"
)
"""As uvicorn responds where an application fails."""

_MOST_BYTES: Final = 2_048  # the longest head that is remembered
_REMEMBERED: Final = 2_048  # heads that are remembered; the oldest is forgotten first
_MOST_HEADERS: Final = 32
_FIRST_LINE: Final = re.compile(rb"POST (/[A-Za-z0-9._~/-]*) HTTP/1\.1")
"""Nothing that a server decodes, and no query."""
_HEADER: Final = re.compile(rb"([A-Za-z0-9-]+):[ \t]*([\x20-\x7e]*)")
_LENGTH: Final = b"content-length"
_LENGTH_LINE: Final = re.compile(rb"content-length: ?([0-9]{1,8})", re.IGNORECASE)
_KEEP_ALIVE: Final = (b"connection", b"keep-alive")
_OF_THE_CONNECTION: Final = frozenset(
    {
        b"connection",
        b"expect",
        b"proxy-connection",  # the parser reads it as `connection`
        b"te",
        b"trailer",
        b"transfer-encoding",
        b"upgrade",
    }
)
_SINGLE: Final = frozenset({b"host", _LENGTH, VERSION_HEADER.lower().encode(), b"authorization"})


class HeadCache:
    """Judges heads by the rules of web pages and the addresses of agents, and remembers them.

    The length of the body may differ between two requests with equal heads, if it is in the last
    header, where most clients write it.
    """

    def __init__(self, addresses: AgentAddresses, rules: PageRules) -> None:
        self._addresses = addresses
        self._rules = rules
        self._heads: dict[bytes, CallHead] = {}

    def __len__(self) -> int:
        return len(self._heads)

    def plain(self, request: bytes, end: int) -> CallHead | None:
        """None, unless the head is plain and exactly the body that it announces follows `end`."""
        last = request.rfind(b"\r\n", 0, end)
        length = _LENGTH_LINE.fullmatch(request, last + 2, end)
        if length is None or int(length[1]) != len(request) - end - 4:
            return None
        kept = self._heads.get(request[:last])
        return kept if kept is not None else self._judged(request[:last])

    def _judged(self, head: bytes) -> CallHead | None:
        """Return what a head without its last line says, and remember it; None if not plain."""
        if len(head) > _MOST_BYTES:
            return None
        first, *lines = head.split(b"\r\n")
        target = _FIRST_LINE.fullmatch(first)
        headers = _headers(lines)
        if target is None or headers is None or not _are_plain(headers):
            return None
        if self._rules.objection(headers, changes=True) is not None:
            return None
        judged = head_of(target[1].decode(), headers, self._addresses)
        if judged.version != CALL_VERSION or self._addresses.agent_at(judged.path) is None:
            return None
        if judged.traceparent:  # another one in each call
            return judged
        if len(self._heads) >= _REMEMBERED:
            del self._heads[next(iter(self._heads))]
        self._heads[head] = judged
        return judged


def _headers(lines: Sequence[bytes]) -> list[Header] | None:
    """Return the headers of lines, names in lower case; None if one has another form."""
    matches = [_HEADER.fullmatch(line) for line in lines]
    if len(lines) > _MOST_HEADERS or None in matches:
        return None
    return [(match[1].lower(), match[2].rstrip()) for match in matches if match]


def _are_plain(headers: Sequence[Header]) -> bool:
    """Return whether headers are those of a plain call, without that of the body's length."""
    names = [name for name, _ in headers]
    return (
        names.count(b"host") == 1
        and _LENGTH not in names
        and all(names.count(name) <= 1 for name in _SINGLE)
        and all(
            name not in _OF_THE_CONNECTION or (name, value.lower()) == _KEEP_ALIVE
            for name, value in headers
        )
    )


class PlainRequest(NamedTuple):
    """A whole request with a plain typed call."""

    head: CallHead
    call: PlainCall
    sender: Caller


class PlainCallServer:
    """Answers plain typed calls of a process while `is_open`; otherwise the application does."""

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
        self._heads = HeadCache(addresses, rules)
        self._body_limits = body_limits
        self._is_open = is_open
        self._default_headers: Headers | None = None
        self._status = b""  # the response up to the length of its body

    def request_in(self, data: bytes, address: str) -> PlainRequest | None:
        """None if it is not exactly one plain call; `address` is that of the client."""
        if not data.startswith(b"POST "):
            return None
        end = data.find(b"\r\n\r\n", _LEAST_HEAD)
        if end < 0 or not self._is_open():
            return None
        head = self._heads.plain(data, end)
        agent = None if head is None else self._addresses.agent_at(head.path)
        if head is None or agent is None:
            return None
        sender = head.sender(address)
        try:
            self._body_limits.check(len(data) - end - 4, head.path, sender)
        except TooLarge:  # the application refuses it
            return None
        call = recognise(data[end + 4 :], agent)
        return None if call is None else PlainRequest(head, call, sender)

    async def response(self, request: PlainRequest, default_headers: Headers) -> bytes:
        """Return the whole response, with `default_headers`, an error of the call included."""
        body = await self._calls.reply(request.call)
        return self._with_head(body, request.head, default_headers)

    def computed_response(self, request: PlainRequest, default_headers: Headers) -> bytes:
        """Do as `response`, at once, in a context of its own: what it sets, no other call sees."""
        body = copy_context().run(self._computed, request.call, request.sender)
        return self._with_head(body, request.head, default_headers)

    def _computed(self, call: PlainCall, sender: Caller) -> bytes:
        set_caller(sender)
        return self._calls.computed_reply(call)

    def _with_head(self, body: bytes, head: CallHead, default_headers: Headers) -> bytes:
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


class PlainCallProtocol(LimitedProtocol):
    """One connection; `protocol_of` creates the class of a process.

    A call runs in a task of its own, as an application does: it has a current task and context
    variables, the server waits for it when it ends, and cancels it if it takes too long then. Only
    an entrypoint that answers at once needs no task.
    """

    front: ClassVar[PlainCallServer | None]

    _running: asyncio.Task[None] | None = None  # the task of the plain call that is being answered
    _held = b""  # what the client has sent meanwhile; reading is paused after it
    _replied_at = -inf  # when the last plain call was answered, in seconds of the loop
    _is_ending = False  # whether the server closes the connection once the call is answered

    def data_received(self, data: bytes) -> None:
        if self._running is not None:
            self._held += data
            self.flow.pause_reading()
            return
        front = self.front
        request = None
        if front is not None and self._is_between_requests:
            request = front.request_in(data, self.client[0] if self.client else "")
        if front is None or request is None:
            super().data_received(data)
            return
        self.counts.collection.take(len(data))
        self._requests += 1
        if self._deadline is not None:
            self._stop_timer()
        headers = self.server_state.default_headers
        if request.call.entrypoint.compute is not None:
            try:
                response = front.computed_response(request, headers)
            except BaseException as error:  # noqa: BLE001  as `_failed` says
                self._write(self._failed(error), is_last=True)
            else:
                self._write(response)
            return
        self._running = self.loop.create_task(self._answer(front, request))
        self.tasks.add(self._running)

    def shutdown(self) -> None:
        """Close the connection, after the response to a call that is being answered."""
        if self._running is None:
            super().shutdown()
        else:
            self._is_ending = True

    def timeout_keep_alive_handler(self) -> None:
        """Close the connection if it is idle: plain calls do not set the timer anew."""
        left_s = self._replied_at + self.timeout_keep_alive - self.loop.time()
        if self._running is not None:
            self._await_next(self.timeout_keep_alive)
        elif left_s > 0:
            self._await_next(left_s)
        else:
            super().timeout_keep_alive_handler()

    @property
    def _is_between_requests(self) -> bool:
        """Whether a call may be answered at once: nothing before it waits, and its client reads."""
        return (
            self._phase == "idle"
            and not self._is_over
            and (self._newest is None or self._newest.response_complete)
            and not self.flow.write_paused
        )

    @property
    def _is_answering(self) -> bool:
        return self._running is not None or super()._is_answering

    async def _answer(self, front: PlainCallServer, request: PlainRequest) -> None:
        set_caller(request.sender)
        is_last = False
        try:
            response = await front.response(request, self.server_state.default_headers)
        except BaseException as error:  # noqa: BLE001  as `_failed` says
            response, is_last = self._failed(error), True
        task, self._running = self._running, None
        if task is not None:
            self.tasks.discard(task)
        self._write(response, is_last=is_last)

    def _failed(self, error: BaseException) -> bytes:
        """Nothing, such as a cancellation, may end the server; uvicorn does the same."""
        self.logger.error("a plain call was not answered", exc_info=error)
        return failed_response(self.server_state.default_headers)

    def _write(self, response: bytes, *, is_last: bool = False) -> None:
        """Write a response, and go on with what the client has sent; close after the last one."""
        self.server_state.total_requests += 1
        if self.transport.is_closing():
            return
        if is_last or self._is_ending:
            self.transport.write(response if is_last else closing(response))
            self.transport.close()
            return
        self.transport.write(response)
        self._replied_at = self.loop.time()
        if self.timeout_keep_alive_task is None:
            self._await_next(self.timeout_keep_alive)
        if self._held:
            held, self._held = self._held, b""
            self.flow.resume_reading()
            self.data_received(held)

    def _await_next(self, seconds: float) -> None:
        self.timeout_keep_alive_task = self.loop.call_later(
            seconds, self.timeout_keep_alive_handler
        )


def protocol_of(
    limits: ServerLimits, counts: Connections, front: PlainCallServer | None
) -> type[PlainCallProtocol]:
    """Return the protocol class of a process; without a front the application answers all calls."""
    attributes = {"limits": limits, "counts": counts, "front": front}
    return type("Protocol", (PlainCallProtocol,), attributes)
