"""A2G as a whole: builds its parts, serves sockets, and runs what goes on without a client."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from casino_agentkit.bounded_state import RateLimit
from casino_storage.sqlite_file import SqliteFile
from starlette.responses import JSONResponse
from starlette.websockets import WebSocket, WebSocketDisconnect

from casino_gateway.a2g.a2g_codes import A2gCode, A2gLimits, Clocks
from casino_gateway.a2g.a2g_frames import SocketOutput
from casino_gateway.a2g.a2g_lobby import LoginSeating
from casino_gateway.a2g.a2g_sessions import LoginSessions
from casino_gateway.a2g.a2g_wallet import Wallet
from casino_gateway.a2g.authentication import Authentication
from casino_gateway.a2g.conversation import ClientConversation
from casino_gateway.seats.listed_games import ListedGames
from casino_gateway.seats.seat_service import SeatService
from casino_gateway.store.booking_rows import Bookings
from casino_gateway.store.login_rows import Logins

_BURST_S = 5
SERVER_ID = "a2a-casino"
_SECRETS = frozenset({"token", "access_token", "authorization", "bearer", "key", "sessionid"})
"""Query parameters that clients of other servers put secrets into; logs would keep them."""
Start = Callable[[SocketOutput], ClientConversation]


class A2g:
    """The protocol's server. `url`: where clients reach it."""

    def __init__(
        self,
        seats: SeatService,
        database: SqliteFile,
        games: ListedGames,
        limits: A2gLimits,
        url: str,
        clocks: Clocks | None = None,
    ) -> None:
        clocks = clocks or Clocks()
        self.limits = limits
        self.seats = seats
        self._clocks = clocks
        self._logins = Logins(database)
        bookings = Bookings(database)
        self.authentication = Authentication(self._logins, url, clocks)
        self.wallet = Wallet(bookings)
        self.games = games
        self._sessions = LoginSessions(seats, self._logins, bookings, limits, clocks)
        self.seating = LoginSeating(seats, self._sessions, bookings, limits, clocks)
        a_minute = limits.logins_per_address or float("inf")
        self.sign_ins = RateLimit(a_minute / 60, a_minute, clocks.monotonic)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Follow the seats of logins for the time of the context. Raises StoreFailed."""
        await self._sessions.start()
        # The lobby may take seconds to read the games of all tables for the first time.
        reading = asyncio.create_task(self.games.supported())
        try:
            yield
        finally:
            reading.cancel()
            await self._sessions.stop()

    def conversation(self, connection: SocketOutput) -> ClientConversation:
        rate = self.limits.messages_per_second
        return ClientConversation(
            connection,
            self._sessions,
            self.authentication,
            self._logins,
            self.wallet,
            RateLimit(rate, _BURST_S * rate, self._clocks.monotonic),
            self._clocks,
        )


class SocketEndpoint:
    """Serves sockets: each has a conversation; `start` makes one."""

    def __init__(self, start: Start, games: ListedGames, authentication_s: float) -> None:
        self._start = start
        self._games = games
        self._authentication_s = authentication_s

    async def serve(self, websocket: WebSocket) -> None:
        if _SECRETS & {name.lower() for name in websocket.query_params}:
            await websocket.send_denial_response(_refusal_of_secrets())
            return
        await websocket.accept()
        connection = SocketOutput()
        conversation = self._start(connection)
        conversation.begin(SERVER_ID, await self._games.supported())
        sending = asyncio.create_task(connection.send_all(websocket))
        reading = asyncio.create_task(self._read(websocket, conversation))
        full = asyncio.create_task(connection.is_full.wait())
        tasks = {sending, reading, full}
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            conversation.end()
            for task in tasks:
                task.cancel()
            ended = await asyncio.gather(*tasks, return_exceptions=True)
        for outcome in ended:
            if isinstance(outcome, Exception) and not isinstance(outcome, WebSocketDisconnect):
                raise outcome

    async def _read(self, websocket: WebSocket, conversation: ClientConversation) -> None:
        try:
            async with asyncio.timeout(self._authentication_s):
                while conversation.session is None:
                    await conversation.take(await _frame(websocket))
        except TimeoutError:
            conversation.late()
            await asyncio.Event().wait()  # until the error is sent, and the socket closed
        while True:
            await conversation.take(await _frame(websocket))


async def _frame(websocket: WebSocket) -> str | bytes:
    """Return the next frame. Raises WebSocketDisconnect."""
    message = await websocket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message.get("code", 1005), message.get("reason"))
    text: str | None = message.get("text")
    return message.get("bytes") or b"" if text is None else text


def _refusal_of_secrets() -> JSONResponse:
    return JSONResponse(
        {
            "code": A2gCode.AUTH_INVALID,
            "message": "a token must not be in a URL, which logs keep: send it in `authenticate`",
        },
        status_code=400,
    )
