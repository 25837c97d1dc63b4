"""Finding a room's table again, after an end of the lobby, of the table, or of its memory.

Where both stand at the same place, play goes on as if nothing had been.
Where the lobby holds more than the table does (a lost tail, a fresh disk), or wants what the table
holds no more (it was put back to an old copy), the lobby begins a new epoch: the running hand is
cancelled, stacks are those of the last completed one, and what the old epoch played beyond the
record is void.
"""

import asyncio
from collections.abc import Callable
from datetime import timedelta

import structlog
from casino_agentkit import CommandRefused
from casino_contracts import NoInput, StartGameInput, TableSummary

from casino_lobby.domain.room import Room
from casino_lobby.store import Store
from casino_lobby.tables.directory import Configuration, Tables

_FIRST_RETRY_S, _SLOWEST_RETRY_S = 0.1, 5.0
LAUNCHES = 20
"""So often a launched table is launched again before its room is given up."""
AWAY = "table-away"
_REFUSED = "replaced"
"""The state of a table that has stopped, since the lobby refused its events for good."""
PATIENCE = timedelta(seconds=10)
"""So long a command waits for a table that is being looked for."""

logger = structlog.get_logger(__name__)


class TableReconciler:
    """Brings rooms back to their tables; one attempt at a time for each room.

    `alone` keeps a room's events out while its epoch changes; `changed` hears of a room that is
    given up.
    """

    def __init__(
        self,
        store: Store,
        tables: Tables,
        configuration: Configuration,
        alone: Callable[[Room], asyncio.Lock],
        changed: Callable[[Room], None],
    ) -> None:
        self._store = store
        self._alone = alone
        self._changed = changed
        self._tables = tables
        self._configuration = configuration
        self._under_way: dict[str, asyncio.Event] = {}
        self._behind: dict[str, int] = {}

    async def revive(self, room: Room, *, behind_in: int | None = None) -> None:
        """Make sure that a room and its table stand at the same place; gives up with the room.

        `behind_in` is an epoch in which the table is known to hold less than the lobby; whoever is
        looking for the table already hears of it.
        """
        if behind_in is not None:
            self._behind[room.room_id] = behind_in
        if room.room_id in self._under_way:
            return
        done = self._under_way[room.room_id] = asyncio.Event()
        try:
            await self._revive(room)
            while self._is_behind(room) and room.phase in {"open", "closing"}:
                await self._revive(room)
        finally:
            del self._under_way[room.room_id]
            done.set()

    async def ready(self, room: Room) -> None:
        """Wait for a room's table, where it is being looked for.

        Raises CommandRefused: TABLE_AWAY.
        """
        done = self._under_way.get(room.room_id)
        if done is None:
            return
        try:
            async with asyncio.timeout(PATIENCE.total_seconds()):
                await done.wait()
        except TimeoutError as error:
            raise CommandRefused(
                "TABLE_AWAY", f"The table of room {room.room_id} is away; try again later."
            ) from error

    def forget(self, room: Room) -> None:
        """Forget a room that is over."""
        self._behind.pop(room.room_id, None)

    def _is_behind(self, room: Room) -> bool:
        return self._behind.get(room.room_id) == room.epoch

    async def _revive(self, room: Room) -> None:
        retry_s, failures = _FIRST_RETRY_S, 0
        while room.phase in {"open", "closing"}:
            try:
                await self._tables.find(room)
                await self._meet(room)
            except CommandRefused as refusal:
                failures += 1
                is_hopeless = room.is_launched and failures >= LAUNCHES
                if is_hopeless or refusal.reason == "TABLE_DAMAGED":
                    await self._give_up(room, f"its table does not come back: {refusal.message}")
                    return
                if room.state != AWAY:
                    logger.warning("table_away", room=room.room_id, reason=refusal.reason)
                room.state = AWAY
                await asyncio.sleep(retry_s)
                retry_s = min(2 * retry_s, _SLOWEST_RETRY_S)
            else:
                if room.state == AWAY:
                    room.state = None
                logger.info("table_found", room=room.room_id, epoch=room.epoch)
                return

    async def _meet(self, room: Room) -> None:
        """Compare where both stand; raises CommandRefused."""
        held = room.last_sequence  # before it is asked: events may arrive while it answers
        table = await self._tables.call(room, room.skills.summary, NoInput(), TableSummary)
        if table.table_id and table.table_id != room.table_id:
            await self._give_up(room, f"its table serves {table.table_id} now")
            return
        holds_less = (
            self._is_behind(room)
            or table.state == _REFUSED  # it knows itself that its events are not taken
            or not table.table_id
            or (table.epoch is not None and table.epoch != room.epoch)
            or (table.sequence is not None and table.sequence < held)
            or (table.kept_from is not None and table.kept_from > room.last_sequence + 1)
        )
        seats, continuation = None, None
        if holds_less and (unreachable_players := room.unreachable_players):
            names = ", ".join(unreachable_players)
            await self._give_up(room, f"nobody knows where the agents of {names} are reached")
            return
        if holds_less:
            async with self._alone(room):  # no batch of the old epoch is under way
                seats, continuation = room.begin_epoch(above=table.epoch or 0)
                await self._store.save(room)  # before anybody hears of the new epoch
            logger.warning("table_replaced", room=room.room_id, epoch=room.epoch)
        configuration = self._configuration(room).model_copy(
            update={"seats": seats, "continuation": continuation}
        )
        await self._tables.configure(room, configuration, table.epoch or room.epoch)
        await self._store.save(room)
        if room.goes_on:
            await self._go_on(room)

    async def _go_on(self, room: Room) -> None:
        """Begin the interrupted session again, with the hands that it had left."""
        if room.phase == "open" and room.hands_left:
            start = StartGameInput(
                max_hands=room.hands_left, request_id=f"{room.room_id}:{room.epoch}:goes-on"
            )
            await self._tables.call(room, room.skills.start, start, TableSummary)
        room.goes_on = False
        await self._store.save(room)

    async def _give_up(self, room: Room, why: str) -> None:
        room.fail(why)
        self._changed(room)
        await self._store.save(room)
        logger.error("table_lost", room=room.room_id, table=room.table_card_url, why=why)
