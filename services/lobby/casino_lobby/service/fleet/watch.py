"""Watch for tables that are lost: rooms of the fleet whose table is silent beyond the limit."""

from collections.abc import Awaitable, Callable, Iterable
from datetime import timedelta

from casino_lobby.domain.room import Room
from casino_lobby.domain.room_addresses import WAITING
from casino_lobby.service.parts import LobbyParts

_SHARE = 20
"""The watch looks this many times within the silence limit, and at least once in `_LONGEST`."""
_LONGEST = timedelta(seconds=0.5)


class FleetWatch:
    """Begins the move of rooms whose table is lost; `sleep` waits for some seconds."""

    def __init__(self, parts: LobbyParts, sleep: Callable[[float], Awaitable[None]]) -> None:
        self._parts = parts
        self._sleep = sleep

    def expect_tables(self, rooms: Iterable[Room]) -> None:
        """Count the silence of the tables from now on: the rooms have become this lobby's."""
        for room in rooms:
            if room.is_from_fleet and not room.is_over and room.table_card_url:
                self._parts.tables.fleet.expect(room.table_card_url)

    async def run(self) -> None:
        """Look periodically until cancelled."""
        period = min(self._parts.tables.fleet.silence / _SHARE, _LONGEST)
        while True:
            await self._sleep(period.total_seconds())
            self.check()

    def check(self) -> None:
        """Begin the move of every room whose table is lost."""
        if self._parts.is_draining:
            return
        reconciler, store = self._parts.reconciler, self._parts.store
        lost = [room for base in self._parts.tables.fleet.lost() for room in store.in_use.at(base)]
        for room in store.in_use.oldest_first(filter(store.owns, lost)):
            if room.phase not in {"open", "closing"} or not reconciler.failover.is_due(room):
                continue
            if not reconciler.is_running(room):
                self._parts.background.begin(reconciler.revive(room))
            elif room.state != WAITING:
                reconciler.retry(room)
