"""The casino goes on after any of its processes was killed."""

import asyncio
import contextlib
import os
import signal
import sqlite3
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, closing
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest
from casino_agentkit import Child, ChildFailed
from casino_contracts import RoomSnapshot, TableEvent
from casino_lobby.store import SqlStore
from casino_lobby.tables.journal_directory import journal_directory
from support.casino.live import ENVIRONMENT, GRACE, ProcessCasino
from support.table.table_side import CONFIG

pytestmark = [pytest.mark.full, pytest.mark.timeout(180)]

ASK_EVERY_S = 0.02

RULES = {"maxHands": 100_000, "maxSeats": 3, "rebuy": "auto", "seed": "durable"}


class DurableCasino(ProcessCasino):
    """A casino whose lobby can be killed and started again on the same port and data."""

    def __init__(
        self, lobby: Child, before: AsyncExitStack, after: AsyncExitStack, data: Path
    ) -> None:
        super().__init__(lobby, before, after)
        self.data = data
        self.hosted = before
        """Ends the hosted tables, and the REST client."""

    async def restart_lobby(self, how: signal.Signals) -> None:
        """End the lobby, and start it again."""
        port = self.lobby.url.rpartition(":")[2]
        os.kill(self.lobby.pid, how)
        await self.lobby.wait()
        self.lobby = await start_lobby(port, self.data)

    @property
    def table_pid(self) -> int:
        """The process of the one table that the lobby launched."""
        (table,) = psutil.Process(self.lobby.pid).children()
        return table.pid

    async def hands(self, more: int, room_id: str = "main") -> RoomSnapshot:
        """Wait until a number of further hands is completed."""
        room = await self.room(room_id)
        wanted = hands_of(room) + more
        while hands_of(room) < wanted:
            await asyncio.sleep(ASK_EVERY_S)
            with contextlib.suppress(httpx.TransportError):
                room = await self.room(room_id)
        return room

    async def all_events(self, room_id: str = "main") -> dict[int, list[TableEvent]]:
        """Return all events by epoch."""
        room = await self.room(room_id)
        assert room.epoch is not None
        epochs = range(1, room.epoch + 1)
        return {epoch: await self.events(room_id, epoch) for epoch in epochs}


def hands_of(room: RoomSnapshot) -> int:
    """Return how many hands a room has completed."""
    assert room.summary is not None
    return room.summary.hand_count


async def start_lobby(port: str, data: Path) -> Child:
    """Start a lobby on a port and its data."""
    environment = {**ENVIRONMENT, "CASINO_LOBBY_DATA": str(data)}
    return await Child.start("lobby", "casino_lobby", ["--port", port], environment=environment)


@asynccontextmanager
async def durable_casino(data: Path) -> AsyncIterator[DurableCasino]:
    """Run a lobby on a data directory, and end everything."""
    async with AsyncExitStack() as after, AsyncExitStack() as between, AsyncExitStack() as before:
        casino = DurableCasino(await start_lobby("0", data), before, after, data)
        between.push_async_callback(lambda: casino.lobby.stop(GRACE))
        yield casino


async def playing(casino: DurableCasino, **more: Any) -> None:
    """Open a room with three players and wait for three hands."""
    await casino.open(**{**RULES, **more})
    for card in await casino.samples("random", 3):
        reply = await casino.seat(card)
        assert reply.status_code == 201, reply.text
    await casino.hands(3)


def is_gapless(events: list[TableEvent]) -> bool:
    """Return whether sequences are 1, 2, 3 …."""
    return [event.sequence for event in events] == list(range(1, len(events) + 1))


def completed(events: list[TableEvent]) -> list[int]:
    """Return the numbers of completed hands."""
    return [
        (event.payload or {})["handNumber"]
        for event in events
        if event.event_type == "hand_completed"
    ]


