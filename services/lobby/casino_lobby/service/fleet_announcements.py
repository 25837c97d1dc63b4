"""Tables of the fleet: what they announce, and the watch for those that are lost.

Announcements extend leases, move tables and take them out. A room of the fleet whose table is
silent beyond the limit moves to another one.
"""

from collections.abc import Awaitable, Callable, Iterable
from datetime import timedelta

import structlog
from casino_agentkit import CommandRefused
from casino_agentkit.authority import is_token
from casino_contracts import Reason, RegisterTableInput, RegisterTableOutput

from casino_lobby.domain.fleet import base_url
from casino_lobby.domain.room import Room
from casino_lobby.domain.room_addresses import WAITING
from casino_lobby.service.dependencies import Dependencies
from casino_lobby.table_messages import milliseconds

_SHARE = 20
"""The watch looks this many times within the silence limit, and at least once in `_LONGEST`."""
_LONGEST = timedelta(seconds=0.5)

logger = structlog.get_logger(__name__)


class Announcements:
    """Registers tables that announce themselves, and grants leases to those that serve rooms."""

    def __init__(self, parts: Dependencies) -> None:
        self._parts = parts
        self._fleet = parts.tables.fleet
        self._failover = parts.reconciler.failover

    async def register(self, request: RegisterTableInput) -> RegisterTableOutput:
        """Register a table in the fleet; rooms that are created without a table may get it.

        A table that moved to another address is identified by the token of the room it serves. That
        token also proves who may extend the lease of a room's table, or say goodbye for it: without
        the token an announcement changes nothing but the table's own entry. Raises CommandRefused:
        TOO_MANY_TABLES, and STALE_EPOCH for a table whose room continues at another one.
        """
        served = self._served_room(request)
        is_its_table = served is not None and self._is_its_table(served, request)
        if request.leaving == "now":
            return self._leave(request, served if is_its_table else None)
        self._announce(request, is_its_table=is_its_table)
        if request.leaving == "soon":
            self._fleet.leave(request.agent_card_url, "soon")
        if served is not None and is_its_table:
            self._fleet.expect(request.agent_card_url)
            self._parts.reconciler.retry(served)
        elif served is not None:
            self._follow(served, request)
        self._revive_rooms_of(request)
        has_lease = served is not None and is_its_table and served.is_from_fleet
        return RegisterTableOutput(
            lease_ms=milliseconds(self._fleet.lease) if has_lease else None,
            announce_within_ms=milliseconds(self._fleet.announce_within),
        )

    def _served_room(self, request: RegisterTableInput) -> Room | None:
        store = self._parts.store
        room = store.room_of_table(request.table_id or "")
        return None if room is None or room.is_over or not store.group.owns(room) else room

    def _is_its_table(self, room: Room, request: RegisterTableInput) -> bool:
        """Return whether an announcement proves that it is of the room's present table."""
        return (
            base_url(room.table_card_url) == base_url(request.agent_card_url)
            and not self._failover.is_moving(room)
            and room.is_keyed
            and (request.epoch or room.epoch) == room.epoch
            and is_token(request.room_token or "", room.key().events)
        )

    def _announce(self, request: RegisterTableInput, *, is_its_table: bool) -> None:
        try:
            is_available = self._parts.tables.announce(
                request.agent_card_url, is_busy=bool(request.table_id)
            )
        except CommandRefused:
            if not is_its_table:  # else it needs no place: no other room may get it
                raise
            return
        if is_available:
            self._parts.reconciler.tables_changed()

    def _leave(self, request: RegisterTableInput, served: Room | None) -> RegisterTableOutput:
        """Take a table out of the fleet; `served` is the room whose table it has proved to be."""
        url = request.agent_card_url
        is_needed = not self._failover.is_left(url)
        if served is not None and served.is_from_fleet:
            self._fleet.leave(url, "now")
            self._revive(served)
        elif is_needed:
            self._fleet.leave(url, "soon")
        else:
            self._fleet.leave(url, "now")
        return RegisterTableOutput(is_released=not is_needed)

    def _follow(self, room: Room, request: RegisterTableInput) -> None:
        """Follow a table to another address; raises CommandRefused: STALE_EPOCH."""
        is_elsewhere = base_url(room.table_card_url) != base_url(request.agent_card_url)
        if not is_elsewhere or self._failover.is_moving(room):
            return
        if room.phase == "open" and _is_table_of(room, request):
            self._parts.background.begin(self._move_table(room, request.agent_card_url))
        elif room.is_from_fleet and _was_table_of(room, request):
            raise CommandRefused(
                Reason.STALE_EPOCH,
                f"Table {room.table_id} continues elsewhere, in epoch {room.epoch}: stop.",
            )

    def _revive_rooms_of(self, request: RegisterTableInput) -> None:
        """Reconcile rooms that a table serves no more; one without keys can prove nothing."""
        for room in self._parts.store.in_use.at(request.agent_card_url):
            if room.phase not in {"open", "closing"} or not self._parts.store.group.owns(room):
                continue
            if room.is_from_fleet and not room.is_keyed:
                self._fleet.expect(request.agent_card_url)
            if room.table_id != request.table_id:
                self._revive(room)

    def _revive(self, room: Room) -> None:
        if self._parts.is_draining:
            return
        if self._parts.reconciler.is_running(room):
            self._parts.reconciler.retry(room)
        else:
            self._parts.background.begin(self._parts.reconciler.revive(room))

    async def _move_table(self, room: Room, card_url: str) -> None:
        """Change the address of a room's table if the old address no longer serves the room."""
        before = room.place
        if room.table_card_url and await self._parts.tables.serves(room):
            return
        if room.place != before or self._failover.is_moving(room):
            return  # meanwhile it got another table
        logger.info("table_moved", room=room.room_id, to=card_url)
        room.move_table(card_url)
        if room.is_from_fleet:
            self._fleet.expect(card_url)
        await self._parts.store.save(room)
        await self._parts.reconciler.revive(room)


