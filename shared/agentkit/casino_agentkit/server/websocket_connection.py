"""A WebSocket of uvicorn with limits, and the upgrade of an HTTP connection to it.

uvicorn itself bounds neither the messages of one read, nor empty fragments, nor the answers to
pings of a client that does not read, and it cuts a connection before its close frame is read.
After the upgrade the connection keeps its place in the counts.
"""

import asyncio
import logging
from typing import Any, ClassVar, Final

from uvicorn.config import Config
from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState
from websockets.frames import CloseCode, Frame

from casino_agentkit.server.connections import BAD_UPGRADE, Connections, Cut
from casino_agentkit.server.plain_call_server import PlainCallProtocol, PlainCallServer
from casino_agentkit.server.server_limits import ServerLimits, WebSocketLimits

_PIECE: Final = 4096  # bytes that are parsed at once: a read of 256 KiB may have 40,000 messages

logger = logging.getLogger(__name__)


class LimitedWebSocket(WebSocketsSansIOProtocol):
    """One WebSocket; `websocket_of` creates the class of a process, with its limits and counts."""

    limits: ClassVar[WebSocketLimits]
    counts: ClassVar[Connections]

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self.close_timeout = self.limits.closing.total_seconds()
        self._network = ""
        self._unparsed = b""
        self._waiting = 0  # size of the messages that wait in `send`
        self._unread: asyncio.TimerHandle | None = None

    def opened(self, transport: asyncio.Transport, network: str, request: bytes) -> None:
        self._network = network
        self.connection_made(transport)
        super().data_received(request)
        if not self.handshake_initiated:  # a line or a header that the library cannot read
            self.close_sent = True
            transport.write(BAD_UPGRADE)
            transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self.counts.leave(self._network)
        self._unparsed = b""
        self._stop_unread()
        super().connection_lost(exc)

    # Reading: one message at a time, as fast as the application takes them.

    def data_received(self, data: bytes) -> None:
        """Parse received data up to the next message; discard it after the close frame."""
        self.counts.collection.take(len(data))
        if self.close_sent:
            if self.conn.parser_exc is None:  # the client's close frame is still to come
                super().data_received(data)
            return
        self._unparsed += data
        self._parse()

    async def receive(self) -> Any:
        event = await self.queue.get()
        self._parse()
        return event

    def handle_cont(self, event: Frame) -> None:
        """Continue a message."""
        if not self.close_sent:
            if len(self.frames) >= self.limits.fragments:
                self._fail(CloseCode.MESSAGE_TOO_BIG, "the message has too many fragments")
                return
            super().handle_cont(event)

    def send_receive_event_to_app(self) -> None:
        if self.curr_msg_data_type == "text" and not self.close_sent:
            try:
                b"".join(self.frames).decode()
            except UnicodeDecodeError:
                self._fail(CloseCode.INVALID_DATA, "text must be UTF-8")
                return
        super().send_receive_event_to_app()

    def handle_parser_exception(self) -> None:
        """Close after data that are no WebSocket messages, or too large."""
        close = self.conn.close_sent
        assert close is not None  # noqa: S101  the library sets it with the exception
        self._count(close.code)
        self._wait_for_close(close.code, close.reason)

    def _parse(self) -> None:
        while self._unparsed and self.queue.empty() and self.writable.is_set():
            piece, self._unparsed = self._unparsed[:_PIECE], self._unparsed[_PIECE:]
            super().data_received(piece)
        must_wait = bool(self._unparsed) or not self.queue.empty() or not self.writable.is_set()
        if must_wait == self.read_paused or self.transport.is_closing():
            return
        self.read_paused = must_wait
        if must_wait:
            self.transport.pause_reading()
        else:
            self.transport.resume_reading()

    # Writing.

    async def send(self, message: Any) -> None:
        """Send an event, once the client has read enough; raises ClientDisconnected."""
        size = len(message.get("text") or message.get("bytes") or b"")
        if not self.writable.is_set() and self._waiting + size > self.limits.waiting_bytes:
            self._abort("unread")
        self._waiting += size
        try:
            await self.writable.wait()
        finally:
            self._waiting -= size
        if self.close_sent or self.disconnected or self.transport.is_closing():
            raise ClientDisconnected
        await super().send(message)

    def pause_writing(self) -> None:
        """Start the time in which the client must read; its own messages wait."""
        super().pause_writing()
        self._parse()
        seconds = self.limits.unread.total_seconds()
        self._unread = self.loop.call_later(seconds, self._abort, "unread")

    def resume_writing(self) -> None:
        super().resume_writing()
        self._stop_unread()
        self._parse()

    def keepalive_timeout(self) -> None:
        """Close the WebSocket of a client that does not answer pings."""
        self.counts.cut("no_pong")
        super().keepalive_timeout()
        self.loop.call_later(self.close_timeout, self.transport.abort)

    # Closing.

    async def run_asgi(self) -> None:
        try:
            await self.app(self.scope, self.receive, self.send)
        except ClientDisconnected:
            pass
        except Exception:
            logger.exception("a WebSocket failed")
            self._close(CloseCode.INTERNAL_ERROR, "the server failed; the fault is not yours")
        else:
            self._close(CloseCode.NORMAL_CLOSURE, "")
        if self.close_timer is None:
            self.transport.close()

    def shutdown(self) -> None:
        self._close(CloseCode.GOING_AWAY, "the server is going away")

    def _close(self, code: int, reason: str) -> None:
        if self.close_sent or self.disconnected or self.transport.is_closing():
            return
        if not self.handshake_complete:
            self.send_500_response()
            self.transport.close()
            return
        self.conn.send_close(code, reason)
        self._wait_for_close(code, reason)

    def _fail(self, code: int, reason: str) -> None:
        self._count(code)
        self._close(code, reason)

    def _wait_for_close(self, code: int, reason: str) -> None:
        """Discard data until the client closes: unread data would reset it before the frame."""
        self.stop_keepalive()
        self.queue.put_nowait({"type": "websocket.disconnect", "code": code, "reason": reason})
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.close_sent = True
        self._unparsed, self.frames = b"", []
        if self.read_paused:
            self.read_paused = False
            self.transport.resume_reading()
        if self.close_timer is None:
            self.close_timer = self.loop.call_later(self.close_timeout, self.transport.abort)

    def _abort(self, reason: Cut) -> None:
        if not self.transport.is_closing():
            self.counts.cut(reason)
        self.transport.abort()

    def _count(self, code: int) -> None:
        self.counts.cut("large_message" if code == CloseCode.MESSAGE_TOO_BIG else "bad_message")

    def _stop_unread(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None


def websocket_of(limits: WebSocketLimits, counts: Connections) -> type[LimitedWebSocket]:
    return type("WebSocket", (LimitedWebSocket,), {"limits": limits, "counts": counts})


class UpgradingProtocol(PlainCallProtocol):
    """One connection, until its client asks for a WebSocket."""

    websocket: ClassVar[type[LimitedWebSocket]]

    def handle_websocket_upgrade(self) -> None:
        """Give the connection to a WebSocket; close it if responses are pending or unread."""
        newest = self._newest
        is_pending = newest is not None and not newest.response_complete
        if is_pending or self.flow.write_paused:
            self._cut("pipelined")
            return
        self._is_over = True
        self._stop_timer()
        self._stop_unread()
        if self.scope["method"] != "GET" or not self.url.isascii():
            self.transport.write(BAD_UPGRADE)
            self.transport.close()
            return
        fields = (name + b": " + value + b"\r\n" for name, value in self.headers)
        request = b"GET " + self.url + b" HTTP/1.1\r\n" + b"".join(fields) + b"\r\n"
        self.connections.discard(self)
        # Breaks the reference cycle between parser and protocol.
        self.parser = None  # type: ignore[assignment]
        websocket = self.websocket(self.config, self.server_state, self.app_state)
        self.transport.set_protocol(websocket)
        websocket.opened(self.transport, self._network, request)


def upgrading_protocol_of(
    limits: ServerLimits,
    websockets: WebSocketLimits,
    counts: Connections,
    front: PlainCallServer | None,
) -> type[UpgradingProtocol]:
    websocket = websocket_of(websockets, counts)
    attributes = {"limits": limits, "counts": counts, "front": front, "websocket": websocket}
    return type("Protocol", (UpgradingProtocol,), attributes)
