"""Rooms are played at tables of several processes, also after one of them was killed."""

import asyncio
import os
import signal
from pathlib import Path

import httpx
import psutil
import pytest
from casino_contracts import TableEvent
from support.casino.chaos_process import Log, Member
from support.casino.live import ProcessCasino, live_casino
from support.processes import is_gone, wait_for
from support.table.table_side import CONFIG

pytestmark = [pytest.mark.full, pytest.mark.timeout(180)]

ROOMS = ("a", "b", "c", "d")
FOUR = {"CASINO_TABLE_COUNT": str(len(ROOMS)), "CASINO_TABLE_PROCESSES": "2"}
RULES = {**CONFIG, "maxSeats": 2, "rebuy": "auto"}


async def open_rooms(
    casino: ProcessCasino, tables: list[str], hands: int, pace_ms: int = 0
) -> None:
    """Open a room at each of these tables, or at those that the lobby chooses, with two players."""
    players = iter(await casino.samples("random", 2 * len(ROOMS)))
    rules = {**RULES, "maxHands": hands, "paceMs": pace_ms}
    for room, table in zip(ROOMS, tables or [""] * len(ROOMS), strict=True):
        named = {"tableAgentCardUrl": table} if table else {}
        body = {"roomId": room, "config": {**rules, "seed": room}, **named}
        async with asyncio.timeout(30):
            while (reply := await casino.http.post("/v1/rooms", json=body)).status_code != 201:
                assert not table, reply.text
                await asyncio.sleep(0.1)  # no table is announced yet
        for _ in range(2):
            assert (await casino.seat(next(players), room)).status_code == 201


async def hands_of(casino: ProcessCasino, room: str) -> int:
    """Return how many hands a room has completed."""
    summary = (await casino.room(room)).summary
    return summary.hand_count if summary else 0


async def until_hands(casino: ProcessCasino, more: int) -> None:
    """Wait until every room has completed further hands."""
    wanted = {room: await hands_of(casino, room) + more for room in ROOMS}
    for room, hands in wanted.items():
        while await hands_of(casino, room) < hands:
            await asyncio.sleep(0.05)


def check_chips(events: list[TableEvent]) -> None:
    """Check that no chip is lost or created from the first to the last event of a room."""
    bought = 0
    payloads = [(event.event_type, event.payload or {}) for event in events]
    for kind, payload in payloads:
        if kind == "player_registered":
            bought += payload["stack"]
        elif payload.get("kind") == "rebought":
            bought += payload["amount"]
        elif kind == "hand_completed":
            assert sum(seat["stack"] for seat in payload["stacks"]) == bought


def completed(events: list[TableEvent]) -> list[int]:
    """Return the numbers of the completed hands."""
    return [
        (event.payload or {})["handNumber"]
        for event in events
        if event.event_type == "hand_completed"
    ]


@pytest.mark.parametrize("is_announced", [False, True])
async def test_rooms_are_played_at_the_tables_of_all_processes(*, is_announced: bool) -> None:
    """Opened at the addresses of the first process, and at tables that announced themselves."""
    async with live_casino(CASINO_LOBBY_LAUNCH_TABLES="false") as casino:
        lobby = {"CASINO_TABLE_LOBBY_URL": casino.lobby.url} if is_announced else {}
        first = await casino.start("tables", "casino_table", "--port", "0", **FOUR, **lobby)
        at_first = [f"{first.url}/tables/{number + 1}" for number in range(len(ROOMS))]
        await open_rooms(casino, [] if is_announced else at_first, hands=5)
        origins = set()
        for room in ROOMS:
            snapshot = await casino.until("idle", room_id=room)
            origins.add(snapshot.table_agent_card_url.rpartition("/tables/")[0])
            events = await casino.events(room)
            assert completed(events) == [1, 2, 3, 4, 5]
            check_chips(events)
        assert len(origins) == (2 if is_announced else 1)
        async with httpx.AsyncClient() as http:
            for url in {card.rpartition("/tables/")[0] for card in first.cards}:
                page = (await http.get(f"{url}/metrics")).text
                assert "casino_hands_total 10.0" in page
        if is_announced:
            for room in ROOMS:  # a table that serves a room would wait for another one
                await casino.close(room)


async def test_a_restarted_group_resumes_every_hand(tmp_path: Path) -> None:
    """One process is killed in the middle of the play, which ends the other one as well."""
    log = Log(tmp_path / "log")
    tables = Member("tables", "casino_table", [], {**FOUR, "CASINO_TABLE_DATA": str(tmp_path)}, log)
    async with live_casino() as casino:
        await tables.start()
        try:
            at_first = [f"{tables.url}/tables/{number + 1}" for number in range(len(ROOMS))]
            await open_rooms(casino, at_first, hands=100_000, pace_ms=10)
            for victim in range(2):
                await until_hands(casino, 3)
                (second,) = psutil.Process(tables.pid).children()
                os.kill((tables.pid, second.pid)[victim], signal.SIGKILL)
                assert await tables.ended() != 0
                wait_for(lambda pid=second.pid: is_gone(pid))  # type: ignore[misc]
                await tables.start()
            await until_hands(casino, 3)
            for room in ROOMS:
                assert (await casino.room(room)).epoch == 1
                events = await casino.events(room)
                assert [event.sequence for event in events] == list(range(1, len(events) + 1))
                numbers = completed(events)
                assert numbers == list(range(1, len(numbers) + 1))
                assert "hand_cancelled" not in {
                    (event.payload or {}).get("kind") for event in events
                }
                check_chips(events)
            (fault,) = log.faults
            assert fault.startswith("casino_table: table process 2 of 2: ended with code -9")
        finally:
            await tables.stop()