def _is_table_of(room: Room, request: RegisterTableInput) -> bool:
    """Return whether an announcement carries the token of the room's table.

    A token of an earlier epoch counts only while no table has sent an event of the room's epoch,
    and not in a room of the fleet, which may have another table by then.
    """
    epoch = request.epoch or room.epoch
    is_current = epoch >= room.epoch or not (room.last_sequence or room.is_from_fleet)
    return is_current and _has_token(room, request, epoch)


def _was_table_of(room: Room, request: RegisterTableInput) -> bool:
    """Return whether an announcement carries the token of an earlier epoch of the room."""
    epoch = request.epoch or room.epoch
    return epoch < room.epoch and _has_token(room, request, epoch)


def _has_token(room: Room, request: RegisterTableInput, epoch: int) -> bool:
    return room.is_keyed and is_token(request.room_token or "", room.key(epoch).events)


class FleetWatch:
    """Begins the move of rooms whose table is lost; `sleep` waits for some seconds.

    A table that an operator named is not replaced, and need not announce itself: it is asked for a
    sign of life when nothing comes from a room that plays. Launched tables have a supervisor.
    """

    def __init__(self, parts: Dependencies, sleep: Callable[[float], Awaitable[None]]) -> None:
        self._parts = parts
        self._sleep = sleep

    def expect_tables(self, rooms: Iterable[Room]) -> None:
        """Count the silence of the tables from now on: the rooms have become this lobby's."""
        for room in rooms:
            if room.is_from_fleet and not room.is_over and room.table_card_url:
                self._parts.tables.fleet.expect(room.table_card_url)

    async def run(self) -> None:
        period = min(self._parts.tables.fleet.silence / _SHARE, _LONGEST)
        while True:
            await self._sleep(period.total_seconds())
            self.check()

    async def run_asking(self) -> None:
        """Reconcile rooms from whose named table no event comes, and that does not answer."""
        before: dict[str, tuple[int, int]] = {}
        while True:
            await self._sleep(self._parts.tables.fleet.silence.total_seconds())
            rooms = list(filter(_may_be_stuck, self._parts.store.own_rooms()))
            for room in rooms:
                if before.get(room.room_id) == (room.epoch, room.last_sequence):
                    self._parts.background.begin(self._ask(room))
            before = {room.room_id: (room.epoch, room.last_sequence) for room in rooms}

    async def _ask(self, room: Room) -> None:
        reconciler = self._parts.reconciler
        if self._parts.is_draining or reconciler.is_running(room):
            return
        if not await self._parts.tables.serves(room):
            await reconciler.revive(room)

    def check(self) -> None:
        """Begin the move of every room whose table is lost."""
        if self._parts.is_draining:
            return
        reconciler, store = self._parts.reconciler, self._parts.store
        lost = [room for base in self._parts.tables.fleet.lost() for room in store.in_use.at(base)]
        for room in store.in_use.oldest_first(filter(store.group.owns, lost)):
            if room.phase not in {"open", "closing"} or not reconciler.failover.is_due(room):
                continue
            if not reconciler.is_running(room):
                self._parts.background.begin(reconciler.revive(room))
            elif room.state != WAITING:
                reconciler.retry(room)


def _may_be_stuck(room: Room) -> bool:
    is_named = not room.is_from_fleet and not room.is_launched
    return is_named and room.phase == "open" and room.status == "running"
