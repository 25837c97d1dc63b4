"""No event stops the lobby or is acknowledged without being readable.

Each attack tells whether it succeeded. It must not with the defences that a lobby has, and it must
when they are taken away one after the other: what the contract takes, the proof before an event is
acknowledged, and the reading that goes round unreadable rows.
"""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NoReturn

import httpx
import pytest
from casino.attack.attack_target import AttackedAgent, AttackTarget, Token
from casino.attack.attack_traffic import Traffic
from casino.attack.binding_calls import BINDINGS, FILL, Depth, TriedBinding
from casino.attack.callback_server import CallbackServer
from casino_agentkit import ANYONE, Agent, Service
from casino_contracts import RecordGameEventOutput, TableEvent
from casino_lobby.domain.reported_event import proved, written
from casino_lobby.service.recording import EventIngest
from casino_lobby.store import SqlStore, Store, StoreFailed
from casino_lobby.store.stored_rows import UnreadableRows
from pydantic import BaseModel
from starlette.types import ASGIApp
from support.attack.hostile_events import document_room, nested
from support.casino.store_side import new_room
from support.casino.streams import LiveLobby, lobby_of

Defence = Literal["contract", "proof", "reading"]
ALL: frozenset[Defence] = frozenset({"contract", "proof", "reading"})
LOBBY = AttackedAgent("the lobby", "http://lobby")
RIGHT = Token("the right of its table", new_room().key().events)
EVENT = {
    "tableId": "t-r1",
    "eventType": "table_status",
    "message": "hm",
    "timestamp": "2026-11-20T19:43:00.123Z",
    "payload": FILL,
}
WAYS = [one for one in BINDINGS if one.name in {"fast JSON-RPC", "the SDK's JSON-RPC", "HTTP+JSON"}]
DEPTHS = (*range(1, 60), *range(60, 1_101, 65))


class Anything(BaseModel, extra="allow"):
    """An input without validation."""


def unchecked_lobby(store: Store) -> ASGIApp:
    """Return a lobby that records events without the contract's limits."""
    recorder = EventIngest(store, store.bus)
    agent = Agent("Lobby", "Takes any event.", data_levels=10_000)

    @agent.entrypoint("recordGameEvent", who=ANYONE)
    async def record(given: Anything) -> RecordGameEventOutput:
        content = given.model_dump()
        fields: dict[str, Any] = {
            name: content.get(field.alias or name)
            for name, field in TableEvent.model_fields.items()
        }
        event = TableEvent.model_construct(**fields)
        room = store.room_of_table(event.table_id)
        assert room is not None
        await recorder.record(room, [event])
        return RecordGameEventOutput(sequence=room.last_sequence)

    return Service({"": agent}).asgi()


class Unforgiving(UnreadableRows):
    """Without the defence: an unreadable row raises where it is read."""

    def note(self, table: str, row: str, error: Exception | str) -> NoReturn:
        """Raise."""
        raise StoreFailed(f"{table} {row} cannot be read: {error}")


@dataclass
class Casino:
    """A lobby with the room `r1`, some of whose defences may be missing; it can be restarted."""

    url: str
    defences: frozenset[Defence]

    @asynccontextmanager
    async def running(self, *rooms: Any) -> AsyncIterator[LiveLobby]:
        store = SqlStore(
            self.url,
            write=proved if "proof" in self.defences else written,
            unreadable=None if "reading" in self.defences else Unforgiving(),
        )
        try:
            async with lobby_of(*rooms, store=store) as lobby:
                yield lobby
        finally:
            await store.close()  # also where the lobby did not start

    def target(self, lobby: LiveLobby) -> AttackTarget:
        is_checked = "contract" in self.defences
        app = lobby.service.asgi() if is_checked else unchecked_lobby(lobby.store)
        traffic = Traffic(httpx.ASGITransport(app, raise_app_exceptions=False))
        traffic.allow(LOBBY.base)
        return AttackTarget(traffic, LOBBY, _no_canary)


