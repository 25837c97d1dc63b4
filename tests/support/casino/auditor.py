"""An auditor of a casino that checks all public events, the store and the journals.

It applies every event of every epoch on its own, and compares the result with the lobby's snapshot,
its ledger and the tables' journals.
"""

import asyncio
import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from casino_contracts import EventPage, RoomSnapshot, TableEvent
from casino_lobby.domain.room import Room
from casino_lobby.domain.room_views import public
from casino_lobby.store import SqlStore
from casino_table.play.recovery import recover

from support.table.disk_log import disk_log

_PAGE = 5_000
_PATIENCE_S = 60.0


class Irregular(AssertionError):
    """A violated rule; the message has room, epoch, sequence and the violation."""


@dataclass
class RoomAudit:
    """The state of one room by its events."""

    room_id: str
    epoch: int = 1
    sequence: int = 0
    stacks: dict[str, int] = field(default_factory=dict)
    """As of the last completed hand, with what was bought since."""
    bought: int = 0
    """Bought in and bought again, less what left."""
    running: int | None = None
    dealt: dict[str, int] = field(default_factory=dict)
    started: int = 0
    """The newest hand."""
    completed: set[int] = field(default_factory=set)
    cancelled: set[int] = field(default_factory=set)
    actions: Counter[int] = field(default_factory=Counter)
    """By hand."""
    events: int = 0
    digests: dict[int, bytes] = field(default_factory=dict)
    """By epoch: a hash of all its events."""

    def take(self, event: TableEvent) -> None:
        """Apply one event; raises Irregular."""
        self._follows(event)
        payload = event.payload or {}
        kind = payload.get("kind")
        match event.event_type:
            case "player_registered":
                self._buys(payload, payload["stack"], is_new=True)
            case "hand_started":
                self._begins(payload)
            case "action_taken":
                self._is_right(payload["handNumber"] == self.running, "an action outside its hand")
                player = payload["playerId"]
                self._is_right(
                    0 <= payload["stack"] <= self.dealt[player], f"{player} acts with {payload}"
                )
                self.actions[payload["handNumber"]] += 1
            case "hand_completed":
                self._completes(payload)
            case "player_busted":
                self._is_right(self.stacks.pop(payload["playerId"]) == 0, "busted with chips")
            case "table_error":
                self._is_right(False, f"the table has a fault: {payload}")
            case "table_status" if kind == "rebought":
                self._buys(payload, payload["amount"], is_new=False)
            case "table_status" if kind == "left":
                held = self.stacks.pop(payload["playerId"])
                self._is_right(held == payload["stack"], f"{payload} left with other chips")
                self.bought -= held
            case "table_status" if kind == "hand_cancelled":
                self._is_right(payload["handNumber"] == self.running, "cancelled, never begun")
                self.cancelled.add(payload["handNumber"])
                self.running = None
        self._is_right(
            sum(self.stacks.values()) == self.bought, f"{self.stacks} of {self.bought} bought"
        )

    def _follows(self, event: TableEvent) -> None:
        epoch = event.epoch or 0
        self._is_right(epoch >= self.epoch, f"an event of epoch {epoch}")
        if epoch > self.epoch:  # one in between may have no events
            self.epoch, self.sequence = epoch, 0
        self.sequence += 1
        self._is_right(event.sequence == self.sequence, f"event {event.sequence} stands here")
        self.events += 1
        before = self.digests.get(self.epoch, b"")
        self.digests[self.epoch] = _chained(before, event)

    def _buys(self, payload: dict[str, Any], amount: int, *, is_new: bool) -> None:
        player = payload["playerId"]
        held = self.stacks.get(player)
        self._is_right(
            held is None if is_new else held == 0, f"{player} buys {amount}, holding {held}"
        )
        self._is_right(payload["stack"] == amount, f"{payload} after buying {amount}")
        self.stacks[player] = amount
        self.bought += amount

    def _begins(self, payload: dict[str, Any]) -> None:
        number = payload["handNumber"]
        self._is_right(self.running is None, f"hand {number} begins within hand {self.running}")
        self._is_right(number > self.started, f"hand {number} begins after {self.started}")
        self.running = self.started = number
        self.dealt = {seat["playerId"]: seat["stack"] for seat in payload["players"]}
        for player, stack in self.dealt.items():
            self._is_right(
                self.stacks.get(player) == stack,
                f"hand {number} begins with {player} at {stack}, not {self.stacks.get(player)}",
            )

    def _completes(self, payload: dict[str, Any]) -> None:
        number = payload["handNumber"]
        self._is_right(number not in self.completed, f"hand {number} is completed twice")
        self._is_right(number == self.running, f"hand {number} ends within {self.running}")
        stacks = {seat["playerId"]: seat["stack"] for seat in payload["stacks"]}
        self._is_right(stacks.keys() == self.dealt.keys(), f"hand {number} pays {stacks}")
        results = sum(stacks.values()) - sum(self.dealt.values())
        self._is_right(results == 0, f"the results of hand {number} sum to {results}")
        for pot in payload["pots"]:
            won = sum(winner["amount"] for winner in pot["winners"])
            self._is_right(won == pot["amount"], f"a pot of hand {number} pays {won}: {pot}")
        self.stacks.update(stacks)
        self.completed.add(number)
        self.running = None

    def _is_right(self, is_right: bool, otherwise: str) -> None:  # noqa: FBT001  what else
        if not is_right:
            raise Irregular(f"{self.room_id} {self.epoch}:{self.sequence}: {otherwise}")

    def is_whole(self) -> None:
        """Raise Irregular unless every hand but the last was completed or cancelled."""
        open_hands = {self.running} if self.running else set()
        seen = self.completed | self.cancelled | open_hands
        self._is_right(
            seen == set(range(1, self.started + 1)),
            f"hands {set(range(1, self.started + 1)) - seen} have no end",
        )
        self._is_right(not self.completed & self.cancelled, "a cancelled hand is completed")


