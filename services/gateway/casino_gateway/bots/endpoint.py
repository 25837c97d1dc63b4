"""`WS /bots`: a bot opens a connection, and is called over it."""

import asyncio
import secrets
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import structlog
from casino_agentkit import CommandRefused
from casino_agentkit.bounded_state import RateLimit
from casino_agentkit.process.background_tasks import BackgroundTasks
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from casino_gateway.bots.bot_book import BotBook
from casino_gateway.bots.codes import BotReason
from casino_gateway.bots.dialled_bot import DialledBot, Line
from casino_gateway.bots.frames import (
    Answer,
    Request,
    answer_frame,
    error_frame,
    frame_of,
)
from casino_gateway.bots.limits import BotLimits
from casino_gateway.bots.orders import Hello, Join, Leave, order_of
from casino_gateway.bots.seating import Seating
from casino_gateway.errors import BadFrame

PATH = "/bots"
_TOKEN_BYTES = 32
_REPLACED, _REFUSED, _TOO_FAST = 4000, 1008, 4008
_BAD_FRAMES = 20
"""Frames of a connection that may be unreadable before it is closed."""

logger = structlog.get_logger(__name__)


class BotEndpoint:
    """Serves the connections of bots. `now` returns seconds."""

    def __init__(
        self, book: BotBook, seating: Seating, limits: BotLimits, now: Callable[[], float]
    ) -> None:
        self.book = book
        self.seating = seating
        self.limits = limits
        self.now = now

    def routes(self) -> list[BaseRoute]:
        """Return the route."""
        return [WebSocketRoute(PATH, self.connect)]

    async def connect(self, socket: WebSocket) -> None:
        """Serve a connection until it ends; one beyond the limits is refused with HTTP 429."""
        address = socket.client.host if socket.client else ""
        try:
            with self.book.connection(address):
                await socket.accept()
                with suppress(WebSocketDisconnect):
                    await _Connection(self, socket).serve()
        except CommandRefused as refusal:
            body = {"reason": refusal.reason, "message": refusal.message}
            await socket.send_denial_response(JSONResponse(body, status_code=429))


class _Connection:
    """One open socket."""

    def __init__(self, endpoint: BotEndpoint, socket: WebSocket) -> None:
        self._endpoint = endpoint
        self._limits = endpoint.limits
        self._socket = socket
        self._tasks = BackgroundTasks()
        rate = self._limits.frames_per_second
        self._frames = RateLimit(rate, 2 * rate, endpoint.now)
        self._replaced = asyncio.Event()
        self._bad_frames = 0

    async def serve(self) -> None:
        """Serve the bot. Raises WebSocketDisconnect when it has closed the connection."""
        try:
            async with asyncio.timeout(self._limits.hello):
                hello = await self._hello()
        except TimeoutError:
            await self._close(_REFUSED, "the first frame is hello")
            return
        token = hello[1].token or secrets.token_urlsafe(_TOKEN_BYTES)
        line = Line(self._send, self._replaced.set)
        book = self._endpoint.book
        bot = book.connect(hello[1], token, line)
        logger.info("bot_connected", bot=bot.bot_id, name=bot.name)
        reading = asyncio.create_task(self._read(bot, line))
        replaced = asyncio.create_task(self._replaced.wait())
        try:
            await self._send(answer_frame(hello[0], self._welcome(bot, token)))
            await asyncio.wait([reading, replaced], return_when=asyncio.FIRST_COMPLETED)
            if not reading.done():
                await self._close(_REPLACED, "a newer connection with this token replaced it")
        finally:
            book.disconnect(bot, line)
            logger.info("bot_disconnected", bot=bot.bot_id, name=bot.name)
            reading.cancel()
            replaced.cancel()
            await asyncio.gather(reading, replaced, return_exceptions=True)
            await self._tasks.end()

    async def _hello(self) -> tuple[str | int, Hello]:
        """Return the id and content of the first request that is a valid hello."""
        while True:
            frame = await self._frame()
            if not isinstance(frame, Request) or frame.skill != "hello":
                await self._bad("the first frame is {id, skill: hello, data}")
                continue
            try:
                return frame.id, order_of(Hello, frame.data)
            except CommandRefused as refusal:
                await self._send(error_frame(frame.id, refusal.reason, refusal.message))

    def _welcome(self, bot: DialledBot, token: str) -> dict[str, Any]:
        return {
            "agentCardUrl": self._endpoint.book.card_of(bot),
            "token": token,
            "pendingCalls": self._limits.pending,
        }

    async def _read(self, bot: DialledBot, line: Line) -> None:
        while True:
            frame = await self._frame()
            if isinstance(frame, Answer):
                line.answered(frame)
            elif len(self._tasks) >= self._limits.own_requests:
                message = f"{len(self._tasks)} requests wait for their answer; send fewer at once"
                await self._send(error_frame(frame.id, BotReason.BUSY, message))
            else:
                self._tasks.begin(self._answer(bot, frame))

    async def _answer(self, bot: DialledBot, request: Request) -> None:
        try:
            output = await self._output(bot, request)
        except CommandRefused as refusal:
            await self._send(error_frame(request.id, refusal.reason, refusal.message))
        except Exception:
            logger.exception("bot_request_failed", bot=bot.bot_id, skill=request.skill)
            await self._send(error_frame(request.id, BotReason.FAILED, "the gateway failed"))
        else:
            await self._send(answer_frame(request.id, output))

    async def _output(self, bot: DialledBot, request: Request) -> object:
        seating, card_url = self._endpoint.seating, self._endpoint.book.card_of(bot)
        match request.skill:
            case "join":
                seat = await seating.join(bot, card_url, order_of(Join, request.data))
                return seat.model_dump(mode="json")
            case "leave":
                await seating.leave(bot, card_url, order_of(Leave, request.data))
                return {"ok": True}
        raise CommandRefused(
            BotReason.UNKNOWN_SKILL, "The gateway has hello (once, first), join, leave."
        )

    async def _frame(self) -> Request | Answer:
        """Return the next readable frame. Raises WebSocketDisconnect."""
        while True:
            message = await self._socket.receive()
            if message["type"] == "websocket.disconnect":
                raise WebSocketDisconnect(message.get("code", 1005), message.get("reason"))
            if not self._frames.take():
                await self._close(_TOO_FAST, "too many frames a second")
                raise WebSocketDisconnect(_TOO_FAST)
            text: str | None = message.get("text")
            try:
                return frame_of(
                    message.get("bytes") or b"" if text is None else text, self._limits.levels
                )
            except BadFrame as bad:
                await self._bad(str(bad))

    async def _bad(self, message: str) -> None:
        """Say what is wrong with a frame. Raises WebSocketDisconnect after too many."""
        self._bad_frames += 1
        if self._bad_frames > _BAD_FRAMES:
            await self._close(_REFUSED, "too many unreadable frames")
            raise WebSocketDisconnect(_REFUSED)
        await self._send(error_frame(None, BotReason.BAD_FRAME, message))

    async def _send(self, text: str) -> None:
        """Send a frame; what a closed socket does not take is lost, as its calls are."""
        with suppress(WebSocketDisconnect, RuntimeError, OSError):
            await self._socket.send_text(text)

    async def _close(self, code: int, reason: str) -> None:
        with suppress(WebSocketDisconnect, RuntimeError, OSError):
            await self._socket.close(code, reason)