async def _no_canary() -> CallbackServer:
    raise AssertionError("nobody is invited")


async def acknowledged(
    casino: Casino, lobby: LiveLobby, binding: TriedBinding, payloads: Sequence[str]
) -> set[int]:
    """Send events with these payloads; returns the sequences of those that were acknowledged."""
    target, taken = casino.target(lobby), set[int]()
    for payload in payloads:
        sent = await target.call(
            LOBBY, "recordGameEvent", EVENT, RIGHT, binding, fill=payload.encode()
        )
        if sent.reply.depth is Depth.ANSWERED:
            taken.add(int(sent.reply.data["sequence"]))
    return taken


async def readable(lobby: LiveLobby) -> set[int]:
    """Return the sequences of the events that can be read, by pages and by the stream."""
    async with lobby.http.get(f"{lobby.url}/v1/rooms/r1/events?limit=5000") as reply:
        assert reply.status == 200, await reply.text()
        paged = {event["sequence"] for event in json.loads(await reply.text())["events"]}
    newest = max((one.cursor for one in await lobby.store.committed(0, 10_000)), default=0)
    streamed = set()
    if newest:
        async with lobby.stream("/v1/stream?after=0") as client:
            for message in await client.until_cursor(newest):
                streamed.add(message.data["event"]["sequence"])
    assert paged == streamed
    return paged


async def loses_what_it_acknowledged(
    casino: Casino, binding: TriedBinding, payloads: Sequence[str]
) -> bool:
    """Attack: an event is acknowledged and cannot be read, at once or after a restart."""
    async with casino.running(document_room()) as lobby:
        taken = await acknowledged(casino, lobby, binding, payloads)
        at_once = await readable(lobby)
    async with casino.running() as lobby:
        return not taken or taken != at_once or taken != await readable(lobby)


async def stops_the_lobby(casino: Casino, payload: str) -> bool:
    """Attack: after one event the lobby does not start again."""
    async with casino.running(document_room()) as lobby:
        await acknowledged(casino, lobby, WAYS[0], [payload])
    try:
        async with casino.running() as lobby:
            return lobby.store.room("r1") is None
    except StoreFailed:
        return True


def casino_with(home: Path, *defences: Defence) -> Casino:
    """Return a casino of a new database."""
    return Casino(f"sqlite+aiosqlite:///{home}/casino.db", frozenset(defences))


class TestOneEvent:
    @pytest.mark.parametrize("binding", WAYS, ids=lambda binding: binding.name)
    async def test_what_is_acknowledged_can_be_read(
        self, binding: TriedBinding, tmp_path: Path
    ) -> None:
        """At every depth, by every interface; and some events are acknowledged."""
        payloads = [nested(depth) for depth in DEPTHS]
        assert not await loses_what_it_acknowledged(casino_with(tmp_path, *ALL), binding, payloads)

    @pytest.mark.parametrize("defences", [("contract", "reading"), ("proof", "reading")])
    async def test_either_of_two_defences_is_enough(
        self, defences: tuple[Defence, ...], tmp_path: Path
    ) -> None:
        """The contract refuses known faults; the proof writes and reads every row."""
        payloads = [nested(depth) for depth in DEPTHS]
        casino = casino_with(tmp_path, *defences)
        assert not await loses_what_it_acknowledged(casino, WAYS[0], payloads)

    async def test_without_both_defences_events_are_lost(self, tmp_path: Path) -> None:
        payloads = [nested(depth) for depth in (1, 40)]
        assert await loses_what_it_acknowledged(casino_with(tmp_path, "reading"), WAYS[0], payloads)

    @pytest.mark.parametrize("defences", [(), ("contract",), ("proof",), ("reading",)])
    async def test_the_lobby_stops_only_without_any_defence(
        self, defences: tuple[Defence, ...], tmp_path: Path
    ) -> None:
        stopped = await stops_the_lobby(casino_with(tmp_path, *defences), nested(255))
        assert stopped == (not defences)