async def check_books(casino: DurableCasino) -> None:
    """Stop tables and lobby, and check the balances of all accounts in its store."""
    room = await casino.room()
    await casino.hosted.aclose()
    await casino.lobby.stop(GRACE)
    store = SqlStore(f"sqlite+aiosqlite:///{casino.data / 'casino.db'}")
    await store.open()
    try:
        balances = await store.balances("main")
        stored = store.room("main")
    finally:
        await store.close()
    assert sum(balances.values()) == 0
    assert "discrepancy" not in balances
    assert stored is not None
    players = {k.removeprefix("player:"): v for k, v in balances.items() if k != "cashier"}
    assert players == {name: stack for name, stack in stored.settled.items() if stack}
    assert room.summary is not None


async def test_a_killed_table_resumes_its_hand(tmp_path: Path) -> None:
    """The lobby launches it again on its journal: no hand is lost or cancelled."""
    async with durable_casino(tmp_path) as casino:
        await playing(casino)
        for _ in range(3):
            os.kill(casino.table_pid, signal.SIGKILL)
            await casino.hands(5)
        (events,) = (await casino.all_events()).values()
        assert is_gapless(events)
        numbers = completed(events)
        assert numbers == list(range(1, len(numbers) + 1))
        kinds = {(event.payload or {}).get("kind") for event in events}
        assert "hand_cancelled" not in kinds
        await check_books(casino)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
async def test_a_restarted_lobby_restores_rooms_and_tables(
    tmp_path: Path, how: signal.Signals
) -> None:
    """It launches the table again, and play goes on."""
    async with durable_casino(tmp_path) as casino:
        await playing(casino)
        before = await casino.room()
        await casino.restart_lobby(how)
        room = await casino.hands(5)
        assert room.room_id == before.room_id
        assert [seat.player_id for seat in (room.summary or 1).players] == [  # type: ignore[union-attr]
            "player-1",
            "player-2",
            "player-3",
        ]
        (events,) = (await casino.all_events()).values()
        assert is_gapless(events)
        numbers = completed(events)
        assert numbers == list(range(1, len(numbers) + 1))
        await check_books(casino)


async def test_an_announced_table_plays_on_without_the_lobby(tmp_path: Path) -> None:
    """It delivers its events when the lobby is back."""
    async with durable_casino(tmp_path) as casino:
        await casino.host_tables(1)
        await playing(casino)
        os.kill(casino.lobby.pid, signal.SIGKILL)
        await casino.lobby.ended()
        port = casino.lobby.url.rpartition(":")[2]
        casino.lobby = await start_lobby(port, casino.data)
        await casino.hands(5)
        (events,) = (await casino.all_events()).values()
        assert is_gapless(events)
        assert completed(events) == list(range(1, len(completed(events)) + 1))
        await check_books(casino)


async def test_a_lost_journal_is_a_new_epoch(tmp_path: Path) -> None:
    """The running hand is cancelled; play goes on with the last settled stacks."""
    async with durable_casino(tmp_path) as casino:
        await playing(casino)
        pid = casino.table_pid
        os.kill(pid, signal.SIGSTOP)
        for file in journal_directory(tmp_path / "tables", "main").iterdir():
            file.unlink()
        os.kill(pid, signal.SIGKILL)
        while (await casino.room()).epoch != 2:
            await asyncio.sleep(ASK_EVERY_S)
        await casino.hands(5)
        first, second = (await casino.all_events()).values()
        assert is_gapless(first)
        assert is_gapless(second)
        numbers = completed(first) + completed(second)
        assert len(set(numbers)) == len(numbers)
        stacks = [
            {seat["playerId"]: seat["stack"] for seat in (event.payload or {})["stacks"]}
            for event in first
            if event.event_type == "hand_completed"
        ][-1]
        bought = {
            (event.payload or {})["playerId"]: (event.payload or {})["stack"]
            for event in first[-12:]
            if (event.payload or {}).get("kind") == "rebought"
        }
        begun = next(event for event in second if event.event_type == "hand_started")
        seen = {seat["playerId"]: seat["stack"] for seat in (begun.payload or {})["players"]}
        rebought = {
            (event.payload or {})["playerId"]
            for event in second
            if (event.payload or {}).get("kind") == "rebought"
        }
        for player, stack in stacks.items():
            if player not in bought and player not in rebought:
                assert seen[player] == stack
        await check_books(casino)


