"""Tables announce themselves at any lobby: free ones are known at all, a lease is the owner's."""

import asyncio
from typing import Any

import pytest
from casino_agentkit import RemoteRefused
from casino_contracts import RegisterTableInput
from casino_lobby.errors import PeerAway
from casino_lobby.service.peer_calls import FleetRelay, PeerClient
from casino_lobby.service.peer_operations import AnnouncedTables, Noted
from casino_lobby.store.lobby_store import Member
from support.group.group_side import WATCH_S, GroupHarness, group_harness
from support.in_process import InProcessTransport
from support.loops.virtual_loop import loop
from support.processes import eventually, run_until


async def _tables(group: GroupHarness, number: int) -> list[str]:
    listed = (await group.http(number).get("/v1/tables")).json()["tables"]
    return [table["agentCardUrl"] for table in listed]


async def test_a_table_that_leaves_is_given_no_room_at_any_lobby(group: GroupHarness) -> None:
    await group.announce(1, at=1)
    await eventually(lambda: _knows(group, 2, 1))
    await group.announce(1, at=1, leaving="now")
    await eventually(lambda: _knows(group, 2, 0))
    refused = await group.open("r1", at=2)
    assert (refused.status_code, refused.json()["reason"]) == (503, "NO_TABLE")


async def _knows(group: GroupHarness, number: int, count: int) -> bool:
    return len(await _tables(group, number)) == count


async def test_two_lobbies_never_share_a_table() -> None:
    """They choose at the same time; a table takes one room."""
    async with group_harness(tables=6) as group:
        await group.announce(1, 2, 3, 4, 5, 6, at=1)
        await eventually(lambda: _knows(group, 2, 6))
        replies = await asyncio.gather(
            *(group.open(f"r{number}", at=number % 2 + 1) for number in range(6))
        )
        assert [reply.status_code for reply in replies] == [201] * 6
        used = {room.table_card_url for room in group.stores[0].rooms()}
        assert used == {group.table_card(number) for number in range(1, 7)}
        assert (await group.open("r7", at=1)).json()["reason"] == "NO_TABLE"


async def test_the_last_free_table_gets_one_room() -> None:
    """Both lobbies try it at the same moment, as neither has seen the other's choice."""
    async with group_harness(tables=2) as group:
        await group.announce(1, at=1)
        await eventually(lambda: _knows(group, 2, 1))
        replies = await asyncio.gather(group.open("r1", at=1), group.open("r2", at=2))
        assert sorted(reply.status_code for reply in replies) == [201, 503]
        assert len(group.stores[0].rooms()) == 1


async def test_only_the_owner_grants_a_lease(group: GroupHarness) -> None:
    """Announced at the other lobby, the table gets the owner's answer, or none at all."""
    await group.announce(1, at=1)
    await group.open("r1", at=1)
    room = group.room()
    proof = {"table_id": "r1", "epoch": 1, "room_token": room.key().events}
    answer = await group.announce(1, at=2, **proof)
    assert answer.lease_ms == 24_000
    assert (await group.announce(1, at=2, **{**proof, "room_token": "x" * 20})).lease_ms is None
    group.lose(1)
    with pytest.raises(RemoteRefused) as refused:
        await group.announce(1, at=2, **proof)
    assert refused.value.reason == "STANDBY"
    group.stores[1].take(group.stores[0])
    assert (await group.announce(1, at=2, **proof)).lease_ms == 24_000


async def test_a_lost_lobbys_tables_get_a_fresh_silence(group: GroupHarness) -> None:
    """The new owner has never heard of them, and moves no room at once."""
    await group.announce(1, at=1)
    await group.open("r1", at=1)
    loop().pass_time(1_000)  # longer than any table may be silent
    group.lose(1)
    group.stores[1].take(group.stores[0])
    await asyncio.sleep(2 * WATCH_S)
    room = group.room(at=2)
    assert (room.epoch, room.table_card_url) == (1, group.table_card(1))


class SilentClient(PeerClient):
    """Notes what it is sent; one lobby is away."""

    def __init__(self) -> None:
        super().__init__(InProcessTransport(), "a key of lobbies")
        self.sent: list[tuple[int, int]] = []

    async def call(self, peer: Member, _operation: Any, message: Any) -> Any:
        assert isinstance(message, AnnouncedTables)
        assert all(table.room_token is None for table in message.tables)
        self.sent.append((peer.number, len(message.tables)))
        if peer.number == 2:
            raise PeerAway("lobby 2 is away")
        return Noted()


async def test_announcements_are_gathered() -> None:
    """One request for those of a moment, at most 256 in each, without tokens."""
    client = SilentClient()
    others = [Member(2, "http://lobby-2"), Member(3, "http://lobby-3")]
    gathered = asyncio.Event()

    async def sleep(_seconds: float) -> None:
        await gathered.wait()

    relay = FleetRelay(client, lambda: others, sleep)
    for number in [*range(300), *range(300)]:
        url = f"http://tables/{number}"
        relay.put(RegisterTableInput(agent_card_url=url, room_token="t" * 16))
    running = asyncio.create_task(relay.run())
    gathered.set()
    await run_until(lambda: len(client.sent) >= 3)
    running.cancel()
    assert sorted(client.sent) == [(2, 256), (3, 44), (3, 256)]
