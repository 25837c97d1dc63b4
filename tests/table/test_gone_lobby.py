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


@pytest.mark.parametrize("has_room_key", [True, False])
async def test_a_table_without_a_lease_is_free_after_a_minute(
    harness: TableHarness, *, has_room_key: bool
) -> None:
    """Two attempts find nobody at the lobby's address; while somebody is there, it is busy."""
    callback = configuring().casino_callback.model_dump(mode="json")
    if has_room_key:
        callback["secret"] = "the first lobby's"
    await harness.begin(calling, calling, casinoCallback=callback)
    for is_gone, minutes in ((False, 2), (True, 2), (False, 2), (True, 0.9), (True, 0)):
        _let_lobby(harness, gone=is_gone)
        with pytest.raises(CommandRefused) as raised:
            await _take(harness, is_owner=not has_room_key)
        assert raised.value.reason == ("FORBIDDEN" if has_room_key else "TABLE_BUSY")
        assert ("repeat this after" in raised.value.message) is is_gone
        await harness.clock.pass_time(60 * minutes)
    await harness.clock.pass_time(6.1)
    taken = await _take(harness, is_owner=not has_room_key)
    assert (taken.table_id, taken.players) == ("theirs", ())


async def test_a_session_is_not_interrupted(harness: TableHarness) -> None:
    await harness.begin(calling, calling, rules={"maxHands": 100_000})
    await harness.host.start(StartGameInput())
    _let_lobby(harness, gone=True)
    for _ in range(2):
        with pytest.raises(CommandRefused, match="use another table"):
            await _take(harness)
        await harness.clock.pass_time(90)
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
