"""A leased table whose room has moved is free for another room."""

from pathlib import Path

import pytest
from support.table.leased_process import LEASE_S, LeasedProcess
from support.table.table_side import calling


@pytest.mark.parametrize("is_playing", [True, False])
@pytest.mark.parametrize("is_durable", [True, False])
@pytest.mark.parametrize("is_refused", [True, False])
async def test_a_table_that_is_healed_too_late_is_free(
    tmp_path: Path, *, is_playing: bool, is_durable: bool, is_refused: bool
) -> None:
    """It asks nobody again, its old play is not recorded, and it takes another room.

    The lobby refuses its announcement, or only its events.
    """
    process = LeasedProcess(tmp_path if is_durable else None)
    process.lobby.refuses_moved = is_refused
    async with process.running():
        await process.begin(calling, calling)
        if is_playing:
            await process.play()
        await process.clock.pass_time(LEASE_S)
        process.cut()
        await process.clock.pass_time(2 * LEASE_S)
        asked, events = len(process.asked_at), len(process.lobby.events)
        process.lobby.epoch = 2
        process.heal()
        await process.clock.pass_time(10)
        assert len(process.asked_at) == asked
        assert len(process.lobby.events) == events
        assert (await process.summary()).table_id == ""
        assert process.metric("casino_tables_awaiting_lobby") == 0
        assert (await process.configure(epoch=2, tableId="t2")).table_id == "t2"


async def test_a_journal_of_a_room_that_moved_is_forgotten(tmp_path: Path) -> None:
    """After a restart the table learns it from its first announcement, and asks nobody before."""
    process = LeasedProcess(tmp_path)
    async with process.running():
        await process.begin(calling, calling)
        await process.play()
        await process.clock.until(lambda: process.count("hand_completed") > 2)
    process.lobby.epoch = 2
    process.start()
    async with process.running():
        asked = len(process.asked_at)
        await process.clock.pass_time(3 * LEASE_S)
        assert (await process.summary()).table_id == ""
        assert len(process.asked_at) == asked
    process.start()
    async with process.running():
        assert (await process.summary()).table_id == ""


async def test_the_lobby_may_move_a_room_before_the_lease_is_over() -> None:
    process = LeasedProcess()
    async with process.running():
        await process.begin(calling, calling)
        await process.play()
        await process.clock.until(lambda: process.count("hand_completed") > 2)
        process.lobby.epoch = 2
        await process.clock.pass_time(2)
        asked = len(process.asked_at)
        assert (await process.summary()).table_id == ""
        await process.clock.pass_time(5)
        assert len(process.asked_at) == asked


async def test_a_refused_announcement_frees_an_idle_table() -> None:
    """It has no event to deliver; a table without a lease is not freed."""
    for lease_ms in (4_000, None):
        process = LeasedProcess()
        process.lobby.refuses_moved = True
        process.lobby.lease_ms = lease_ms
        async with process.running():
            await process.begin(calling, calling, lease_ms=lease_ms)
            await process.clock.pass_time(1)
            process.lobby.epoch = 2
            heard = len(process.lobby.announcements)
            await process.clock.pass_time(2.5)
            assert (await process.summary()).table_id == ("" if lease_ms else "t1")
            (refused_at, _said), (next_at, again) = process.lobby.announcements[heard : heard + 2]
            assert next_at - refused_at < 0.4
            assert again.table_id == (None if lease_ms else "t1")


async def test_a_room_without_a_lease_stays_replaced() -> None:
    """Its lobby begins a new epoch at this table, and reads this state."""
    process = LeasedProcess()
    process.lobby.lease_ms = None
    async with process.running():
        await process.begin(calling, calling, lease_ms=None)
        await process.play()
        process.lobby.epoch = 2
        await process.clock.pass_time(2)
        summary = await process.summary()
        assert (summary.table_id, summary.state) == ("t1", "replaced")


async def test_a_room_comes_back_in_a_higher_epoch() -> None:
    """The same table may be the only free one."""
    process = LeasedProcess()
    async with process.running():
        await process.begin(calling, calling)
        await process.play()
        await process.clock.pass_time(LEASE_S)
        process.cut()
        await process.clock.pass_time(2 * LEASE_S)
        process.lobby.epoch = 2
        process.heal()
        assert (await process.configure(epoch=2)).epoch == 2
        await process.clock.pass_time(2 * LEASE_S)
        summary = await process.summary()
        assert (summary.table_id, summary.epoch) == ("t1", 2)
        assert process.metric("casino_tables_awaiting_lobby") == 0
