"""No event stops the lobby or is acknowledged without being readable.

Each attack tells whether it succeeded. It must not with the defences that a lobby has, and it must
when they are taken away one after the other: what the contract takes, the proof before an event is
acknowledged, and the reading that goes round unreadable rows.
"""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, Literal, NoReturn

import pytest
from casino_lobby.store import SqlStore, StoreFailed
from casino_lobby.store.serialization import proved, written
from casino_lobby.store.unreadable import UnreadableRows
from sqlalchemy import text
from support.attack.hostile_events import (
    BINDINGS,
    RIGHT,
    Binding,
    Sender,
    document_room,
    event_json,
    nested,
    unchecked_lobby,
)
from support.casino.casino_side import CasinoHarness, Operator
from support.casino.streams import LiveLobby, lobby_of
from support.processes import eventually
from support.table.table_side import calling

Defence = Literal["contract", "proof", "reading"]
ALL: frozenset[Defence] = frozenset({"contract", "proof", "reading"})
EVERY_DEPTH = range(1, 1_101)
SOME_DEPTHS = (*range(1, 60), *range(60, 1_101, 65))
"""The SDK's two ways take thirty times as long for each."""


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

    def sender(self, lobby: LiveLobby) -> Sender:
        if "contract" in self.defences:
            return Sender(lobby.service.asgi(), RIGHT)
        return Sender(unchecked_lobby(lobby.store))


async def acknowledged(
    casino: Casino, lobby: LiveLobby, binding: Binding, payloads: Sequence[str]
) -> Any:
    """Send events with these payloads; returns the sequences of those that were acknowledged."""
    sender = casino.sender(lobby)
    outputs = [await sender.send(binding, event_json(payload)) for payload in payloads]
    return {int(output["sequence"]) for output in outputs if output is not None}


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
    casino: Casino, binding: Binding, payloads: Sequence[str]
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
        await acknowledged(casino, lobby, "fast", [payload])
    try:
        async with casino.running() as lobby:
            return lobby.store.room("r1") is None
    except StoreFailed:
        return True


async def breaks_the_reading(casino: Casino, payload: str) -> bool:
    """Attack: after one event nobody can read the room's events."""
    async with casino.running(document_room()) as lobby:
        await acknowledged(casino, lobby, "fast", [payload, "{}"])
        async with lobby.http.get(f"{lobby.url}/v1/rooms/r1/events") as reply:
            return reply.status != 200


def casino_with(home: Path, *defences: Defence) -> Casino:
    """Return a casino of a new database."""
    return Casino(f"sqlite+aiosqlite:///{home}/casino.db", frozenset(defences))


class TestOneEvent:
    """Sent by a table, or with its key."""

    @pytest.mark.parametrize("binding", BINDINGS)
    @pytest.mark.timeout(300)
    async def test_what_is_acknowledged_can_be_read(self, binding: Binding, tmp_path: Path) -> None:
        """At every depth, by every interface; and some events are acknowledged."""
        depths = EVERY_DEPTH if binding == "fast" else SOME_DEPTHS
        payloads = [nested(depth) for depth in depths]
        assert not await loses_what_it_acknowledged(casino_with(tmp_path, *ALL), binding, payloads)

    @pytest.mark.parametrize("defences", [("contract", "reading"), ("proof", "reading")])
    async def test_either_of_two_defences_is_enough(
        self, defences: tuple[Defence, ...], tmp_path: Path
    ) -> None:
        """The contract refuses known faults; the proof writes and reads every row."""
        payloads = [nested(depth) for depth in range(1, 400, 3)]
        casino = casino_with(tmp_path, *defences)
        assert not await loses_what_it_acknowledged(casino, "fast", payloads)

    @pytest.mark.parametrize("binding", BINDINGS)
    async def test_without_both_defences_events_are_lost(
        self, binding: Binding, tmp_path: Path
    ) -> None:
        """The attack succeeds."""
        payloads = [nested(depth) for depth in (1, 40)]
        assert await loses_what_it_acknowledged(casino_with(tmp_path, "reading"), binding, payloads)

    @pytest.mark.parametrize(
        "defences",
        [
            tuple(name for name, is_there in zip(sorted(ALL), there, strict=True) if is_there)
            for there in product((True, False), repeat=len(ALL))
        ],
    )
    async def test_the_lobby_stops_only_without_any_defence(
        self, defences: tuple[Defence, ...], tmp_path: Path
    ) -> None:
        """Each of the three is enough."""
        assert await stops_the_lobby(casino_with(tmp_path, *defences), nested(255)) == (
            not defences
        )

    async def test_no_event_breaks_the_reading(self, tmp_path: Path) -> None:
        """It does where no defence is left."""
        (tmp_path / "with").mkdir()
        (tmp_path / "without").mkdir()
        assert not await breaks_the_reading(casino_with(tmp_path / "with", *ALL), nested(255))
        assert await breaks_the_reading(casino_with(tmp_path / "without"), nested(255))


