"""A process that ends hands the leased rooms of its tables over."""

import asyncio
from datetime import timedelta
from itertools import groupby
from pathlib import Path

import pytest
from casino_agentkit import RemoteRefused
from casino_contracts import ActionRequest, ActionResponse
from support.table.leased_process import LEASE_S, LeasedProcess
from support.table.table_side import calling


async def hanging(_request: ActionRequest) -> ActionResponse:
    await asyncio.Event().wait()
    raise AssertionError("nobody sets it")


async def finish(process: LeasedProcess) -> float:
    """Drain the process as SIGTERM does; return the seconds that it takes."""
    begun_at = process.clock.time
    draining = asyncio.ensure_future(process.service.finish())
    await process.clock.until(draining.done)
    await draining
    return process.clock.time - begun_at


def leaving(process: LeasedProcess) -> list[str | None]:
    """Return what the announcements said about leaving, without repetitions."""
    return [word for word, _ in groupby(said.leaving for _at, said in process.lobby.announcements)]


@pytest.mark.parametrize("is_durable", [True, False])
async def test_the_running_hand_is_played_and_the_session_is_not_finished(
    tmp_path: Path, *, is_durable: bool
) -> None:
    """The lobby hears first that the table leaves soon, then that it asks nobody any more."""
    process = LeasedProcess(tmp_path if is_durable else None)
    process.lobby.releases_after = 4
    async with process.running():
        await process.begin(calling, calling, calling)
        await process.play()
        await process.clock.until(
            lambda: process.count("hand_started") > process.count("hand_completed") > 1
        )
        hands = process.count("hand_started")
        await finish(process)
        assert process.count("hand_started") == process.count("hand_completed") == hands
        assert process.count("finished", "hand_cancelled", "closed") == 0
        assert leaving(process) == [None, "soon", "now"]
        goodbyes = [at for at, said in process.lobby.announcements if said.leaving == "now"]
        assert len(goodbyes) == 4
        assert goodbyes[-1] - goodbyes[0] < 1
        assert max(process.asked_at) <= goodbyes[0]
        last = process.lobby.announcements[-1][1]
        assert (last.table_id, last.epoch) == ("t1", 1)
        assert process.metric("casino_tables_awaiting_lobby") == 1, "no answer allows it to ask"
        heard = len(process.lobby.announcements)
        await process.clock.pass_time(2 * LEASE_S)
        assert len(process.lobby.announcements) == heard
        assert max(process.asked_at) <= goodbyes[0]


async def test_a_long_hand_keeps_its_lease_while_the_process_drains() -> None:
    process = LeasedProcess(drain_timeout="60s")
    gate = asyncio.Event()

    async def slow(request: ActionRequest) -> ActionResponse:
        await gate.wait()
        return calling(request)

    async with process.running():
        await process.begin(slow, slow)
        await process.play()
        await process.clock.until(lambda: process.asked_at)
        draining = asyncio.ensure_future(process.service.finish())
        await process.clock.pass_time(3 * LEASE_S)
        assert leaving(process) == [None, "soon"]
        assert len(process.asked_at) == 1
        assert (await process.summary()).state is None
        gate.set()
        await process.clock.until(draining.done)
        assert process.count("hand_completed") == 1
        assert leaving(process) == [None, "soon", "now"]


@pytest.mark.parametrize("is_durable", [True, False])
async def test_a_hand_that_outlasts_the_limit_stops_at_its_decision(
    tmp_path: Path, *, is_durable: bool
) -> None:
    """A journal can resume it; without one it is cancelled, once. Then the table says goodbye."""
    process = LeasedProcess(
        tmp_path if is_durable else None, drain_timeout=timedelta(milliseconds=50)
    )
    async with process.running():
        await process.begin(hanging, hanging)
        await process.play()
        await process.clock.until(lambda: process.asked_at)
        await finish(process)
        assert process.count("hand_cancelled") == (0 if is_durable else 1)
        assert process.count("finished", "action_taken") == 0
        assert leaving(process)[-1] == "now"
        assert len(process.asked_at) == 1
        if not is_durable:
            stacks = [player.stack for player in (await process.summary()).players]
            assert stacks == [200, 200]


async def test_a_journal_resumes_a_room_that_no_other_table_took(tmp_path: Path) -> None:
    """When the process starts again and the lobby renews the lease."""
    process = LeasedProcess(tmp_path)
    process.lobby.releases_after = 1000
    async with process.running():
        await process.begin(calling, calling)
        await process.play()
        await process.clock.until(lambda: process.count("hand_completed"))
        took_s = await finish(process)
        assert took_s < 12, "it does not wait for ever"
    hands = process.count("hand_completed")
    process.start()
    async with process.running():
        await process.clock.until(lambda: process.count("hand_completed") > hands + 2)
        assert process.count("finished", "hand_cancelled") == 0


async def test_a_table_of_an_idle_room_hands_it_over() -> None:
    process = LeasedProcess()
    async with process.running():
        await process.begin(calling, calling)
        await finish(process)
        assert leaving(process)[-1] == "now"
        assert process.lobby.announcements[-1][1].table_id == "t1"


async def test_a_lobby_that_does_not_answer_delays_the_end_by_seconds() -> None:
    process = LeasedProcess()
    async with process.running():
        await process.begin(calling, calling)
        await process.clock.pass_time(1)
        process.cut()
        assert await finish(process) < 10


async def test_a_draining_table_takes_no_room_and_begins_no_session() -> None:
    process = LeasedProcess()
    async with process.running():
        await process.begin(calling, calling)
        await finish(process)
        for attempt in (
            process.configure(tableId="t2"),
            process.configure(epoch=2),
            process.play(),
        ):
            with pytest.raises(RemoteRefused) as refused:
                await attempt
            assert refused.value.reason == "TABLE_BUSY"
        assert (await process.configure()).table_id == "t1", "a repetition changes nothing"


async def test_a_free_table_says_goodbye_once() -> None:
    """The lobby gives it no room any more; nor does the table take one."""
    process = LeasedProcess()
    async with process.running():
        await process.clock.pass_time(1)
        await finish(process)
        said = [announcement.leaving for _at, announcement in process.lobby.announcements]
        assert said.count("now") == 1
        assert said[-1] == "now"
        with pytest.raises(RemoteRefused) as refused:
            await process.configure()
        assert refused.value.reason == "TABLE_BUSY"


async def test_a_room_without_a_lease_ends_as_it_always_did() -> None:
    """Without a journal its session is finished, and the lobby hears no goodbye."""
    process = LeasedProcess()
    process.lobby.lease_ms = None
    async with process.running():
        await process.begin(calling, calling, lease_ms=None)
        await process.play()
        await process.clock.until(lambda: process.count("hand_completed"))
        await finish(process)
        assert process.count("finished") == 1
        assert leaving(process) == [None]


async def test_a_room_that_moves_during_the_drain_is_left_alone() -> None:
    process = LeasedProcess(drain_timeout="60s")
    async with process.running():
        await process.begin(calling, calling)
        await process.play()
        await process.clock.until(lambda: process.count("hand_started"))
        process.lobby.epoch = 2
        await finish(process)
        assert (await process.summary()).table_id == ""
        last = process.lobby.announcements[-1][1]
        assert (last.leaving, last.table_id) == ("now", None)
