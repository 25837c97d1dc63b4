"""`WS /bgp/ws`: any number of messages, and the pushes of the seat's match."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

import orjson
import structlog
from casino_lobby_client.errors import LobbyAway
from starlette.websockets import WebSocket, WebSocketDisconnect

from casino_gateway.bgp import credentials, strict
from casino_gateway.bgp.dispatch import refused
from casino_gateway.bgp.endpoint import Endpoint, Sender, response
from casino_gateway.bgp.pushes import not_pushed, push_of
from casino_gateway.bgp.refusal import Core, MessageRefused
from casino_gateway.bgp.replies import Json, core_of
from casino_gateway.domain.updates import Update
from casino_gateway.errors import Lagged
from casino_gateway.seats.live_seat import LiveSeat

_NORMAL, _FAILED, _TRY_AGAIN = 1000, 1011, 1013
_LINGER_S = 60.0
"""How long the socket of a seat that was given back still answers."""

logger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class SocketTransport:
    """Serves WebSockets. `now` returns the seconds of the questions' clock."""

    endpoint: Endpoint
    now: Callable[[], float]

    async def connect(self, socket: WebSocket) -> None:
        """Serve a connection; without the token of a seat it is refused as `POST /bgp` would be."""
        offered = credentials.subprotocols(socket)
        try:
            sender = Sender(
                credentials.bearer(socket) or credentials.token_of(offered),
                credentials.address(socket),
                credentials.is_strict(socket, offered),
            )
            after = credentials.after(socket)
            self.endpoint.count(sender)
            seat = self.endpoint.dispatch.seat_of(sender.token, Core())
        except MessageRefused as refusal:
            await socket.send_denial_response(response(refused(refusal)))
            return
        # The seat is listened to before the client is connected, so that it misses no event.
        with seat.connected(), seat.listen(after) as updates:
            await socket.accept(credentials.selected(offered))
            connection = _Connection(self, socket, sender, seat)
            pushing = asyncio.create_task(connection.push_all(updates))
            try:
                await connection.answer_all()
            finally:
                pushing.cancel()
                await asyncio.wait([pushing])


class _Connection:
    """One open socket."""

    def __init__(
        self, transport: SocketTransport, socket: WebSocket, sender: Sender, seat: LiveSeat
    ) -> None:
        self._transport = transport
        self._socket = socket
        self._sender = sender
        self._seat = seat
        # Held from a message to its reply: the pushes of what it does come after the reply.
        self._sending = asyncio.Lock()

    async def answer_all(self) -> None:
        """Answer messages until the client or `push_all` closes the socket."""
        while True:
            received = await self._socket.receive()
            if received["type"] != "websocket.receive":
                return
            text = received.get("text")
            content = received.get("bytes") or b"" if text is None else text.encode()
            async with self._sending:
                answer = await self._transport.endpoint.answer(content, self._sender)
                if not await self._sent(answer.message):
                    return

    async def push_all(self, updates: AsyncIterator[Update]) -> None:
        """Push updates until the socket or, a while ago, the seat is closed."""
        try:
            async for update in updates:
                message = push_of(update, self._seat, self._transport.now())
                if message is not None and not await self._push(message):
                    return
            await asyncio.sleep(_LINGER_S)
        except (Lagged, LobbyAway) as error:
            await self._push(refused(not_pushed(error, core_of(self._seat))).message)
            await self._close(_TRY_AGAIN, "connect again with after=<last sequence>")
        except Exception:
            logger.exception("push_failed", match_id=self._seat.identity.room_id)
            await self._close(_FAILED, "the gateway failed")
        else:
            await self._close(_NORMAL, "the seat is closed")

    async def _push(self, message: Json) -> bool:
        """Send a message that is no reply; return whether the socket was open."""
        message = strict.translated(message) if self._sender.is_strict else message
        async with self._sending:
            return await self._sent(message)

    async def _sent(self, message: Json) -> bool:
        """Send a message; return whether the socket was open."""
        try:
            await self._socket.send_text(orjson.dumps(message).decode())
        except (WebSocketDisconnect, RuntimeError):
            # Starlette raises RuntimeError for a socket that was closed by the other task.
            return False
        return True

    async def _close(self, code: int, reason: str) -> None:
        try:
            await self._socket.close(code, reason)
        except (WebSocketDisconnect, RuntimeError):  # closed by the client meanwhile
            return
