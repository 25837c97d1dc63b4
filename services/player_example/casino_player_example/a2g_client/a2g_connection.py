"""An A2G server: its rooms over REST, and one WebSocket with the messages in both directions."""

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from types import MappingProxyType
from typing import Any, NoReturn
from uuid import uuid4

import httpx
from pydantic import SecretStr
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidURI

from casino_player_example.a2g_client.a2g_messages import (
    PROTOCOL_VERSION,
    Message,
    ServerCode,
    read_message,
    written,
)
from casino_player_example.errors import A2GError, LoginRefused, NoSeat, ServerLost

_MAX_FRAME = 2**20
_LOGIN_CODES = {
    ServerCode.AUTH_REQUIRED,
    ServerCode.AUTH_EXPIRED,
    ServerCode.AUTH_INVALID,
    ServerCode.VERSION_UNSUPPORTED,
}
_REFUSED_CLOSES = {1008, 4001}
"""Close codes after which a client does not come back: policy, and replaced by a newer socket."""


class ServerConnection:
    """An authenticated WebSocket with the ids that were named, else ""; `wall_ms`: time of day."""

    def __init__(self, socket: ClientConnection, wall_ms: Callable[[], int]) -> None:
        self.session_id = ""
        self.player_id = ""
        self._socket = socket
        self._wall_ms = wall_ms

    async def send(
        self,
        kind: str,
        payload: Mapping[str, Any],
        *,
        message_id: str | None = None,
        game_type: str = "",
        table_id: str = "",
        extra: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        """Send a message; raises ServerLost if the socket is closed."""
        frame = written(
            kind,
            message_id or str(uuid4()),
            payload,
            timestamp_ms=self._wall_ms(),
            game_type=game_type,
            table_id=table_id,
            extra=extra,
        )
        try:
            await self._socket.send(frame)
        except ConnectionClosed as error:
            raise _closed(error) from error

    async def messages(self) -> AsyncIterator[Message]:
        """Yield what the server sends, without frames that are no message.

        Answers heartbeats and extends an expiring session. Raises ServerLost when the socket
        closes, LoginRefused when the server ended the login.
        """
        while True:
            message = await self._next()
            if message.type == "heartbeat":
                if message.payload.get("direction") != "pong":
                    await self.send("heartbeat", {"direction": "pong"})
            elif message.type == "session_expiring":
                await self.send("session_extend", {})
            elif message.type == "error" and message.code in _LOGIN_CODES:
                raise LoginRefused(f"{message.code}: {message.text}")
            else:
                yield message

    async def authenticate(self, token: SecretStr) -> None:
        """Wait for the server's greeting and log in; raises LoginRefused or ServerLost."""
        greeting = await self._next()
        if greeting.type != "hello":
            raise ServerLost(f"the server begins with {greeting.type:.40}, not with hello")
        login = {"token": token.get_secret_value(), "protocolVersion": PROTOCOL_VERSION}
        await self.send("authenticate", login)
        async for message in self.messages():
            if message.type == "authenticated":
                self.session_id = _text(message, "sessionId")
                self.player_id = _text(message, "playerId") or _text(message, "walletAddress")
                return
            if message.type == "error":
                raise LoginRefused(f"{message.code}: {message.text}")

    async def _next(self) -> Message:
        while True:
            try:
                frame = await self._socket.recv()
            except ConnectionClosed as error:
                raise _closed(error) from error
            message = read_message(frame)
            if message is not None:
                return message


@asynccontextmanager
async def connected(
    url: str,
    token: SecretStr,
    *,
    tls: ssl.SSLContext | None,
    timeout: timedelta,
    wall_ms: Callable[[], int],
) -> AsyncIterator[ServerConnection]:
    """Log in within `timeout`, never by the URL. Raises LoginRefused, ServerLost."""
    context = tls if url.startswith("wss:") else None
    seconds = timeout.total_seconds()
    try:
        async with asyncio.timeout(seconds):
            socket = await connect(url, ssl=context, max_size=_MAX_FRAME, open_timeout=None)
    except (OSError, InvalidHandshake, InvalidURI, TimeoutError, EOFError) as error:
        raise ServerLost(f"{url}: {str(error) or type(error).__name__:.200}") from error
    try:
        connection = ServerConnection(socket, wall_ms)
        try:
            async with asyncio.timeout(seconds):
                await connection.authenticate(token)
        except TimeoutError as error:
            raise ServerLost(f"{url}: no login within {seconds:g} s") from error
        yield connection
    finally:
        await socket.close()


def _closed(error: ConnectionClosed) -> ServerLost | LoginRefused:
    close = error.rcvd
    if close is not None and close.code in _REFUSED_CLOSES:
        return LoginRefused(f"the server closed the connection: {close.code} {close.reason:.100}")
    return ServerLost("the connection is closed" + (f": {close.code}" if close else ""))


def _text(message: Message, key: str) -> str:
    value = message.payload.get(key)
    return value[:200] if isinstance(value, str) else ""


Json = dict[str, Any]
_MAX_REPLY = 1_000_000
_ATTEMPTS = 5
_FIRST_DELAY_S = 0.5
_MAX_SHOWN = 300
_BUSY, _FAILED, _ERROR = 429, 500, 400
_UNAUTHORIZED = {401, 403}


@dataclass(frozen=True, slots=True)
class ListedRoom:
    """A room that a server lists."""

    room_id: str
    game_type: str
    min_buy_in: float | None
    has_free_seat: bool


@dataclass(frozen=True, slots=True)
class JoinedSeat:
    """A seat that was taken; `player_id` is empty if the server did not name it."""

    room_id: str
    table_id: str
    game_type: str
    player_id: str


class A2GServer:
    """A server at `url`; `http` is closed by its opener. `timeout` bounds each request."""

    def __init__(
        self,
        http: httpx.AsyncClient,
        url: str,
        *,
        timeout: timedelta,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._http = http
        self._url = url.rstrip("/")
        self._timeout = timeout.total_seconds()
        self._sleep = sleep

    @property
    def socket_url(self) -> str:
        return "ws" + self._url.removeprefix("http") + "/ws"

    async def guest_token(self, display_name: str) -> SecretStr:
        """Log in as a guest, where the server has guests; raises A2GError."""
        reply = await self._call("POST", "/api/auth/guest", {"displayName": display_name})
        token = reply.get("token")
        if not isinstance(token, str) or not token:
            raise ServerLost(f"{self._url}/api/auth/guest: the reply has no token")
        return SecretStr(token)

    def log_in(self, token: SecretStr) -> None:
        self._http.headers["authorization"] = f"Bearer {token.get_secret_value()}"

    async def rooms(self) -> list[ListedRoom]:
        """Return the rooms of the lobby; entries that cannot be read are skipped."""
        listed = (await self._call("GET", "/api/lobby")).get("rooms")
        entries = listed if isinstance(listed, list) else []
        return [room for entry in entries if (room := _room_of(entry)) is not None]

    async def join(self, room: ListedRoom, display_name: str) -> JoinedSeat:
        """Take a seat for the smallest buy-in; raises NoSeat if the room refuses."""
        body: Json = {"displayName": display_name}
        if room.min_buy_in is not None:
            body["buyIn"] = _plain(room.min_buy_in)
        reply = await self._call("POST", f"/api/rooms/{room.room_id}/join", body)
        return JoinedSeat(
            room_id=room.room_id,
            table_id=_field(reply, "tableId") or room.room_id,
            game_type=_field(reply, "gameType") or room.game_type,
            player_id=_field(reply, "playerId"),
        )

    async def leave(self, seat: JoinedSeat) -> None:
        """Give a seat back; raises A2GError."""
        await self._call("POST", f"/api/rooms/{seat.room_id}/leave", {})

    async def _call(self, method: str, path: str, body: Json | None = None) -> Json:
        for attempt in range(_ATTEMPTS):
            status, reply = await self._request(method, path, body)
            if status < _ERROR:
                return reply
            is_temporary = status == _BUSY or status >= _FAILED
            if not is_temporary or attempt + 1 == _ATTEMPTS:
                self._refuse(path, status, reply)
            await self._sleep(_FIRST_DELAY_S * 2**attempt)
        raise AssertionError("the last attempt returns or raises")

    async def _request(self, method: str, path: str, body: Json | None) -> tuple[int, Json]:
        """Return status and JSON object of a reply; an empty one if it is none."""
        url = self._url + path
        try:
            async with (
                asyncio.timeout(self._timeout),
                self._http.stream(
                    method, url, json=body, headers={"accept-encoding": "identity"}, timeout=None
                ) as response,
            ):
                content = bytearray()
                async for chunk in response.aiter_raw():
                    content += chunk
                    if len(content) > _MAX_REPLY:
                        raise ServerLost(f"{url}: the reply is larger than {_MAX_REPLY} bytes")
                status = response.status_code
        except TimeoutError as error:
            raise ServerLost(f"{url}: no complete reply within {self._timeout:g} s") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise ServerLost(f"{url}: {str(error) or type(error).__name__:.200}") from error
        try:
            reply = json.loads(content)
        except (ValueError, RecursionError):
            reply = {}
        return status, reply if isinstance(reply, dict) else {}

    def _refuse(self, path: str, status: int, reply: Json) -> NoReturn:
        """Raise the error of a refusal, with the server's code and explanation."""
        inner = reply.get("error")
        words = inner if isinstance(inner, dict) else reply
        parts = (str(words.get(key, "")) for key in ("code", "message", "detail", "title"))
        why = ": ".join(part for part in parts if part)[:_MAX_SHOWN]
        clean = "".join(letter for letter in why if letter.isprintable()) or "no explanation"
        kind: type[A2GError] = ServerLost if status >= _FAILED else NoSeat
        raise (LoginRefused if status in _UNAUTHORIZED else kind)(f"{path}: HTTP {status}: {clean}")


def _room_of(entry: object) -> ListedRoom | None:
    if not isinstance(entry, dict) or not _field(entry, "id") or not _field(entry, "gameType"):
        return None
    least, taken, most = (entry.get(key) for key in ("minBuyin", "playerCount", "maxPlayers"))
    is_full = isinstance(taken, int) and isinstance(most, int) and taken >= most
    buy_in = float(least) if isinstance(least, int | float) else None
    return ListedRoom(_field(entry, "id"), _field(entry, "gameType"), buy_in, not is_full)


def _field(document: Json, key: str) -> str:
    value = document.get(key)
    return value[:200] if isinstance(value, str) else ""


def _plain(number: float) -> float:
    return int(number) if number.is_integer() else number
