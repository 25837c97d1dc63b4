"""A table whose lobby is gone is free for another one, however many sit there."""

import pytest
from casino_agentkit import CommandRefused
from casino_contracts import StartGameInput, TableSummary
from support.table.table_harness import TableHarness
from support.table.table_side import calling, configuring


def _let_lobby(harness: TableHarness, *, gone: bool) -> None:
    """Let nobody, or somebody, be at the lobby's address."""
    harness.network.transport.apps.pop("http://lobby", None)
    if not gone:
        harness.network.add("lobby", harness.lobby.agent())


async def _take(harness: TableHarness, *, is_owner: bool = True) -> TableSummary:
    """Configure the table for a room of another lobby."""
    callback = {"agentCardUrl": "http://other/card.json", "eventSkill": "recordGameEvent"}
    given = configuring(tableId="theirs", casinoName="Theirs", casinoCallback=callback, epoch=9)
    return await harness.host.configure(given, is_owner=is_owner)


async def test_a_lobby_with_a_room_key_is_gone_after_half_a_minute(harness: TableHarness) -> None:
    """Two attempts find nobody at its address; while somebody is there, the table is busy."""
    callback = configuring().casino_callback.model_dump(mode="json")
    callback["secret"] = "the first lobby's"
    await harness.begin(calling, calling, casinoCallback=callback)
    for is_gone, seconds in ((False, 60), (True, 60), (False, 60), (True, 28), (True, 0)):
        _let_lobby(harness, gone=is_gone)
        with pytest.raises(CommandRefused) as raised:
            await _take(harness, is_owner=False)
        assert raised.value.reason == "FORBIDDEN"
        assert ("repeat this after" in raised.value.message) is is_gone
        await harness.clock.pass_time(seconds)
    await harness.clock.pass_time(2.1)
    taken = await _take(harness, is_owner=False)
    assert (taken.table_id, taken.players) == ("theirs", ())


async def test_a_lobby_that_knows_only_the_document_is_gone_at_once(harness: TableHarness) -> None:
    await harness.begin(calling, calling)
    with pytest.raises(CommandRefused) as raised:
        await _take(harness)
    assert raised.value.reason == "TABLE_BUSY"
    _let_lobby(harness, gone=True)
    assert (await _take(harness)).players == ()


async def test_a_session_is_not_interrupted(harness: TableHarness) -> None:
    await harness.begin(calling, calling, rules={"maxHands": 100_000})
    await harness.host.start(StartGameInput())
    _let_lobby(harness, gone=True)
    with pytest.raises(CommandRefused, match="use another table"):
        await _take(harness)
    assert harness.table.status == "running"


async def test_a_table_whose_lease_is_over_is_free_at_once(harness: TableHarness) -> None:
    await harness.begin(calling, calling, lease_ms=4_000)
    for is_gone in (False, True):
        _let_lobby(harness, gone=is_gone)
        with pytest.raises(CommandRefused):
            await _take(harness)
    await harness.clock.pass_time(4.1)
    _let_lobby(harness, gone=False)
    with pytest.raises(CommandRefused):  # it lives, and may only be late
        await _take(harness)
    _let_lobby(harness, gone=True)
    assert (await _take(harness)).table_id == "theirs"
