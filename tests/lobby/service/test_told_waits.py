"""Why a room does not go on, as its table says and as the lobby knows, and that it goes on."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from casino_contracts import (
    RecordTableEventsInput,
    RecordTableEventsOutput,
    RoomSnapshot,
    TableDelivery,
    TableEvent,
    Waiting,
    WaitReason,
)
from casino_lobby.domain.lobby_events import StoreHealth
from support.casino.casino_side import LOBBY, CasinoHarness, Operator
from support.table.table_side import SOON

FULL = Waiting.of(WaitReason.DISK_FULL, "2026-11-29T10:00:00.000Z", "/var/tables")


@pytest.fixture
async def operator() -> AsyncIterator[Operator]:
    network = CasinoHarness(operator_token="k" * 32)
    async with network.tables.running(), network.lobby.running():
        operator = Operator(network)
        await operator.open()
        await operator.until(lambda room: room.events)
        yield operator


async def tell(operator: Operator, *waits: Waiting) -> None:
    """Deliver the newest event of the room's table again, with why it waits."""
    network, newest = operator.network, (await operator.room("r1")).events[-1]
    event = TableEvent.model_validate(newest.model_dump())
    lobby = await network.a2a().resolve(LOBBY, timeout=SOON)
    part = TableDelivery(room_token=network.key(epoch=1).events, events=(event,), waits=waits)
    message = RecordTableEventsInput(tables=(part,))
    reply = await lobby.call("recordTableEvents", message, RecordTableEventsOutput, timeout=SOON)
    assert [outcome.refused for outcome in reply.tables] == [None]


def waits_of(room: RoomSnapshot) -> list[Waiting]:
    assert room.summary is not None
    return list(room.summary.waits or ())


async def tables(operator: Operator, **headers: str) -> list[list[dict[str, Any]]]:
    reply = await operator.network.http().get("/v1/tables", headers=headers)
    return [line.get("waits", []) for line in reply.json()["tables"]]


async def test_what_a_table_says_is_shown_until_it_goes_on(operator: Operator) -> None:
    """Everybody reads the reason and the fix, operators also the folder."""
    await tell(operator, FULL)
    room = await operator.room("r1")
    assert waits_of(room) == [FULL.published()]
    assert (room.state, room.summary and room.summary.message) == ("disk-full", FULL.what)
    (listed,) = (await operator.http.get("/v1/rooms")).json()["rooms"]
    assert listed["waits"] == [FULL.published().model_dump(mode="json")]
    ((public,),) = await tables(operator)
    ((known,),) = await tables(operator, Authorization=f"Bearer {operator.network.operator_key}")
    assert ("detail" in public, known["detail"]) == (False, "/var/tables")
    metrics = (await operator.http.get("/metrics")).text
    assert 'casino_waits{reason="disk-full"} 1.0' in metrics
    assert (await operator.http.get("/readyz")).status_code == 200
    await tell(operator)
    room = await operator.room("r1")
    assert (waits_of(room), room.state) == ([], None)
    assert 'casino_waits{reason="disk-full"} 0.0' in (await operator.http.get("/metrics")).text


async def test_a_room_that_waits_for_a_part_is_not_held_up(operator: Operator) -> None:
    """Its word is that of what it does; the wait is told beside it, before and behind others."""
    part = Waiting.of(WaitReason.PROVIDER_AWAY, FULL.since, "ada")
    await tell(operator, part)
    room = await operator.room("r1")
    assert (waits_of(room), room.state) == ([part.published()], None)
    assert room.summary is not None
    assert room.summary.message != part.what
    await tell(operator, part, FULL)
    room = await operator.room("r1")
    assert (room.state, room.summary and room.summary.message) == ("disk-full", FULL.what)


async def test_a_table_cannot_say_what_the_lobby_alone_knows(operator: Operator) -> None:
    await tell(operator, Waiting.of(WaitReason.STORE_FAILED, FULL.since), FULL)
    assert [wait.reason for wait in waits_of(await operator.room("r1"))] == ["disk-full"]


async def test_a_store_that_fails_is_told_at_every_room_and_makes_the_lobby_unready(
    operator: Operator,
) -> None:
    bus = operator.network.store.bus
    bus.publish(StoreHealth("disk is full: /secret/path"))
    (wait,) = waits_of(await operator.room("r1"))
    assert (wait.reason, wait.detail) == ("store-failed", None)
    reply = await operator.http.get("/readyz")
    assert (reply.status_code, reply.json()["waits"][0]["fix"]) == (
        503,
        WaitReason.STORE_FAILED.fix,
    )
    assert "/secret" not in reply.text
    bus.publish(StoreHealth(None))
    assert waits_of(await operator.room("r1")) == []
    assert (await operator.http.get("/readyz")).status_code == 200
