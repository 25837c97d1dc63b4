"""Reconcile a room with its table after a restart or a loss of data on either side.

If lobby and table hold the same events, play continues. If the lobby holds more than the table (a
lost tail, a new disk), or needs events that the table no longer keeps (the lobby was restored from
a backup), the lobby begins a new epoch: the running hand is cancelled, stacks are those of the last
completed hand, and unrecorded play of the old epoch is void. If the table is one of the fleet, and
lost, the room continues at another one in the same way.
"""

import asyncio
import contextlib
from collections.abc import Callable
from datetime import timedelta

import structlog
from casino_agentkit import CommandRefused
from casino_agentkit.process.background_tasks import Backoff
from casino_agentkit.process.waits import utc_now
from casino_contracts import NoInput, Reason, StartGameInput, Waiting, WaitReason

from casino_lobby.domain.fleet import base_url
from casino_lobby.domain.lobby_events import MessageBus, RoomChanged, TableReplaced
from casino_lobby.domain.room import Room
from casino_lobby.domain.room_addresses import AWAY, WAITING, TablePlace
from casino_lobby.domain.room_fold import begin_epoch, unreachable_players
from casino_lobby.domain.told_summary import is_silent
from casino_lobby.errors import StoreFailed
from casino_lobby.service.player_seating import seat_unrecorded
from casino_lobby.store import Store
from casino_lobby.table_directory import Tables
from casino_lobby.table_messages import TableReply

_CARD = timedelta(seconds=1.5)
"""How long a table may take to send its card: the next one may be free and alive."""

RoomLock = Callable[[Room], asyncio.Lock]
"""Returns the lock that keeps a room's events out while its epoch changes."""

logger = structlog.get_logger(__name__)


class Failover:
    """Moves rooms to free tables of the fleet; the reconciler moves each room once at a time.

    Publishes `RoomChanged`.
    """

    def __init__(
        self,
        store: Store,
        tables: Tables,
        lock: RoomLock,
        bus: MessageBus,
        timestamp: Callable[[], str],
    ) -> None:
        self._store = store
        self._tables = tables
        self._lock = lock
        self._bus = bus
        self._timestamp = timestamp
        self._left: dict[str, str] = {}
        """Base URL of the table that a room is leaving, by room id."""

    def is_due(self, room: Room) -> bool:
        """Return whether a lost table was the lobby's choice, and the players can be reached."""
        if not room.is_from_fleet or unreachable_players(room):
            return False
        return self._tables.fleet.is_lost(room.table_card_url)

    def is_moving(self, room: Room) -> bool:
        return room.room_id in self._left

    def is_left(self, card_url: str) -> bool:
        """Return whether no room needs the table at an address any more."""
        left = base_url(card_url)
        return not self._store.in_use.at(card_url) and left not in self._left.values()

    async def move(self, room: Room) -> None:
        """Configure a free table with what is recorded of a room.

        Raises CommandRefused: NO_TABLE if no free table takes the room; and StoreFailed.
        """
        lost, tried = room.place, set[str]()
        if room.state != WAITING:
            event = "table_left" if self._tables.fleet.has_left(lost.card_url) else "table_lost"
            logger.warning(event, room=room.room_id, table=lost.card_url)
        self._left[room.room_id] = base_url(lost.card_url)
        try:
            with self._store.in_use.held(lost.card_url):  # the room may have to return there
                while (url := self._tables.fleet.choose(tried)) is not None:
                    tried.add(url)
                    if await self._is_placed(room, url):
                        await self._note_move(room, lost.card_url)
                        return
        finally:
            del self._left[room.room_id]
        if room.state != WAITING:
            room.lose_table(Waiting.of(WaitReason.NO_TABLE, self._timestamp(), lost.card_url))
            self.publish_open(room)
            await self._store.save(room)
        raise CommandRefused(
            Reason.NO_TABLE,
            f"The table of room {room.room_id} is lost, and no announced table is free: start one"
            " more table agent that announces itself here.",
        )

    async def _is_placed(self, room: Room, url: str) -> bool:
        """Configure one table; return whether it took the room. Raises StoreFailed.

        Every attempt has an epoch of its own: a table may take the room although its reply is
        lost, and must not share an epoch with the next one.
        """
        lost, limit = room.place, self._tables.placing_limit
        room.take_from_fleet(url)  # no other room may choose it now
        try:
            # A room that waits has time for a slow table.
            patience = max(limit, _CARD) if room.state == WAITING else _CARD
            await self._tables.find(room, patience)
            self._tables.refuse_other_game(room)
            _refuse_without_keys(room)
            async with self._lock(room):  # no batch of the old epoch is being recorded
                seats, continuation = begin_epoch(room)
                await self._store.save(room)  # before the table gets the new epoch
            await self._tables.configure(room, room.epoch, seats, continuation, limit)
        except CommandRefused as refusal:
            self._give_up(room, lost)
            logger.warning("table_skipped", table=url, reason=refusal.reason, error=refusal.message)
            return False
        except BaseException:
            self._give_up(room, lost)
            raise
        return True

    def _give_up(self, room: Room, lost: TablePlace) -> None:
        room.return_to(lost)
        self._tables.disconnect(room)

    async def _note_move(self, room: Room, lost_url: str) -> None:
        logger.warning(
            "room_moved",
            room=room.room_id,
            from_table=lost_url,
            to_table=room.table_card_url,
            epoch=room.epoch,
        )
        room.find_table()
        await self._store.save(room)
        self.publish_open(room)

    def publish_open(self, room: Room) -> None:
        if room.phase == "open":  # the streams of one that closes have ended
            self._bus.publish(RoomChanged(room))


