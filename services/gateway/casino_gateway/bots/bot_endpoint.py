"""`WS /bots`: a bot opens a connection, is called over it, and takes seats in the lobby's rooms."""

import asyncio
import hashlib
import secrets
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import structlog
from casino_agentkit import CommandRefused
from casino_agentkit.bounded_state import RateLimit
from casino_agentkit.process.background_tasks import BackgroundTasks
from casino_contracts import RegisteredPlayer, RegisterPlayerInput
from casino_lobby_client.errors import CallRefused, LobbyAway, UnknownRoom
from casino_lobby_client.lobby_client import LobbyClient
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from casino_gateway.bots.bot_frames import (
    AnswerFrame,
    BotReason,
    Hello,
    Join,
    Leave,
    RequestFrame,
    answer_frame,
    error_frame,
    frame_of,
    order_of,
)
from casino_gateway.bots.bot_index import BotIndex
from casino_gateway.bots.dialled_bot import BotLimits, DialledBot, Line
from casino_gateway.errors import BadFrame

_GONE = {404, 410}
_SEATS = 8
"""Seats of one bot at a time."""
PATH = "/bots"
_TOKEN_BYTES = 32
_REPLACED, _REFUSED, _TOO_FAST = 4000, 1008, 4008
_BAD_FRAMES = 20
"""Frames of a connection that may be unreadable before it is closed."""

logger = structlog.get_logger(__name__)


class BotSeating:
    """Takes and gives back seats. All methods raise CommandRefused with the lobby's reason."""

    def __init__(self, lobby: LobbyClient) -> None:
        self._lobby = lobby

    async def join(self, bot: DialledBot, card_url: str, join: Join) -> RegisteredPlayer:
        """Seat a bot; the same request again gets the same seat."""
        if len(bot.players) >= _SEATS and (join.room_id, join.request_id) not in bot.players:
            raise CommandRefused(
                BotReason.TOO_MANY_SEATS, f"A bot has at most {_SEATS} seats; leave one."
            )
        try:
            seat = await self._lobby.register(
                RegisterPlayerInput(
                    room_id=join.room_id,
                    agent_card_url=card_url,
                    preferred_seat=join.preferred_seat,
                ),
                key=_key(bot, join.request_id),
            )
        except UnknownRoom as error:
            raise CommandRefused(BotReason.UNKNOWN_ROOM, _no_room(join.room_id)) from error
        except CallRefused as error:
            raise CommandRefused(error.reason, error.message) from error
        except LobbyAway as error:
            raise CommandRefused(BotReason.LOBBY_UNAVAILABLE, str(error)) from error
        bot.players[join.room_id, join.request_id] = seat.player_id
        return seat

    async def leave(self, bot: DialledBot, card_url: str, leave: Leave) -> None:
        """Give a seat back, after the running hand.

        A restarted gateway gets the player's id by the same registration again, so that a bot can
        give back no seat but its own.
        """
        player_id = bot.players.get((leave.room_id, leave.request_id))
        if player_id is None:
            join = Join(room_id=leave.room_id, request_id=leave.request_id)
            player_id = (await self.join(bot, card_url, join)).player_id
        try:
            await self._lobby.leave(leave.room_id, player_id)
        except UnknownRoom:
            pass
        except CallRefused as error:
            if error.status not in _GONE:
                raise CommandRefused(error.reason, error.message) from error
        except LobbyAway as error:
            raise CommandRefused(BotReason.LOBBY_UNAVAILABLE, str(error)) from error
        bot.players.pop((leave.room_id, leave.request_id), None)


def _key(bot: DialledBot, request_id: str) -> str:
    return hashlib.sha256(f"{bot.bot_id}/{request_id}".encode()).hexdigest()


def _no_room(room_id: str) -> str:
    return f"There is no room {room_id}; `casino rooms` lists those that are open."


class BotEndpoint:
    """Serves the connections of bots. `now` returns seconds."""

    def __init__(
        self, index: BotIndex, seating: BotSeating, limits: BotLimits, now: Callable[[], float]
    ) -> None:
        self.index = index
        self.seating = seating
        self.limits = limits
        self.now = now

    def routes(self) -> list[BaseRoute]:
        return [WebSocketRoute(PATH, self.connect)]

    async def connect(self, socket: WebSocket) -> None:
        """Serve a connection until it ends; one beyond the limits is refused with HTTP 429."""
        address = socket.client.host if socket.client else ""
        try:
            with self.index.connection(address):
                await socket.accept()
                with suppress(WebSocketDisconnect):
                    await _BotConnection(self, socket).serve()
        except CommandRefused as refusal:
            body = {"reason": refusal.reason, "message": refusal.message}
            await socket.send_denial_response(JSONResponse(body, status_code=429))


class _BotConnection:
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
        index = self._endpoint.index
        bot = index.connect(hello[1], token, line)
        logger.info("bot_connected", bot=bot.bot_id, name=bot.name)
        reading = asyncio.create_task(self._read(bot, line))
        replaced = asyncio.create_task(self._replaced.wait())
        try:
            await self._send(answer_frame(hello[0], self._welcome(bot, token)))
            await asyncio.wait([reading, replaced], return_when=asyncio.FIRST_COMPLETED)
            if not reading.done():
                await self._close(_REPLACED, "a newer connection with this token replaced it")
        finally:
            index.disconnect(bot, line)
            logger.info("bot_disconnected", bot=bot.bot_id, name=bot.name)
            reading.cancel()
            replaced.cancel()
            await asyncio.gather(reading, replaced, return_exceptions=True)
            await self._tasks.end()

    async def _hello(self) -> tuple[str | int, Hello]:
        """Return the id and content of the first request that is a valid hello."""
        while True:
            frame = await self._frame()
            if not isinstance(frame, RequestFrame) or frame.skill != "hello":
                await self._bad("the first frame is {id, skill: hello, data}")
                continue
            try:
                return frame.id, order_of(Hello, frame.data)
            except CommandRefused as refusal:
                await self._send(error_frame(frame.id, refusal.reason, refusal.message))

    def _welcome(self, bot: DialledBot, token: str) -> dict[str, Any]:
        return {
            "agentCardUrl": self._endpoint.index.card_of(bot),
            "token": token,
            "pendingCalls": self._limits.pending,
        }

    async def _read(self, bot: DialledBot, line: Line) -> None:
        while True:
            frame = await self._frame()
            if isinstance(frame, AnswerFrame):
                line.answered(frame)
            elif len(self._tasks) >= self._limits.own_requests:
                message = f"{len(self._tasks)} requests wait for their answer; send fewer at once"
                await self._send(error_frame(frame.id, BotReason.BUSY, message))
            else:
                self._tasks.begin(self._answer(bot, frame))

    async def _answer(self, bot: DialledBot, request: RequestFrame) -> None:
        try:
            output = await self._output(bot, request)
        except CommandRefused as refusal:
            await self._send(error_frame(request.id, refusal.reason, refusal.message))
        except Exception:
            logger.exception("bot_request_failed", bot=bot.bot_id, skill=request.skill)
            await self._send(error_frame(request.id, BotReason.FAILED, "the gateway failed"))
        else:
            await self._send(answer_frame(request.id, output))

    async def _output(self, bot: DialledBot, request: RequestFrame) -> object:
        seating, card_url = self._endpoint.seating, self._endpoint.index.card_of(bot)
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

    async def _frame(self) -> RequestFrame | AnswerFrame:
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
