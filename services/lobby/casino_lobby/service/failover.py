"""Give the room of a lost table to a free one: a new epoch from the lobby's record.

The running hand is cancelled; what the lost table played beyond the record is void. A table that
comes back holds the key of an epoch that is over: its events are refused, and it stops.
"""

import asyncio
from collections.abc import Callable
from datetime import timedelta

import structlog
from casino_agentkit import CommandRefused
from casino_contracts import Reason

from casino_lobby.domain.fleet import base_url
from casino_lobby.domain.lobby_events import MessageBus, RoomChanged
from casino_lobby.domain.room import Room
from casino_lobby.domain.room_addresses import WAITING, TablePlace
from casino_lobby.domain.room_fold import begin_epoch, unreachable_players
from casino_lobby.store import Store
from casino_lobby.table_directory import Tables

_CARD = timedelta(seconds=1.5)
"""How long a table may take to send its card: the next one may be free and alive."""

RoomLock = Callable[[Room], asyncio.Lock]
"""Returns the lock that keeps a room's events out while its epoch changes."""

logger = structlog.get_logger(__name__)


class Failover:
    """Moves rooms to free tables of the fleet; the reconciler moves each room once at a time.

    Publishes `RoomChanged`.
    """

    def __init__(self, store: Store, tables: Tables, lock: RoomLock, bus: MessageBus) -> None:
        self._store = store
        self._tables = tables
        self._lock = lock
        self._bus = bus
        self._left: dict[str, str] = {}
        """Base URL of the table that a room is leaving, by room id."""

    def is_due(self, room: Room) -> bool:
        """Return whether a room has to move: its table is lost, and its players can be reached.

        A room that is bound to a table moves never: one that was launched, or whose address its
        creator chose.
        """
        if not room.is_from_fleet or unreachable_players(room):
            return False
        return self._tables.fleet.is_lost(room.table_card_url)

    def is_moving(self, room: Room) -> bool:
        """Return whether another table is being prepared for a room."""
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
            while (url := self._tables.fleet.choose(tried)) is not None:
                tried.add(url)
                if await self._is_placed(room, url):
                    await self._note_move(room, lost.card_url)
                    return
        finally:
            del self._left[room.room_id]
        if room.state != WAITING:
            room.wait_for_table()
            self._publish_open(room)
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
        self._publish_open(room)

    def _publish_open(self, room: Room) -> None:
        if room.phase == "open":  # the streams of one that closes have ended
            self._bus.publish(RoomChanged(room))


def _refuse_without_keys(room: Room) -> None:
    """Refuse a table of the protocol document alone: it takes no seats over."""
    if not room.is_keyed:
        raise CommandRefused(
            Reason.AGENT_CONTRACT_VIOLATION, "The table cannot take a room over: it has no keys."
        )
