"""A2G as a whole: builds its parts, and runs what goes on without a client."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from casino_agentkit.bounded_state import RateLimit
from casino_storage.sqlite_file import Database

from casino_gateway.a2g.auth.authentication import Authentication
from casino_gateway.a2g.connection import Connection
from casino_gateway.a2g.conversation import Conversation
from casino_gateway.a2g.games import Games
from casino_gateway.a2g.limits import A2gLimits, Clocks
from casino_gateway.a2g.seating import Seating
from casino_gateway.a2g.sessions import Sessions
from casino_gateway.a2g.wallet import Wallet
from casino_gateway.seats.seat_service import SeatService
from casino_gateway.store.bookings import Bookings
from casino_gateway.store.login_tables import create_tables
from casino_gateway.store.logins import Logins

_BURST_S = 5


class A2g:
    """The protocol's server. `url`: where clients reach it."""

    def __init__(
        self,
        seats: SeatService,
        database: Database,
        limits: A2gLimits,
        url: str,
        clocks: Clocks | None = None,
    ) -> None:
        clocks = clocks or Clocks()
        self.limits = limits
        self.seats = seats
        self._database = database
        self._clocks = clocks
        self._logins = Logins(database)
        bookings = Bookings(database)
        self.authentication = Authentication(self._logins, url, clocks)
        self.wallet = Wallet(bookings)
        self.games = Games(seats, clocks)
        self._sessions = Sessions(seats, self._logins, bookings, limits, clocks)
        self.seating = Seating(seats, self._sessions, bookings, limits, clocks)
        a_minute = limits.logins_per_address or float("inf")
        self.sign_ins = RateLimit(a_minute / 60, a_minute, clocks.monotonic)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Follow the seats of logins for the time of the context. Raises StoreFailed."""
        await create_tables(self._database)
        await self._sessions.start()
        # The lobby may take seconds to read the games of all tables for the first time.
        reading = asyncio.create_task(self.games.supported())
        try:
            yield
        finally:
            reading.cancel()
            await self._sessions.stop()

    def conversation(self, connection: Connection) -> Conversation:
        """Begin a conversation over a socket."""
        rate = self.limits.messages_per_second
        return Conversation(
            connection,
            self._sessions,
            self.authentication,
            self._logins,
            self.wallet,
            RateLimit(rate, _BURST_S * rate, self._clocks.monotonic),
            self._clocks,
        )