async def test_a_damaged_journal_fails_its_room(tmp_path: Path) -> None:
    """With the last settled stacks; nothing is played on a damaged journal."""
    async with durable_casino(tmp_path) as casino:
        await playing(casino)
        await casino.lobby.stop(GRACE)
        journal = journal_directory(tmp_path / "tables", "main") / "tables-1-of-1.journal"
        with closing(sqlite3.connect(journal, isolation_level=None)) as database:
            database.execute("UPDATE block SET body = x'00'")
        casino.lobby = await start_lobby(casino.lobby.url.rpartition(":")[2], tmp_path)
        room = await casino.until("failed")
        assert room.summary is not None
        assert "damaged at record" in (room.summary.message or "")
        player = await casino.sample("caller")
        refused = await casino.seat(player.cards[0])
        assert (refused.status_code, refused.json()["reason"]) == (409, "ROOM_CLOSED")
        assert (await casino.http.delete("/v1/rooms/main")).json()["state"] == "closed"


async def test_repeated_commands_are_carried_out_once(tmp_path: Path) -> None:
    """Also after the lobby was killed; another command is carried out."""
    async with durable_casino(tmp_path) as casino:
        body = {"roomId": "main", "config": {**CONFIG, **RULES}}
        key = {"Idempotency-Key": "k1"}
        first = await casino.http.post("/v1/rooms", json=body, headers=key)
        assert first.status_code == 201
        player = await casino.sample("caller")
        seat = {"agentCardUrl": player.cards[0]}
        path = "/v1/rooms/main/players"
        seated = await casino.http.post(path, json=seat, headers={"Idempotency-Key": "p"})
        await casino.restart_lobby(signal.SIGKILL)
        again = await casino.http.post("/v1/rooms", json=body, headers=key)
        assert (again.status_code, again.json()["roomId"]) == (201, "main")
        same = await casino.http.post(path, json=seat, headers={"Idempotency-Key": "p"})
        assert same.json() == seated.json()
        reused = await casino.http.post(path, json={**seat, "preferredSeat": 2}, headers=key)
        assert reused.status_code == 201, reused.text  # another kind of command has keys of its own
        other = await casino.http.post(
            path, json={**seat, "preferredSeat": 1}, headers={"Idempotency-Key": "p"}
        )
        assert (other.status_code, other.json()["reason"]) == (422, "REQUEST_ID_REUSED")


async def test_a_leaving_player_is_cashed_out_and_frees_the_seat(tmp_path: Path) -> None:
    """After the running hand; the others play on."""
    async with durable_casino(tmp_path) as casino:
        await playing(casino)
        reply = await casino.http.delete("/v1/rooms/main/players/player-2")
        assert reply.status_code == 202, reply.text
        while len(((await casino.room()).summary or 0).players) != 2:  # type: ignore[union-attr]
            await asyncio.sleep(ASK_EVERY_S)
        await casino.hands(3)
        missing = await casino.http.delete("/v1/rooms/main/players/player-2")
        assert (missing.status_code, missing.json()["reason"]) == (404, "UNKNOWN_PLAYER")
        await check_books(casino)


async def test_a_second_lobby_on_the_same_data_is_refused(tmp_path: Path) -> None:
    """With the reason STORE_FAILED and one line in its log."""
    async with durable_casino(tmp_path):
        with pytest.raises(ChildFailed, match="another lobby") as failed:
            await start_lobby("0", tmp_path)
        assert failed.value.reason == "STORE_FAILED"
        assert any("casino_lobby: " in line for line in failed.value.log)
