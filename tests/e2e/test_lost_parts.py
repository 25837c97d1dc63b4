"""Parts of a casino that are killed: of `casino up`, and of a group of table processes."""

import asyncio
from pathlib import Path

import psutil
import pytest
from support.casino.casino import process_casino
from support.casino.commands import UP, all_end, started
from support.processes import is_gone, wait_for

pytestmark = [pytest.mark.full, pytest.mark.timeout(240)]

TABLES = ("--tables", "2", "--table-processes", "2", "--no-gateway")


@pytest.mark.parametrize("what", ["lobby", "table process"])
def test_a_lost_part_ends_the_casino_with_its_results(what: str) -> None:
    """Nothing is played without it; it is named, with its last lines."""
    players = ("--players", "caller,maniac", "--hands", "100000", "--pace", "1")
    with started(*UP, *players, *TABLES) as up:
        up.until_hand(2)
        processes = up.processes()
        if what == "lobby":
            psutil.Process(up.pid_of("lobby")).kill()
        else:
            (second,) = psutil.Process(up.pid_of("2 tables in 2")).children()
            second.kill()
        rest = up.rest()
        assert up.ended() == 1
    troubles = [line for line in rest if line["event"] == "trouble"]
    name = "lobby ended with code -9" if what == "lobby" else "tables ended with code 1"
    assert any(trouble["text"].startswith(name) for trouble in troubles)
    reported = {line["event"]: line for line in rest}
    assert reported["results"]["conserved"] is True
    assert reported["results"]["hands"] >= 2
    all_end(processes)


async def test_a_restarted_group_of_tables_resumes_every_hand(tmp_path: Path) -> None:
    """Each of two processes is killed in the middle of the play, which ends the other as well."""
    rooms = ("a", "b", "c", "d")
    async with process_casino() as casino:
        tables = await casino.host_tables(
            4, CASINO_TABLE_DATA=str(tmp_path), CASINO_TABLE_PROCESSES="2"
        )
        players = iter(await casino.samples("random", 2 * len(rooms)))
        for room in rooms:
            await casino.open(room, maxHands=100_000, maxSeats=2, rebuy="auto", paceMs=10)
            for _ in range(2):
                assert (await casino.seat(next(players), room)).status_code == 201
        origins = {card.rpartition("/tables/")[0] for card in tables.cards}
        assert len(origins) == 2
        for victim in range(2):
            await asyncio.gather(*(casino.hands(2, room) for room in rooms))
            (second,) = psutil.Process(tables.pid).children()
            (psutil.Process(tables.pid), second)[victim].kill()
            assert await tables.ended() != 0
            await asyncio.to_thread(wait_for, lambda pid=second.pid: is_gone(pid))  # type: ignore[misc]
            await tables.start()
        await asyncio.gather(*(casino.hands(2, room) for room in rooms))
        for room in rooms:
            audit = await casino.audit(room)
            assert (audit.epoch, audit.cancelled) == (1, set())
