"""One WebSocket to an A2G server: its opening, and the messages in both directions."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any
from uuid import uuid4

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
from casino_player_example.errors import LoginRefused, ServerLost

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
    """An authenticated WebSocket; `session_id` and `player_id` are empty if not named.

    `wall_ms` returns the time of day, in milliseconds.
    """

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
    ) -> None:
        """Send a message; raises ServerLost if the socket is closed."""
        frame = written(
            kind,
            message_id or str(uuid4()),
            payload,
            timestamp_ms=self._wall_ms(),
            game_type=game_type,
            table_id=table_id,
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
    """Open a WebSocket and log in; `timeout` bounds both together.

    The token travels in a message, never in the URL. Raises LoginRefused or ServerLost.
    """
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
