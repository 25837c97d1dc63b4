"""Several active lobbies on one PostgreSQL: rooms are driven through all of them at once."""

import asyncio
import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from casino_lobby.store.stored_content import unpacked
from support.casino.auditor import Auditor, audit_store
from support.casino.members import Member
from support.casino.postgres import Postgres
from support.failover.lobby_group import LEASE_S, LONG, LobbyGroup, lobby_group
from support.failover.writers import HOLDERS, WRITERS
from support.processes import eventually
from support.table.table_side import CONFIG

ROOMS = int(os.environ.get("CASINO_GROUP_ROOMS", "60"))
"""`make lobbies` plays 1,000."""
_LONG_ROOMS = 6
_HANDS = 3
_AT_ONCE = 24

pytestmark = [pytest.mark.full, pytest.mark.timeout(240 if ROOMS <= 100 else 0)]


async def test_rooms_are_played_through_all_lobbies(server: Postgres, tmp_path: Path) -> None:
    """Through two, then three lobbies; one of them is killed in play. Nothing is lost or doubled.

    Each session starts once, every event is recorded once, chips are conserved, and each of the
    streams shows every event once, in the order of the cursors, also the one that goes on at
    another lobby.
    """
    began = time.monotonic()
    figures: dict[str, Any] = {"rooms": ROOMS}
    async with lobby_group(server, tmp_path, ROOMS + _LONG_ROOMS, lobbies=3, begun=2) as group:
        figures["started_s"] = time.monotonic() - began
        short = [f"room-{number}" for number in range(ROOMS)]
        await _drive(group, short[: ROOMS // 2], figures, "two_lobbies_s")
        await group.lobbies[2].start()
        group.live = group.lobbies[:]
        async with asyncio.TaskGroup() as streams:
            third = streams.create_task(group.follow(group.lobbies[2]).run())
            long = [f"long-{number}" for number in range(_LONG_ROOMS)]
            await asyncio.gather(*(group.fill(room_id, LONG, is_full=True) for room_id in long))
            await _drive(group, short[ROOMS // 2 :], figures, "three_lobbies_s")
            await _kill(group, long, figures)
            await asyncio.gather(*(group.close(room_id) for room_id in long))
            await _read_to_the_end(group)
            third.cancel()
        await _is_whole(group, [*short, *long], figures)
    figures["commands"] = len(group.latencies)
    ordered = sorted(group.latencies)
    figures["command_median_s"] = ordered[len(ordered) // 2]
    figures["command_99_s"] = ordered[len(ordered) * 99 // 100]
    figures["all_s"] = time.monotonic() - began
    rounded = {name: round(value, 3) for name, value in figures.items()}
    sys.stdout.write(json.dumps({**rounded, "repeated": group.repeated}) + "\n")


async def _drive(group: LobbyGroup, rooms: list[str], figures: dict[str, Any], name: str) -> None:
    """Play a session in each room, some of them at a time."""
    began, places = time.monotonic(), asyncio.Semaphore(_AT_ONCE)

    async def play(number: int, room_id: str) -> None:
        async with places:
            await group.play(room_id, _HANDS, is_full=number % 2 == 0)

    async with asyncio.TaskGroup() as playing:
        for number, room_id in enumerate(rooms):
            playing.create_task(play(number, room_id))
    figures[name] = time.monotonic() - began


async def _kill(group: LobbyGroup, long: list[str], figures: dict[str, Any]) -> None:
    """Kill the lobby with the most running rooms; they go on at another one within the lease."""
    owned = [(set(long) & set(group.rooms_of(lobby)), lobby) for lobby in group.live]
    lost, victim = max(owned, key=lambda own: len(own[0]))
    assert lost
    group.live.remove(victim)
    listening = [follower for follower in group.followers if follower.url == victim.url]
    assert listening
    since = time.monotonic()
    await victim.end(signal.SIGKILL)
    newest = group.newest_cursor()
    executed = await asyncio.gather(*map(group.seconds_until_executed, lost))
    recorded = await asyncio.gather(
        *(group.seconds_until_recorded(room_id, newest, since) for room_id in lost)
    )
    figures |= {"lost_rooms": len(lost), "executed_s": max(executed), "recorded_s": max(recorded)}
    assert max(executed) < LEASE_S + 2
    assert max(recorded) < LEASE_S + 2
    assert group.rooms_of(victim) == []

    async def have_moved() -> bool:
        return all(follower.resumed and follower.url != victim.url for follower in listening)

    await eventually(have_moved, seconds=LEASE_S + 2)


async def _read_to_the_end(group: LobbyGroup) -> None:
    """Wait until every follower has every event: each of them once, in order."""

    async def has_all() -> bool:
        newest = [group.newest_cursor()]
        return all(follower.cursors[-1:] == newest for follower in group.followers)

    await eventually(has_all, seconds=60)
    cursors = group.cursors()
    for follower in group.followers:
        assert follower.cursors == cursors
        assert follower.begun_anew == 0


async def _is_whole(group: LobbyGroup, rooms: list[str], figures: dict[str, Any]) -> None:
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
    figures["events"] = int(group.server.run("SELECT count(*) FROM event"))
    await group.stop(*group.live)
    assert not group.log.faults
    short = (room for name, room in audit.rooms.items() if not name.startswith("long"))
    await audit_store(group.database_url, short)  # closed rooms have paid all players out


async def test_a_lobby_that_was_frozen_writes_nothing_when_it_wakes(
    server: Postgres, tmp_path: Path
) -> None:
    """The other one has its rooms; it answers no command, and ends."""
    async with lobby_group(server, tmp_path, 4, lobbies=2) as group:
        server.run(WRITERS)
        sessions = dict(line.split("|") for line in server.run(HOLDERS).split())
        rooms = [f"long-{number}" for number in range(4)]
        await asyncio.gather(*(group.fill(room_id, LONG, is_full=True) for room_id in rooms))
        frozen, other = sorted(group.lobbies, key=lambda lobby: len(group.rooms_of(lobby)))[::-1]
        lost = group.rooms_of(frozen)
        assert lost
        group.live.remove(frozen)
        number = server.run(f"SELECT number FROM lobby_member WHERE url = '{frozen.url}'")
        session = sessions[number]
        os.kill(frozen.pid, signal.SIGSTOP)
        # Waits in the frozen process, and is read before it can know what has happened.
        command = asyncio.create_task(_create_room(frozen))
        server.run(f"SELECT pg_terminate_backend({session})")
        took_s = max(await asyncio.gather(*map(group.seconds_until_executed, lost)))
        sys.stdout.write(f"frozen, session ended: executed again after {took_s:.2f} s\n")
        assert took_s < LEASE_S + 2
        assert group.rooms_of(frozen) == []
        before = server.run(f"SELECT count(*) FROM written WHERE pid = {session}")
        os.kill(frozen.pid, signal.SIGCONT)
        assert await command in {"connection lost", "STANDBY", "STORE_FAILED"}
        assert await frozen.ended() == os.EX_TEMPFAIL
        assert group.log.counts["lobby_superseded"] == 1
        newest = group.newest_cursor()
        await asyncio.gather(
            *(group.seconds_until_recorded(room_id, newest, 0.0) for room_id in rooms)
        )
        assert server.run(f"SELECT count(*) FROM written WHERE pid = {session}") == before
        writers = server.run("SELECT DISTINCT pid FROM written").split()
        assert sorted(writers) == sorted(sessions.values())
        assert server.run("SELECT count(*) FROM room") == "4"
        await frozen.start()  # it comes back, and owns nothing
        assert (await _readiness(frozen), await _readiness(other)) == (200, 200)
        assert group.rooms_of(frozen) == []
        group.live.append(frozen)
        await asyncio.gather(*(group.close(room_id) for room_id in rooms))


async def _create_room(lobby: Member) -> str:
    """Send a command to a lobby itself; return the reason of its refusal."""
    async with httpx.AsyncClient(base_url=lobby.url, timeout=60, trust_env=False) as http:
        try:
            reply = await http.post("/v1/rooms", json={"roomId": "late", "config": CONFIG})
        except httpx.TransportError:
            return "connection lost"
    return str(reply.json().get("reason", reply.text))


async def _readiness(lobby: Member) -> int:
    async with httpx.AsyncClient(base_url=lobby.url, trust_env=False) as http:
        return (await http.get("/readyz")).status_code