SPOILT = {
    "room": "UPDATE room SET content = '{}' WHERE room_id = 'bad'",
    "room, no text": "UPDATE room SET content = CAST(x'ff' AS TEXT) WHERE room_id = 'bad'",
    "event": "UPDATE event SET content = '[' WHERE room_id = 'bad' AND sequence % 2",
    "event, no text": "UPDATE event SET content = CAST(x'ff' AS TEXT) WHERE room_id = 'bad'",
    "player": "UPDATE player SET seat_number = 'x' WHERE room_id = 'bad'",
    "session": "UPDATE session SET number = 'x' WHERE room_id = 'bad'",
    "hand": "UPDATE hand SET hand_number = 'x' WHERE room_id = 'bad' AND hand_number = 1",
    "ledger": "UPDATE ledger SET chips = 'x' WHERE room_id = 'bad' AND chips < 0",
    "command, notes": "UPDATE command SET notes = '{', answer = NULL",
    "command, name": "UPDATE command SET name = 'abolishRoom', answer = NULL",
    "command, input": "UPDATE command SET given = '{\"roomId\": 7}', answer = NULL",
}
"""What became of a row, by table."""


async def one_spoilt_row_stops_others(home: Path, statement: str, *, forgiving: bool) -> bool:
    """Attack: a row of one room is damaged, and the lobby does not start or others cannot play."""
    url = f"sqlite+aiosqlite:///{home}/casino.db"
    casino = CasinoHarness(store=SqlStore(url))
    tables = casino.transport.apps["http://tables"]
    async with casino.tables.running():
        async with casino.lobby.running():
            for number, room_id in enumerate(("bad", "good"), start=1):
                await play(casino, room_id, number)
        store = SqlStore(url)
        await store.open()
        await store.writer.write(lambda connection: connection.execute(text(statement)))
        await store.close()
        store = SqlStore(url, unreadable=None if forgiving else Unforgiving())
        again = CasinoHarness(store=store, transport=casino.transport)
        again.transport.apps["http://tables"] = tables
        try:
            async with again.lobby.running():
                return not await plays_on(again, "good") or not await is_legible(again)
        except StoreFailed:
            return True
        finally:
            await store.close()


async def play(casino: CasinoHarness, room_id: str, table: int) -> None:
    """Play a session of two hands in a new room."""
    operator = Operator(casino)
    await operator.open(room_id, table, maxSeats=2, maxHands=2, rebuy="auto")
    for name in ("ada", "bob"):
        casino.player(name, calling)
        assert (await operator.seat(name, room_id)).status_code == 201
    await until_idle(operator, room_id, 2)


async def until_idle(operator: Operator, room_id: str, hands: int) -> None:
    """Wait for the end of a session, after which a room has so many hands."""

    async def is_idle() -> bool:
        summary = (await operator.room(room_id)).summary
        return summary is not None and (summary.status, summary.hand_count) == ("idle", hands)

    await eventually(is_idle, every=0.02)


async def plays_on(casino: CasinoHarness, room_id: str) -> bool:
    """Tell whether a room can play another session."""
    operator = Operator(casino)
    started = await operator.post(f"/v1/rooms/{room_id}/start", {"maxHands": 2})
    if started.status_code != 202:
        return False
    await until_idle(operator, room_id, 4)
    return True


async def is_legible(casino: CasinoHarness) -> bool:
    """Tell whether everything that the public may ask for can be answered."""
    paths = ["/v1/rooms", "/v1/tables", "/v1/config"]
    for room_id in ("bad", "good"):
        paths += [f"/v1/rooms/{room_id}{rest}" for rest in ("", "/events", "/hands", "/hands/1")]
    async with casino.http() as http:
        statuses = [(await http.get(path)).status_code for path in paths]
    return all(status < 500 for status in statuses)


class TestOneSpoiltRow:
    """Damaged by a disk, by an older release, or by another program."""

    @pytest.mark.parametrize("what", SPOILT)
    async def test_the_lobby_starts_and_others_play_on(self, what: str, tmp_path: Path) -> None:
        """With a damaged row of any table."""
        assert not await one_spoilt_row_stops_others(tmp_path, SPOILT[what], forgiving=True)

    @pytest.mark.parametrize("what", ["room", "event", "command, notes"])
    async def test_without_the_defence_a_damaged_row_stops_the_lobby(
        self, what: str, tmp_path: Path
    ) -> None:
        """An unreadable row raises where it is read."""
        assert await one_spoilt_row_stops_others(tmp_path, SPOILT[what], forgiving=False)
