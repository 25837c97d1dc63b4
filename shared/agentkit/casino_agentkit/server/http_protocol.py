"""HTTP/1.1 protocol of uvicorn with limits on sizes and times of requests.

uvicorn itself limits neither the size and time of a request's head nor the time of its body. It
limits the idle time of a connection only after the first response.
"""

import asyncio
from typing import Any, ClassVar, Literal

from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.protocols.utils import get_remote_addr
from uvicorn.server import ServerState

from casino_agentkit.network import network_of
from casino_agentkit.server.connections import RESPONSES, TOO_MANY_CONNECTIONS, Connections, Cut
from casino_agentkit.server.server_limits import ServerLimits

_Phase = Literal["idle", "head", "body"]
"""The part of a request being read; `idle`: the last request is complete."""

_FIELD_BYTES = len(b": \r\n")


class _Stop(Exception):
    """Stops parsing the data of a connection."""


class LimitedProtocol(HttpToolsProtocol):
    """One connection; a subclass for each process has its limits and counts."""

    limits: ClassVar[ServerLimits]
    counts: ClassVar[Connections]

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self.timeout_keep_alive = self.limits.idle.total_seconds()  # type: ignore[assignment]
        self._network = ""
        self._is_taken = False
        self.has_begun = False
        """Whether `connection_made` was called, so that `connection_lost` will be, too."""
        self._is_over = False
        self._phase: _Phase = "idle"
        self._requests = 0  # number of requests started
        self._chunk = self._size = 0
        """Bytes of the last read; bytes of the current head or body so far."""
        self._is_behind = False
        """Whether the head started in the middle of a read, so that `_size` is incomplete."""
        self._deadline: asyncio.TimerHandle | None = None
        self._awaited: tuple[int, _Phase] | None = None  # request and phase of `_deadline`
        self._earlier: list[RequestResponseCycle] = []
        """Unfinished requests before the newest one (pipelining)."""
        self._unread: asyncio.TimerHandle | None = None
        self._unread_size = 0

    # Connection.

    def counted_as(self, network: str) -> None:
        """Mark the connection as already counted, before its TLS handshake."""
        self._network, self._is_taken = network, True

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self.has_begun = True
        client = get_remote_addr(transport)
        if not self._is_taken:
            self._network = network_of(client[0] if client else "")
        if not self._is_taken and not self.counts.enter(self._network):
            self._is_over = True
            # Breaks the reference cycle between parser and protocol.
            self.parser = None  # type: ignore[assignment]
            transport.write(TOO_MANY_CONNECTIONS)
            transport.close()
            return
        self._is_taken = True
        super().connection_made(transport)
        self._start_timer("idle", self.limits.first_byte.total_seconds())

    def connection_lost(self, exc: Exception | None) -> None:
        if not self._is_taken:
            return
        self._is_over = True
        self.counts.leave(self._network)
        self._stop_timer()
        self._stop_unread()
        # uvicorn signals only the newest: a stream followed by another request would never end.
        for cycle in self._earlier:
            cycle.disconnected = True
            cycle.message_event.set()
        self._earlier.clear()
        super().connection_lost(exc)
        # uvicorn does not cancel this timer when a client resets the connection; the connection's
        # objects would stay in memory until it expires.
        self._unset_keepalive_if_required()

    # Reading.

    def data_received(self, data: bytes) -> None:
        if self._is_over:
            return
        self.counts.collection.take(len(data))
        requests, self._chunk = self._requests, len(data)
        self._size = len(data) if self._phase == "idle" else self._size + len(data)
        super().data_received(data)
        # A plain request arrives completely: then there is no timer to start or stop.
        if self._phase != "idle" or self._deadline is not None or self._requests == requests:
            self._check(requests)

    def on_message_begin(self) -> None:
        self._requests += 1
        self._phase = "head"
        self._is_behind = self._size == 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Start a body; close if the head is too large or too many requests are pipelined."""
        limits = self.limits
        if len(self.headers) > limits.headers or (
            (self._is_behind or max(self._size, self._chunk) > limits.head_bytes)
            and self._head_bytes() > limits.head_bytes
        ):
            self._cut("large_head")
            raise _Stop
        if len(self.pipeline) >= limits.pipelined:
            self._cut("pipelined")
            raise _Stop
        self._phase, self._size = "body", 0
        before = self._newest
        super().on_headers_complete()
        if before is not None and not before.response_complete:
            self._earlier = [cycle for cycle in self._earlier if not cycle.response_complete]
            self._earlier.append(before)

    def on_message_complete(self) -> None:
        self._phase, self._size = "idle", 0
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """Respond 400 to an invalid request, unless the connection is already closed."""
        if not self._is_over:
            self._is_over = True
            self._stop_timer()
            super().send_400_response(msg)

    # Timers.

    def timeout_keep_alive_handler(self) -> None:
        """Close an idle connection; abort it if the client has not read the response."""
        if not self.transport.is_closing() and self.transport.get_write_buffer_size():
            self._abort()
        else:
            super().timeout_keep_alive_handler()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._unread_size = self.transport.get_write_buffer_size()
        self._unread = self.loop.call_later(
            self.limits.unread.total_seconds(), self._unread_expired
        )

    def resume_writing(self) -> None:
        super().resume_writing()
        self._stop_unread()

    def _check(self, requests: int) -> None:
        """Close or start a timer; `requests` were started before the last read."""
        if self._is_over:
            return
        limits, too_many = self.limits, len(self.headers or ()) > self.limits.headers
        match self._phase:
            case "head":
                if too_many or self._size > limits.head_bytes:
                    self._cut("large_head")
                else:
                    self._start_timer("head", limits.head.total_seconds())
            case "body":
                if too_many:  # trailers after a chunked body
                    self._cut("large_head")
                elif self._size > limits.body_bytes:
                    self._cut("large_body")
                else:
                    self._start_timer("body", limits.body.total_seconds())
            case "idle" if self._requests != requests or self._is_timing_a_request:
                self._stop_timer()  # uvicorn starts its own after the response
            case "idle":  # only line breaks received
                self._start_timer("idle", limits.head.total_seconds())

    @property
    def _is_timing_a_request(self) -> bool:
        return (
            self._deadline is not None and self._awaited is not None and self._awaited[1] != "idle"
        )

    def _start_timer(self, phase: _Phase, seconds: float) -> None:
        """Start the timer of a phase of the request, unless it is already running."""
        awaited = (self._requests, phase)
        if self._deadline is not None and awaited == self._awaited:
            return
        self._stop_timer()
        self._awaited = awaited
        self._deadline = self.loop.call_later(seconds, self._expired, seconds)

    def _expired(self, seconds: float) -> None:
        self._deadline = None
        if self._is_over or self.transport.is_closing():
            return
        if self.flow.read_paused or self._is_answering:  # the client cannot send, or need not
            self._start_timer(self._phase, seconds)
        elif self._phase == "idle":
            self._cut("silent")
        else:
            self._cut("slow_head" if self._phase == "head" else "slow_body")

    def _unread_expired(self) -> None:
        self._unread = None
        size = self.transport.get_write_buffer_size()
        if size > self._unread_size - self.limits.unread_bytes:
            self._abort()
        else:
            self._unread_size = size
            self._unread = self.loop.call_later(
                self.limits.unread.total_seconds(), self._unread_expired
            )

    # Closing.

    @property
    def _newest(self) -> RequestResponseCycle | None:
        """The newest request, None before the first (missing in uvicorn's annotation)."""
        return self.cycle

    @property
    def _is_answering(self) -> bool:
        if self._phase == "body":  # the newest is the one being read
            return any(not cycle.response_complete for cycle in self._earlier)
        return self._newest is not None and not self._newest.response_complete

    def _cut(self, reason: Cut) -> None:
        """Close the connection, with an error response if one can still be sent."""
        self.counts.cut(reason)
        self._is_over = True
        self._stop_timer()
        is_answered = self._phase == "body" and self.cycle.response_started
        if reason in RESPONSES and not self._is_answering and not is_answered:
            self.transport.write(RESPONSES[reason])
        if self._newest is not None:
            self._newest.disconnected = True
            self._newest.message_event.set()
        self.transport.close()

    def _abort(self) -> None:
        """Close without waiting for the client to read."""
        self.counts.cut("unread")
        self._is_over = True
        self.transport.abort()

    def _head_bytes(self) -> int:
        fields = sum(len(name) + len(value) + _FIELD_BYTES for name, value in self.headers)
        return len(self.url) + fields

    def _stop_timer(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _stop_unread(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None
