"""Several active lobbies on one PostgreSQL: rooms are driven through all of them at once."""

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

import httpx
import pytest
from casino_lobby.store.stored_content import unpacked
from support.casino.auditor import Auditor, audit_store
from support.casino.postgres import Postgres
from support.failover.lobby_group import LONG, LobbyGroup, lobby_group
from support.processes import eventually

ROOMS = int(os.environ.get("CASINO_GROUP_ROOMS", "16"))
"""`make lobbies` plays 1,000."""
_LONG_ROOMS = 4
_HANDS = 3
_AT_ONCE = 24

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(300 if ROOMS <= 100 else 0)]


async def test_rooms_are_played_through_all_lobbies(server: Postgres, tmp_path: Path) -> None:
    """Through two, then three lobbies; one of them is killed in play. Nothing is lost or doubled.

    Each session starts once, every event is recorded once, chips are conserved, and each of the
    streams shows every event once, in the order of the cursors, also the one that goes on at
    another lobby.
    """
    async with lobby_group(server, tmp_path, ROOMS + _LONG_ROOMS, lobbies=3, begun=2) as group:
        short = [f"room-{number}" for number in range(ROOMS)]
        await _drive(group, short[: ROOMS // 2])
        await group.lobbies[2].start()
        group.live = group.lobbies[:]
        async with asyncio.TaskGroup() as streams:
            third = streams.create_task(group.follow(group.lobbies[2]).run())
            long = [f"long-{number}" for number in range(_LONG_ROOMS)]
            await asyncio.gather(*(group.fill(room_id, LONG, is_full=True) for room_id in long))
            await _drive(group, short[ROOMS // 2 :])
            await _kill(group, long)
            await asyncio.gather(*(group.close(room_id) for room_id in long))
            await group.read_to_the_end()
            third.cancel()
        await _is_whole(group, [*short, *long])
        sys.stdout.write(json.dumps({"rooms": ROOMS, "repeated": group.repeated}) + "\n")


async def _drive(group: LobbyGroup, rooms: list[str]) -> None:
    """Play a session in each room, some of them at a time."""
    places = asyncio.Semaphore(_AT_ONCE)

    async def play(number: int, room_id: str) -> None:
        async with places:
            await group.play(room_id, _HANDS, is_full=number % 2 == 0)

    async with asyncio.TaskGroup() as playing:
        for number, room_id in enumerate(rooms):
            playing.create_task(play(number, room_id))


async def _kill(group: LobbyGroup, long: list[str]) -> None:
    """Kill the lobby with the most running rooms; they go on at another one."""
    owned = [(set(long) & set(group.rooms_of(lobby)), lobby) for lobby in group.live]
    lost, victim = max(owned, key=lambda own: len(own[0]))
    assert lost
    group.live.remove(victim)
    listening = [follower for follower in group.followers if follower.url == victim.url]
    assert listening
    await victim.end(signal.SIGKILL)
    await asyncio.gather(*map(group.execute, lost))
    await asyncio.gather(*map(group.plays_on, lost))
    assert group.rooms_of(victim) == []

    async def have_moved() -> bool:
        return all(follower.resumed and follower.url != victim.url for follower in listening)

    await eventually(have_moved)


async def _is_whole(group: LobbyGroup, rooms: list[str]) -> None:
    """Check the record: by a lobby's REST interface, by the database and by the ledger."""
    http = httpx.AsyncClient(base_url=group.live[0].url, timeout=60, trust_env=False)
    async with http:
        audit = Auditor(http)
        for room_id in rooms:
            await audit.read_room(room_id)
    sessions = group.server.run("SELECT count(*), count(DISTINCT room_id) FROM session")
    assert sessions == f"{len(rooms)}|{len(rooms)}"
    statuses = group.server.run(
        "SELECT encode(content, 'hex') FROM event WHERE event_type = 'table_status'"
    )
    contents = [json.loads(unpacked(bytes.fromhex(row))) for row in statuses.split()]
    kinds = [content["payload"].get("kind") for content in contents]
    assert kinds.count("started") == len(rooms)
    gaps = group.server.run(
        "SELECT count(*) FROM (SELECT count(*) AS events, max(sequence) AS newest FROM event"
        " GROUP BY room_id, epoch) AS numbered WHERE events <> newest"
    )
    assert gaps == "0"
    assert group.server.run("SELECT count(*) FROM event WHERE epoch > 1") == "0"
    assert group.server.run("SELECT count(*) FROM command WHERE answer IS NULL") == "0"
    unbalanced = "SELECT room_id FROM ledger GROUP BY room_id HAVING sum(chips) <> 0"
    assert group.server.run(unbalanced) == ""
    assert group.server.run("SELECT count(*) FROM ledger WHERE account = 'discrepancy'") == "0"
    await group.stop(*group.live)
    assert not group.log.faults
    short = (room for name, room in audit.rooms.items() if not name.startswith("long"))
    await audit_store(group.database_url, short)  # closed rooms have paid all players out
