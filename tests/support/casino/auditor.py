"""The auditor of `casino audit` at a lobby that may be away, and its agreement with what is stored.

Beside the public record it compares a stopped lobby's ledger and the tables' journals.
"""

import asyncio
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote

import httpx
from casino.audit import auditor, room_audit
from casino_contracts import EventPage, HandPage, RoomList, RoomSnapshot, Standings, TableEvent
from casino_contracts.base import WireModel
from casino_lobby.domain.room import Room
from casino_lobby.domain.room_views import public
from casino_lobby.store import SqlStore
from casino_table.play.recovery import recover

from support.processes import PATIENCE_S
from support.table.disk_log import disk_log

_PAGE = 5_000
ReplyT = TypeVar("ReplyT", bound=WireModel)


@dataclass
class RoomAudit(room_audit.RoomAudit):
    """An audit that can be compared with a journal."""

    digests: dict[int, bytes] = field(default_factory=dict)
    """By epoch: a hash of all its events."""

    def take(self, event: TableEvent) -> None:
        """Apply one event; raises Irregular."""
        super().take(event)
        self.digests[self.epoch] = _chained(self.digests.get(self.epoch, b""), event)


class Auditor(auditor.Auditor):
    """Reads the record of a lobby that may be away for a while."""

    rooms: dict[str, RoomAudit]  # type: ignore[assignment]  # those of `begin`

    def __init__(self, http: httpx.AsyncClient) -> None:
        super().__init__(_PatientRecord(http))

    async def read_room(self, room_id: str) -> RoomAudit:
        """Read the new events of a room; raises Irregular."""
        await super().read_room(room_id)
        return self.rooms[room_id]

    def begin(self, room_id: str) -> RoomAudit:
        return RoomAudit(room_id)


class _PatientRecord:
    """A lobby's record; asks again while the lobby starts or no lobby is active."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self._http = http

    async def rooms(self, _status: str | None = None) -> RoomList:
        return await self._get("", RoomList)

    async def room(self, room_id: str) -> RoomSnapshot:
        return await self._get(f"/{quote(room_id, safe='')}", RoomSnapshot)

    async def events(self, room_id: str, after: int, epoch: int) -> EventPage:
        query = f"after={after}&limit={_PAGE}&epoch={epoch}"
        return await self._get(f"/{quote(room_id, safe='')}/events?{query}", EventPage)

    async def standings(self, room_id: str) -> Standings:
        return await self._get(f"/{quote(room_id, safe='')}/standings", Standings)

    async def hands(self, room_id: str, order: str, _limit: int) -> HandPage:
        return await self._get(f"/{quote(room_id, safe='')}/hands?order={order}", HandPage)

    async def _get(self, path: str, reply: type[ReplyT]) -> ReplyT:
        async with asyncio.timeout(PATIENCE_S):
            while True:
                try:
                    response = await self._http.get("/v1/rooms" + path)
                except httpx.TransportError:
                    await asyncio.sleep(0.05)
                else:
                    if response.status_code != httpx.codes.SERVICE_UNAVAILABLE:
                        return reply.model_validate_json(response.raise_for_status().content)
                    await asyncio.sleep(0.05)


async def audit_store(data: Path | str, audits: Iterable[RoomAudit]) -> dict[str, Room]:
    """Compare a stopped lobby's ledger and rooms with the audits; returns the rooms.

    `data` is its data directory, or its database's URL. Reads the events since the last call.
    """
    url = data if isinstance(data, str) else f"sqlite+aiosqlite:///{data / 'casino.db'}"
    store = SqlStore(url)
    await store.open()
    try:
        found = {}
        for audit in audits:
            balances = await store.balances(audit.room_id)
            room = store.room(audit.room_id)
            assert room is not None
            for event in await store.events(room, audit.sequence, 1_000_000):
                audit.take(public(event))
            audit.check_whole()
            assert sum(balances.values()) == 0, balances
            assert "discrepancy" not in balances
            players = {k.removeprefix("player:"): v for k, v in balances.items() if k != "cashier"}
            assert players == {name: stack for name, stack in audit.stacks.items() if stack}
            assert room.settled == audit.stacks
            assert (room.epoch, room.last_sequence) == (audit.epoch, audit.sequence)
            assert (room.hand_count, room.last_hand) == (len(audit.completed), audit.started)
            assert room.running_hand == audit.running
            found[audit.room_id] = room
        return found
    finally:
        await store.close()


def audit_journal(path: Path, room: Room, audit: RoomAudit) -> None:
    """Compare a stopped table's journal with its room.

    Both must have the same events of the current epoch.
    """
    log = disk_log(path)
    try:
        epoch, records = log.tail()
        recovered = recover(records)
        table = recovered.table
        digest, after = b"", 0
        while batch := log.events(epoch, after, _PAGE):
            for entry in batch:
                digest = _chained(digest, public(TableEvent.model_validate_json(entry.content)))
            after = batch[-1].sequence
    finally:
        log.close()
    assert (table.table_id, epoch, after) == (room.table_id, room.epoch, room.last_sequence)
    assert digest == audit.digests[epoch]
    stacks = {seat.player_id: (seat.number, seat.stack) for seat in table.seats.values()}
    assert stacks == {
        player: (seat.seat_number, room.settled[player]) for player, seat in room.seats.items()
    }
    assert (table.hand_number, table.hands_completed) == (room.last_hand, room.hand_count)
    assert sum(stack for _, stack in stacks.values()) == table.bought_in
    assert (recovered.hand is None) == (audit.running is None)


def _chained(before: bytes, event: TableEvent) -> bytes:
    reported = event.model_dump_json().encode()
    return hashlib.blake2b(before + reported, digest_size=16).digest()