class Auditor:
    """Reads the new events of a lobby's rooms over REST."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self._http = http
        self.rooms: dict[str, RoomAudit] = {}

    async def read(self) -> None:
        """Read the new events of every room; raises Irregular."""
        listed = (await self._get("/v1/rooms")).json()["rooms"]
        for room in listed:
            await self.read_room(room["roomId"])

    async def read_room(self, room_id: str) -> RoomAudit:
        """Read the new events of a room, and compare them with its snapshot."""
        audit = self.rooms.setdefault(room_id, RoomAudit(room_id))
        reply = await self._get(f"/v1/rooms/{room_id}")
        room = RoomSnapshot.model_validate_json(reply.content)
        for epoch in range(audit.epoch, (room.epoch or 1) + 1):
            after = audit.sequence if epoch == audit.epoch else 0
            while True:
                path = f"/v1/rooms/{room_id}/events?after={after}&limit={_PAGE}&epoch={epoch}"
                page = EventPage.model_validate_json((await self._get(path)).content)
                for event in page.events:
                    audit.take(event)
                if len(page.events) < _PAGE:
                    break
                after = audit.sequence
        audit.is_whole()
        counted = room.summary.hand_count if room.summary else 0
        if counted > len(audit.completed):
            raise Irregular(f"{room_id}: {counted} hands counted, {len(audit.completed)} reported")
        return audit

    async def _get(self, path: str) -> httpx.Response:
        """Read a resource, retrying while the lobby starts or no lobby is active."""
        async with asyncio.timeout(_PATIENCE_S):
            while True:
                try:
                    response = await self._http.get(path)
                except httpx.TransportError:
                    await asyncio.sleep(0.05)
                else:
                    if response.status_code != httpx.codes.SERVICE_UNAVAILABLE:
                        return response.raise_for_status()
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
            audit.is_whole()
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