def _refuse_without_keys(room: Room) -> None:
    """Refuse a table of the protocol document alone: it takes no seats over."""
    if not room.is_keyed:
        raise CommandRefused(
            Reason.AGENT_CONTRACT_VIOLATION, "The table cannot take a room over: it has no keys."
        )


_BACKOFF = Backoff(first_s=0.1, slowest_s=5.0)
LAUNCHES = 20
"""How many times a launched table is started again before its room fails."""
_NOT_RESUMED = {Reason.ALREADY_RUNNING, Reason.NOT_ENOUGH_PLAYERS}
"""Refusals of a start that no later attempt changes: the session runs, or cannot."""
_REFUSED = "replaced"
"""State of a table that stopped because the lobby refused its events permanently."""
PATIENCE = timedelta(seconds=10)
"""How long a command waits for a room's reconciliation."""


class _Run:
    """One reconciliation that is running: when it is done, what ends its pauses, what it did."""

    def __init__(self) -> None:
        self.has_begun = self.is_new_epoch = self.has_moved = False
        self.done = asyncio.Event()
        self.retry = asyncio.Event()

    async def pause(self, seconds: float) -> None:
        """Wait, at most until a retry is wanted."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.retry.wait()


class TableReconciler:
    """Reconciles rooms with their tables, one attempt at a time for each room.

    A `lock` keeps a room's events out while its epoch changes. Publishes `RoomChanged`
    for a room that waits, goes on or has failed. `timestamp` is the wall clock in UTC.
    """

    def __init__(
        self,
        store: Store,
        tables: Tables,
        lock: RoomLock,
        bus: MessageBus,
        timestamp: Callable[[], str] = utc_now,
    ) -> None:
        self._store = store
        self._tables = tables
        self._lock = lock
        self._bus = bus
        self._timestamp = timestamp
        self.failover = Failover(store, tables, lock, bus, timestamp)
        self._running: dict[str, _Run] = {}
        self._behind: dict[str, int] = {}

    def reserve(self, room: Room) -> None:
        """Have commands wait from now on for the reconciliation that `revive` begins soon."""
        self._running.setdefault(room.room_id, _Run())

    async def revive(self, room: Room, *, behind_in: int | None = None) -> None:
        """Retry until a room and its table agree, or the room has failed or ended.

        `behind_in` is an epoch in which the table holds fewer events than the lobby; a
        reconciliation that is already running takes it into account.
        """
        if behind_in is not None:
            self._behind[room.room_id] = behind_in
        run = self._running.get(room.room_id)
        if run is None:
            run = self._running[room.room_id] = _Run()
        elif run.has_begun:
            return
        run.has_begun = True
        try:
            await self._revive(room, run)
            while self._is_behind(room) and room.phase in {"open", "closing"}:
                await self._revive(room, run)
        finally:
            del self._running[room.room_id]
            run.done.set()

    def retry(self, room: Room) -> None:
        if run := self._running.get(room.room_id):
            run.retry.set()

    def tables_changed(self) -> None:
        """Let rooms without a table try again: a table has become free."""
        running = [room for room_id in self._running if (room := self._store.room(room_id))]
        for room in self._store.in_use.oldest_first(running):
            if room.state == WAITING or self.failover.is_due(room):
                self.retry(room)

    def is_running(self, room: Room) -> bool:
        return room.room_id in self._running

    async def settle(self, room: Room) -> None:
        """Reconcile a room, or wait for the reconciliation that is running, however long."""
        if run := self._running.get(room.room_id):
            await run.done.wait()
        else:
            await self.revive(room)

    async def ready(self, room: Room) -> None:
        """May raise CommandRefused: TABLE_AWAY."""
        run = self._running.get(room.room_id)
        if run is None:
            return
        try:
            async with asyncio.timeout(PATIENCE.total_seconds()):
                await run.done.wait()
        except TimeoutError as error:
            raise CommandRefused(
                Reason.TABLE_AWAY, f"The table of room {room.room_id} is away; try again later."
            ) from error

    def forget(self, room: Room) -> None:
        self._behind.pop(room.room_id, None)

    def _is_behind(self, room: Room) -> bool:
        return self._behind.get(room.room_id) == room.epoch

    async def _revive(self, room: Room, run: _Run) -> None:
        failures = 0
        while room.phase in {"open", "closing"}:
            run.retry.clear()
            try:
                await self._agree(room, run)
            except (CommandRefused, StoreFailed) as error:
                failures += 1
                is_hopeless = room.is_launched and failures >= LAUNCHES
                if is_hopeless or error.reason == Reason.TABLE_DAMAGED:
                    await self._fail(room, f"its table cannot be reached again: {error.message}")
                    return
                if room.state not in {AWAY, WAITING}:
                    why = f"{error.reason}: {error.message}"
                    room.lose_table(Waiting.of(WaitReason.TABLE_AWAY, self._timestamp(), why))
                    self.failover.publish_open(room)
                await run.pause(_BACKOFF.pause_s(failures))
            else:
                before = room.state, room.waits.items
                room.find_table()
                if (room.state, room.waits.items) != before:
                    self.failover.publish_open(room)
                logger.info("table_reconciled", room=room.room_id, epoch=room.epoch)
                if run.is_new_epoch:
                    self._bus.publish(TableReplaced(room, run.has_moved))
                return

    async def _agree(self, room: Room, run: _Run) -> None:
        """Reconcile a room with its table, or with another one if its own is lost.

        Raises CommandRefused, StoreFailed.
        """
        if self.failover.is_due(room):
            try:
                await self._move(room, run)
            except CommandRefused:
                if not self._tables.fleet.is_available(room.table_card_url):
                    raise
                await self._compare(room, run)  # it has come back
        else:
            await self._compare(room, run)
        if room.is_over:
            return
        if room.is_keyed and room.phase == "open":
            await seat_unrecorded(self._tables, room)
        if room.goes_on:
            await self._resume_session(room)

    async def _move(self, room: Room, run: _Run) -> None:
        await self.failover.move(room)
        run.is_new_epoch = run.has_moved = True

    async def _compare(self, room: Room, run: _Run) -> None:
        """May raise CommandRefused."""
        await self._tables.find(room, self._tables.patience(room))
        recorded = room.numbered  # before the call: events may arrive meanwhile
        table = await self._tables.call(
            room, room.skills.summary, NoInput(), TableReply, timeout=self._tables.patience(room)
        )
        if table.table_id and table.table_id != room.table_id:
            await self._leave_table(room, run, table.table_id)
            return
        if is_silent(room) and table.table_id != "":
            table.tell(room, is_newest=False)
        if room.waits.tell(table.waits or ()) and room.phase == "open":
            self._bus.publish(RoomChanged(room))
        holds_less = (
            self._is_behind(room)
            or table.state == _REFUSED
            or table.table_id == ""
            or (table.epoch is not None and table.epoch != room.epoch)
            or (table.sequence is not None and table.sequence < recorded)
            or (table.kept_from is not None and table.kept_from > room.numbered + 1)
        )
        seats, continuation = None, None
        if holds_less and room.seats and not room.is_keyed and table.epoch is None:
            await self._fail(room, "its table has forgotten it, and takes no seats over")
            return
        if holds_less and (unreachable := unreachable_players(room)):
            names = ", ".join(unreachable)
            await self._fail(room, f"the addresses of the agents of {names} are unknown")
            return
        if holds_less:
            async with self._lock(room):  # no batch of the old epoch is being recorded
                seats, continuation = begin_epoch(room, above=table.epoch or 0)
                await self._store.save(room)  # before the table gets the new epoch
            logger.warning("table_replaced", room=room.room_id, epoch=room.epoch)
        if holds_less or table.epoch is not None:
            # Not a table that knows only the document: to be configured again would reset it.
            epoch = table.epoch or room.epoch
            timeout = self._tables.patience(room)
            await self._tables.configure(room, epoch, seats, continuation, timeout)
            run.is_new_epoch = run.is_new_epoch or holds_less
        await self._store.save(room)

    async def _leave_table(self, room: Room, run: _Run, other_id: str) -> None:
        """Give up a table that serves another room; raises CommandRefused, StoreFailed."""
        if room.is_from_fleet and not unreachable_players(room):
            await self._move(room, run)
        else:
            await self._fail(room, f"its table serves {other_id} now")

    async def _resume_session(self, room: Room) -> None:
        if room.phase == "open" and room.hands_left:
            start = StartGameInput(
                max_hands=room.hands_left, request_id=f"{room.room_id}:{room.epoch}:goes-on"
            )
            timeout = self._tables.patience(room)
            try:
                await self._tables.call(room, room.skills.start, start, TableReply, timeout=timeout)
            except CommandRefused as refusal:
                if refusal.reason not in _NOT_RESUMED:
                    raise
                logger.warning("session_not_resumed", room=room.room_id, reason=refusal.reason)
        room.end_resuming()
        await self._store.save(room)

    async def _fail(self, room: Room, cause: str) -> None:
        room.fail(cause)
        self._bus.publish(RoomChanged(room))
        await self._store.save(room)
        logger.error("table_lost", room=room.room_id, table=room.table_card_url, cause=cause)
