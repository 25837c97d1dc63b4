"""The auditor of `casino audit` at a lobby that may be away, and its agreement with what is stored.

Beside the public record it compares a stopped lobby's ledger and the tables' journals.
"""

import contextlib
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import httpx
from casino import room_audit
from casino.lobby_api import LobbyApi
from casino_contracts import TableEvent
from casino_lobby.domain.room import Room
from casino_lobby.domain.room_views import public
from casino_lobby.store import SqlStore
from casino_table.play.changes import recover

from support.processes import eventually
from support.table.disk_log import disk_log

_PAGE = 5_000
_ANY_URL = "http://lobby"
"""Only the path of what is read there counts."""


@dataclass
class RoomAudit(room_audit.RoomAudit):
    """An audit that can be compared with a journal."""

    digests: dict[int, bytes] = field(default_factory=dict)
    """By epoch: a hash of all its events."""

    def take(self, event: TableEvent) -> None:
        """Apply one event; raises Irregular."""
        super().take(event)
        self.digests[self.epoch] = _chained(self.digests.get(self.epoch, b""), event)


class Auditor(room_audit.Auditor):
    """Reads the record of a lobby that may be away for a while."""

    rooms: dict[str, RoomAudit]  # type: ignore[assignment]  # those of `begin`

    def __init__(self, http: httpx.AsyncClient) -> None:
        super().__init__(LobbyApi(_ANY_URL, _PatientTransport(http)))

    async def read_room(self, room_id: str) -> RoomAudit:
        """Read the new events of a room; raises Irregular."""
        await super().read_room(room_id)
        return self.rooms[room_id]

    def begin(self, room_id: str) -> RoomAudit:
        return RoomAudit(room_id)


class _PatientTransport(httpx.AsyncBaseTransport):
    """Asks a lobby again while it starts, or while no lobby is active."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self._http = http

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Return the first answer."""
        path = request.url.raw_path.decode()

        async def answered() -> httpx.Response | None:
            with contextlib.suppress(httpx.TransportError):
                reply = await self._http.get(path)
                if reply.status_code != httpx.codes.SERVICE_UNAVAILABLE:
                    return reply
            return None

        reply = await eventually(answered, every=0.05)
        assert reply is not None
        headers = {"content-type": reply.headers["content-type"]}
        return httpx.Response(reply.status_code, headers=headers, content=reply.content)


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
            room = store.room(audit.room_id)
            assert room is not None
            balances = room.ledger.balances
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
