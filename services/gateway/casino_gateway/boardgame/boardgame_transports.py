"""How messages come and go: `POST /bgp`, the NDJSON stream of pushes, and the WebSocket `/bgp/ws`.

Credentials are the same in each: a bearer token in a header or, for browsers, in a subprotocol.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

import orjson
import structlog
from casino_lobby_client.errors import LobbyAway
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from casino_gateway.boardgame import strict_dialect
from casino_gateway.boardgame.boardgame_dispatch import refused, unauthorized
from casino_gateway.boardgame.boardgame_endpoint import BoardgameEndpoint, Sender, response
from casino_gateway.boardgame.boardgame_messages import Core, ErrorCode, MessageRefused
from casino_gateway.boardgame.boardgame_replies import Json, core_of, not_pushed, push_of
from casino_gateway.boardgame.strict_dialect import DIALECT, SUBPROTOCOL
from casino_gateway.domain.updates import Update
from casino_gateway.errors import ListenerLagged
from casino_gateway.seats.live_seat import LiveSeat

BEARER_SUBPROTOCOL = "bearer."
OWN_SUBPROTOCOL = "bgp"
"""For clients that must name a subprotocol beside the one with the token."""
MEDIA_TYPE = "application/x-ndjson"
_HEARTBEAT_S = 15.0
"""After so long without a push an empty line is sent, which shows whether the client is there."""
_SEND_S = 30.0
"""How long a client may take to read a line."""
_NORMAL, _FAILED, _TRY_AGAIN = 1000, 1011, 1013
_LINGER_S = 60.0
"""How long the socket of a seat that was given back still answers."""

logger = structlog.get_logger(__name__)


def bearer(connection: HTTPConnection) -> str | None:
    scheme, _, token = connection.headers.get("authorization", "").partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None


def address(connection: HTTPConnection) -> str:
    return connection.client.host if connection.client else ""


def subprotocols(connection: HTTPConnection) -> list[str]:
    return [
        name.strip()
        for header in connection.headers.getlist("sec-websocket-protocol")
        for name in header.split(",")
    ]


def token_of(offered: Sequence[str]) -> str | None:
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
    dialect = connection.query_params.get("dialect")
    if dialect not in {None, DIALECT}:
        raise MessageRefused(
            ErrorCode.INVALID_MESSAGE, f"The dialect must be {DIALECT}, or be left out."
        )
    return dialect == DIALECT or SUBPROTOCOL in offered


def resumed_after(connection: HTTPConnection) -> int | None:
    """Return the sequence after which pushes resume; raises MessageRefused."""
    text = connection.query_params.get("after")
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= 15):  # noqa: PLR2004  below 2^53
        raise MessageRefused(
            ErrorCode.INVALID_MESSAGE, "after must be the sequence of an event, a whole number."
        )
    return int(text)


@dataclass(frozen=True, slots=True)
class BoardgamePosts:
    """Answers messages in the bodies of HTTP requests."""

    endpoint: BoardgameEndpoint

    async def post(self, request: Request) -> Response:
        try:
            sender = sender_of(request)
            content = await request.body()
        except MessageRefused as refusal:
            return response(refused(refusal))
        return response(await self.endpoint.answer(content, sender))


def sender_of(request: Request) -> Sender:
    return Sender(bearer(request), address(request), is_strict(request))


@dataclass(frozen=True, slots=True)
class BoardgameStreams:
    """Serves streams. `now` returns the seconds of the questions' clock."""

    endpoint: BoardgameEndpoint
    now: Callable[[], float]

    async def get(self, request: Request) -> Response:
        """Open the stream of an agent; the token must be the agent's."""
        try:
            sender = sender_of(request)
            after = resumed_after(request)
            seat = self._seat(sender, request.path_params["place"])
        except MessageRefused as refusal:
            return response(refused(refusal))
        return _PushLines(self, seat, after, is_strict=sender.is_strict)

    def _seat(self, sender: Sender, place: str) -> LiveSeat:
        """Return the sender's seat if it is at the place, "MATCH/AGENT"; raises MessageRefused."""
        match_id, _, agent_id = place.rpartition("/")  # an id may have a slash
        core = Core("", match_id, agent_id)
        self.endpoint.count(sender)
        seat = self.endpoint.dispatch.seat_of(sender.token, core)
        if place != f"{seat.identity.room_id}/{seat.identity.player_id}":
            raise unauthorized(core)
        return seat


