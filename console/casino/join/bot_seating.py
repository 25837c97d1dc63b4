"""How a bot gets its seat: registered at the lobby by its card, or by a gateway it dialled."""

import asyncio
import itertools
import json
import secrets
import ssl
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import aiohttp
from casino_agentkit import CommandRefused
from casino_agentkit.process.background_tasks import BackgroundTasks, Backoff
from casino_contracts import Reason, RegisteredPlayer, RegisterPlayerInput
from casino_contracts.foreign_text import json_of
from casino_lobby_client.errors import CallFailed

from casino.errors import DialFailed
from casino.join.joined_player import JoinedPlayer, JoinReason
from casino.lobby_api import LobbyApi

_PATH = "/bots"
_BACKOFF = Backoff(first_s=0.2, slowest_s=10.0)
_HEARTBEAT_S = 20.0
_CONNECT_S = 15.0
_REPLY_S = 60.0
_LARGEST_ANSWER = 60_000
_REPLACED = 4000
_SCHEMES = {"http": "ws", "https": "wss", "ws": "ws", "wss": "wss"}
_REFUSALS = {
    404: "it has no door for bots (WebSocket /bots); is it a gateway?",
    429: "it has too many bots, or too many from here",
}


class DialOut:
    """Keeps a connection to the gateway at a URL, and answers its calls with the player."""

    def __init__(
        self,
        url: str,
        player: JoinedPlayer,
        say: Callable[[str], None],
        trusted: ssl.SSLContext | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.url = door_of(url)
        self.card_url = ""
        self._player = player
        self._say = say
        self._trusted = trusted
        self._sleep = sleep
        self._token: str | None = None
        self._socket: aiohttp.ClientWebSocketResponse | None = None
        self._connected = asyncio.Event()
        self._numbers = itertools.count(1)
        self._open: dict[str, asyncio.Future[Any]] = {}
        self._tasks = BackgroundTasks(lambda error: say(f"a call of the gateway failed: {error}"))
        self._refused: DialFailed | None = None

    async def run(self) -> None:
        """Stay connected until cancelled. Raises DialFailed at first, or if it is replaced."""
        failures = 0
        async with aiohttp.ClientSession() as session:
            try:
                while True:
                    try:
                        await self._connect(session)
                        failures = 0
                    except (aiohttp.ClientError, OSError, TimeoutError) as error:
                        if not self._token:
                            raise DialFailed(f"the gateway at {self.url}: {_why(error)}") from error
                        failures += 1
                    pause_s = _BACKOFF.pause_s(max(1, failures))
                    if not failures:
                        self._say("the connection to the gateway broke; connecting again")
                    await self._sleep(pause_s)
            finally:
                await self._tasks.end()

    async def request(self, skill: str, data: Mapping[str, Any]) -> dict[str, Any]:
        """Ask the gateway, once there is a connection. Raises DialFailed with its reason."""
        try:
            async with asyncio.timeout(_REPLY_S):
                await self._connected.wait()
                return await self._request(skill, data)
        except TimeoutError as error:
            raise DialFailed(f"the gateway at {self.url} does not answer") from error

    async def _connect(self, session: aiohttp.ClientSession) -> None:
        """Serve one connection until it ends. Raises DialFailed, or what aiohttp does."""
        async with asyncio.timeout(_CONNECT_S):
            socket = await session.ws_connect(
                self.url, heartbeat=_HEARTBEAT_S, ssl=self._trusted or True, max_msg_size=1 << 20
            )
        async with socket:
            self._socket = socket
            greeting = self._tasks.begin(self._greet())
            try:
                async for message in socket:
                    if message.type == aiohttp.WSMsgType.TEXT:
                        self._take(message.data)
            finally:
                greeting.cancel()
                self._socket = None
                self._connected.clear()
                for waiting in self._open.values():
                    waiting.cancel()
        if self._refused is not None:
            raise self._refused
        if socket.close_code == _REPLACED:
            raise DialFailed("another process has connected with the token of this bot")

    async def _greet(self) -> None:
        hello: dict[str, Any] = {"name": self._player.name, "skills": self._player.skills}
        if self._token:
            hello["token"] = self._token
        try:
            welcome = await self._request("hello", hello)
        except DialFailed as refused:
            if self._socket is not None:
                self._refused = refused
                await self._socket.close()
            return
        is_first = self._token is None
        self._token, self.card_url = welcome["token"], welcome["agentCardUrl"]
        self._connected.set()
        if not is_first:
            self._say("connected to the gateway again; the seat is kept")

    async def _request(self, skill: str, data: Mapping[str, Any]) -> dict[str, Any]:
        number = f"bot-{next(self._numbers)}"
        waiting: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._open[number] = waiting
        try:
            await self._send({"id": number, "skill": skill, "data": data})
            reply: dict[str, Any] = await waiting
        except asyncio.CancelledError:
            if waiting.cancelled() and self._socket is None:
                raise DialFailed("the connection to the gateway broke") from None
            raise
        else:
            return reply
        finally:
            del self._open[number]

    def _take(self, text: str) -> None:
        frame = json_of(text)
        if "skill" in frame:
            self._tasks.begin(self._answer(frame))
            return
        waiting = self._open.get(frame.get("id") or "")
        if waiting is None or waiting.done():
            return
        if "error" in frame:
            waiting.set_exception(DialFailed(str(frame["error"].get("message"))))
        else:
            waiting.set_result(frame.get("data"))

    async def _answer(self, frame: dict[str, Any]) -> None:
        try:
            answer = await self._player.answer(frame["skill"], frame["data"])
        except CommandRefused as refusal:
            await self._fail(frame, refusal.reason, refusal.message)
            return
        if len(json.dumps(answer)) > _LARGEST_ANSWER:
            await self._fail(
                frame, JoinReason.TOO_LARGE, "the bot's answer is larger than 60,000 bytes"
            )
            return
        await self._send({"id": frame["id"], "data": answer})

    async def _fail(self, frame: dict[str, Any], reason: str, message: str) -> None:
        await self._send({"id": frame["id"], "error": {"reason": reason, "message": message}})

    async def _send(self, frame: Mapping[str, Any]) -> None:
        if self._socket is not None and not self._socket.closed:
            await self._socket.send_str(json.dumps(frame))


def door_of(url: str) -> str:
    """Return the address of a gateway's door for bots. Raises DialFailed.

    >>> door_of("wss://casino.example"), door_of("http://127.0.0.1:4050/")
    ('wss://casino.example/bots', 'ws://127.0.0.1:4050/bots')
    """
    parts = urlsplit(url)
    scheme = _SCHEMES.get(parts.scheme)
    if scheme is None or not parts.netloc:
        raise DialFailed(f"--through {url}: a URL such as wss://casino.example")
    path = parts.path.rstrip("/")
    path = path if path.endswith(_PATH) else path + _PATH
    return urlunsplit((scheme, parts.netloc, path, "", ""))


def _why(error: Exception) -> str:
    if isinstance(error, aiohttp.WSServerHandshakeError):
        return _REFUSALS.get(error.status, f"HTTP status {error.status}")
    return str(error) or "it does not answer"


_SECONDS_OF_A_HAND = 10.0


@dataclass(frozen=True)
class ByCard:
    """The lobby calls the agent of this process at its card."""

    api: LobbyApi
    card_url: str

    async def join(self, room_id: str, seat: int | None) -> RegisteredPlayer:
        return await self.api.register(
            RegisterPlayerInput(
                room_id=room_id,
                agent_card_url=self.card_url,
                preferred_seat=seat,
                request_id=secrets.token_hex(16),
            )
        )

    async def leave(self, room_id: str, player_id: str) -> None:
        await self.api.leave(room_id, player_id)


@dataclass(frozen=True)
class ByDialling:
    """A gateway calls over the connection that this process opened, and registers the bot."""

    dial: DialOut
    request_id: str

    async def join(self, room_id: str, seat: int | None) -> RegisteredPlayer:
        order: dict[str, Any] = {"roomId": room_id, "requestId": self.request_id}
        if seat is not None:
            order["preferredSeat"] = seat
        return RegisteredPlayer.model_validate(await self.dial.request("join", order))

    async def leave(self, room_id: str, player_id: str) -> None:  # noqa: ARG002  its own seat
        order = {"roomId": room_id, "requestId": self.request_id}
        await self.dial.request("leave", order)


SeatingMethod = ByCard | ByDialling
"""Takes a seat, and gives it back after the running hand. Raises CallFailed, DialFailed."""


async def no_room(api: LobbyApi, room_id: str, lobby: str, error: CallFailed) -> CallFailed:
    """Return the error of a room that does not exist: how to make one, and which there are."""
    if error.reason != Reason.ROOM_NOT_FOUND:
        return error
    there: tuple[str, ...] = ()
    with suppress(CallFailed):
        there = tuple(room.room_id for room in (await api.rooms()).rooms)
    rooms = f" The rooms there: {', '.join(there[:10])}." if there else ""
    at = "" if lobby == "http://127.0.0.1:4000" else f" --lobby {lobby}"
    return CallFailed(
        f"there is no room {room_id} at {lobby}.{rooms}"
        f" Make it: casino room create {room_id}{at}; or join with --up, which needs no room"
    )


async def until_left(is_over: Callable[[], bool], following: "asyncio.Task[None]") -> None:
    """Wait until the seat is gone, as far as the lobby can be followed."""
    if following.done():
        if not is_over():
            await asyncio.sleep(_SECONDS_OF_A_HAND)  # the table may still ask in this hand
        return
    with suppress(CallFailed, DialFailed):
        await following
