"""A table asks the lobby for its part in the deal; who else gets none: `test_identity`."""

from collections.abc import AsyncIterator

import httpx
import pytest
from support.casino.casino_side import CasinoHarness, Operator, casino_harness
from support.casino.fair_events import block_of, committed_to, contributed_to
from support.casino.store_side import EventFactory
from support.group.group_side import GroupHarness, group_harness


@pytest.fixture
async def casino() -> AsyncIterator[CasinoHarness]:
    async with casino_harness(launch_tables=False) as casino:
        await Operator(casino).open()
        yield casino


@pytest.fixture
async def group() -> AsyncIterator[GroupHarness]:
    async with group_harness() as group:
        yield group


async def contribute(casino: CasinoHarness, token: str, **more: object) -> httpx.Response:
    room = casino.stored()
    message = {"tableId": room.table_id, "block": block_of(room, 1), **more}
    return await casino.http(token).post("/entrypoints/contribute/invoke", json={"input": message})


async def test_a_table_asks_three_times(casino: CasinoHarness) -> None:
    room, token = casino.stored(), casino.key().events
    commitment = committed_to(room)
    reply = await contribute(casino, token)
    assert reply.json()["output"] == commitment["commitments"][0]
    early = await contribute(casino, token, commitment=commitment)
    assert "the newest `deal_committed` that is recorded is not of this block" in early.text
    factory = EventFactory(room)
    factory.sequence = room.last_sequence
    event = factory.status("deal_committed", commitment=commitment)
    recorded = await casino.http(token).post(
        "/entrypoints/recordGameEvent/invoke", json={"input": event.model_dump(mode="json")}
    )
    assert recorded.status_code == 200, recorded.text
    reply = await contribute(casino, token, commitment=commitment)
    said = contributed_to(room, commitment)
    assert reply.json()["output"] == said["contributions"][0]
    told = await contribute(casino, token, commitment=commitment, contributed=said)
    assert told.json()["output"] == {}


async def test_a_table_of_an_earlier_epoch_gets_nothing(casino: CasinoHarness) -> None:
    room, before = casino.stored(), casino.key().events
    room.number_anew(2)
    assert (await contribute(casino, before)).status_code == 403
    late = await contribute(casino, before, block="r1/1/1")
    assert "a block of this table is named r1/" in late.text
    unknown = await contribute(casino, casino.key().events, tableId="t9")
    assert "UNKNOWN_TABLE" in unknown.text


async def test_a_room_that_is_over_has_no_part(casino: CasinoHarness) -> None:
    token = casino.key().events
    casino.stored().close("over")
    reply = await contribute(casino, token)
    assert "ROOM_CLOSED" in reply.text


async def test_every_lobby_of_a_group_gives_the_same(group: GroupHarness) -> None:
    await group.announce(1)
    assert (await group.open("r1", at=1)).status_code == 201
    room = group.room()
    token, commitment = room.key().events, committed_to(room)
    factory = EventFactory(room)
    factory.sequence = room.last_sequence
    await group.stores[0].record(room, [factory.status("deal_committed", commitment=commitment)])
    message = {"tableId": room.table_id, "block": commitment["block"], "commitment": commitment}
    outputs = []
    for number in (1, 2):
        reply = await group.http(number).post(
            "/entrypoints/contribute/invoke",
            json={"input": message},
            headers={"authorization": f"Bearer {token}"},
        )
        outputs.append(reply.json().get("output"))
    assert outputs == [contributed_to(room, commitment)["contributions"][0]] * 2