class _PushLines(Response):
    """The response to one client."""

    media_type = MEDIA_TYPE

    def __init__(
        self, transport: BoardgameStreams, seat: LiveSeat, after: int | None, *, is_strict: bool
    ) -> None:
        super().__init__(headers={"cache-control": "no-store", "x-accel-buffering": "no"})
        del self.headers["content-length"]
        self._transport = transport
        self._seat = seat
        self._after = after
        self._is_strict = is_strict

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send lines until the seat is closed, or the client is gone."""
        del scope
        with self._seat.connected(), self._seat.listen(self._after) as updates:
            await send(
                {
                    "type": "http.response.start",
                    "status": self.status_code,
                    "headers": self.raw_headers,
                }
            )
            writing = asyncio.create_task(self._write(updates, send))
            leaving = asyncio.create_task(_gone(receive))
            try:
                await asyncio.wait([writing, leaving], return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in (writing, leaving):
                    task.cancel()
                await asyncio.wait([writing, leaving])
        if not writing.cancelled():
            writing.result()

    async def _write(self, updates: AsyncIterator[Update], send: Send) -> None:
        """Send a line for each push, until the seat is closed or the client too slow."""
        with suppress(TimeoutError):  # the server closes the connection of a stalled client
            await _send(send, b"\n")  # so that the client sees at once that it is connected
            try:
                async for update in _with_pauses(updates):
                    if update is None:
                        await _send(send, b"\n")
                        continue
                    message = push_of(update, self._seat, self._transport.now())
                    if message is not None:
                        await _send(send, self._line(message))
            except (ListenerLagged, LobbyAway) as error:
                refusal = not_pushed(error, core_of(self._seat))
                await _send(send, self._line(refused(refusal).message))
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    def _line(self, message: Json) -> bytes:
        return (
            orjson.dumps(strict_dialect.translated(message) if self._is_strict else message) + b"\n"
        )


async def _with_pauses(updates: AsyncIterator[Update]) -> AsyncIterator[Update | None]:
    """Yield updates, and None after a while without any."""
    while True:
        pending = asyncio.ensure_future(anext(updates))
        try:
            while not (await asyncio.wait([pending], timeout=_HEARTBEAT_S))[0]:
                yield None
            yield pending.result()
        except StopAsyncIteration:
            return
        finally:
            pending.cancel()


async def _send(send: Send, content: bytes) -> None:
    async with asyncio.timeout(_SEND_S):
        await send({"type": "http.response.body", "body": content, "more_body": True})


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


@dataclass(frozen=True, slots=True)
class BoardgameSockets:
    """Serves WebSockets. `now` returns the seconds of the questions' clock."""

    endpoint: BoardgameEndpoint
    now: Callable[[], float]

    async def connect(self, socket: WebSocket) -> None:
        """Serve a connection; without the token of a seat it is refused as `POST /bgp` would be."""
        offered = subprotocols(socket)
        try:
            sender = Sender(
                bearer(socket) or token_of(offered), address(socket), is_strict(socket, offered)
            )
            after = resumed_after(socket)
            self.endpoint.count(sender)
            seat = self.endpoint.dispatch.seat_of(sender.token, Core())
        except MessageRefused as refusal:
            await socket.send_denial_response(response(refused(refusal)))
            return
        # The seat is listened to before the client is connected, so that it misses no event.
        with seat.connected(), seat.listen(after) as updates:
            await socket.accept(selected(offered))
            connection = _BoardgameSocket(self, socket, sender, seat)
            pushing = asyncio.create_task(connection.push_all(updates))
            try:
                await connection.answer_all()
            finally:
                pushing.cancel()
                await asyncio.wait([pushing])


class _BoardgameSocket:
    """One open socket."""

    def __init__(
        self, transport: BoardgameSockets, socket: WebSocket, sender: Sender, seat: LiveSeat
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
        except (ListenerLagged, LobbyAway) as error:
            await self._push(refused(not_pushed(error, core_of(self._seat))).message)
            await self._close(_TRY_AGAIN, "connect again with after=<last sequence>")
        except Exception:
            logger.exception("push_failed", match_id=self._seat.identity.room_id)
            await self._close(_FAILED, "the gateway failed")
        else:
            await self._close(_NORMAL, "the seat is closed")

    async def _push(self, message: Json) -> bool:
        """Send a message that is no reply; return whether the socket was open."""
        message = strict_dialect.translated(message) if self._sender.is_strict else message
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
