"""A leased table that its lobby does not answer asks nobody, and goes on when it is answered."""

import asyncio
from pathlib import Path

import pytest
from casino_contracts import ActionRequest, ActionResponse, WaitReason
from support.table.leased_process import LEASE_S, LeasedProcess
from support.table.table_side import calling


async def test_a_table_that_is_cut_off_asks_nobody_after_its_lease() -> None:
    """Though its players are reachable; healed in time it goes on with the same hand."""
    process = LeasedProcess()
    async with process.running():
        await process.begin(calling, calling, calling)
        await process.play()
        await process.clock.pass_time(3 * LEASE_S)  # renewed several times
        assert process.metric("casino_tables_awaiting_lobby") == 0
        answered_at = process.lobby.announcements[-1][0]
        process.cut()
        await process.clock.pass_time(LEASE_S + 10)
        assert answered_at < max(process.asked_at) <= answered_at + LEASE_S
        assert max(process.asked_at) > answered_at + LEASE_S - 0.4, "it plays while it may"
        summary = await process.summary()
        assert (summary.status, summary.state) == ("running", "paused")
        assert summary.message == WaitReason.LEASE_OVER.what
        assert [wait.reason for wait in summary.waits or ()] == ["lease-over"]
        assert process.metric("casino_tables_awaiting_lobby") == 1
        process.heal()
        healed_at, before = process.clock.time, len(process.asked_at)
        await process.clock.until(lambda: len(process.asked_at) > before + 20)
        assert process.asked_at[before] <= healed_at + 3, "an attempt is never far away"
        summary = await process.summary()
        assert (summary.state, process.count("hand_cancelled")) == (None, 0)
        assert summary.waits is None
        assert (summary.message or "").startswith("hand ")
        numbers = [event.sequence for event in process.lobby.events]
        assert numbers == list(range(1, len(numbers) + 1))


def decision_of(request: ActionRequest) -> str:
    """Return the part of the request id that all attempts of a decision share."""
    return str(request.request_id).rpartition(":")[0]


async def test_an_open_question_is_abandoned_and_asked_anew() -> None:
    """With the same request id and the whole clock; its first answer counts for nothing."""
    process = LeasedProcess()
    gate = asyncio.Event()
    abandoned_at: list[float] = []

    async def thinking(request: ActionRequest) -> ActionResponse:
        try:
            await gate.wait()
        except asyncio.CancelledError:
            abandoned_at.append(process.clock.time)
            raise
        return calling(request)

    async with process.running():
        await process.begin(thinking, thinking)
        await process.play()
        await process.clock.until(lambda: process.asked_at)
        await process.clock.pass_time(LEASE_S)
        assert len(process.asked_at) == 1, "an open question outlives renewals"
        answered_at = process.lobby.announcements[-1][0]
        process.cut()
        await process.clock.pass_time(LEASE_S + 1)
        assert len(abandoned_at) == 1
        assert abs(abandoned_at[0] - answered_at - LEASE_S) < 0.2
        gate.set()
        await process.clock.pass_time(1)
        assert process.count("action_taken") == 0
        assert len(process.asked_at) == 1
        process.heal()
        await process.clock.until(lambda: process.count("action_taken"))
        (first, again, *_rest) = [
            request
            for player in process.players
            for request in player.asked
            if request.request_id == player.asked[0].request_id
            and str(request.request_id).endswith(":1")
        ]
        assert first == again
        assert again.deadline_ms == 300_000


@pytest.mark.parametrize("is_legal", [True, False])
async def test_an_answer_that_comes_after_the_end_is_not_applied(*, is_legal: bool) -> None:
    """Not even in the moment before the question is abandoned; nor is it asked for once more."""
    process = LeasedProcess()
    late: list[ActionRequest] = []

    def waking(request: ActionRequest) -> ActionResponse:
        if process.count("hand_completed") < 2 or late:
            return calling(request)
        late.append(request)
        process.cut()
        process.clock.jump(LEASE_S + 1)  # the process is stopped while the player thinks
        return calling(request) if is_legal else ActionResponse(action="bet", amount=1)

    async with process.running():
        await process.begin(waking, waking)
        await process.play()
        await process.clock.until(lambda: late)
        asked = len(process.asked_at)
        await process.clock.pass_time(5)
        assert len(process.asked_at) == asked
        process.heal()
        await process.clock.until(lambda: len(process.asked_at) > asked + 5)
        repeated = [
            request
            for player in process.players
            for request in player.asked
            if decision_of(request) == decision_of(late[0])
        ]
        assert repeated == [late[0], late[0]]
        assert repeated[1].rejected is None
        outcomes = {
            (event.payload or {}).get("outcome")
            for event in process.lobby.events
            if event.event_type == "action_taken"
        }
        assert outcomes == {"ok"}


async def test_a_slow_answer_prolongs_the_lease_from_its_announcement_on() -> None:
    """The lobby counts the silence from there; nothing comes through after that answer."""
    process = LeasedProcess()
    delay_s = 1.5

    def slowly(_url: str, body: bytes) -> float:
        if b'"skill":"registerTable"' not in body:
            return 0
        process.cut()
        return delay_s

    async with process.running():
        await process.begin(calling, calling)
        await process.play()
        process.transport.delay_s = slowly
        await process.clock.pass_time(3 * LEASE_S)
        announced_at = process.lobby.announcements[-1][0]
        assert announced_at + LEASE_S - 0.4 < max(process.asked_at) <= announced_at + LEASE_S


async def test_no_hand_is_dealt_without_a_lease() -> None:
    process = LeasedProcess()
    async with process.running():
        await process.begin(calling, calling)
        process.cut()
        await process.clock.pass_time(2 * LEASE_S)
        await process.play()
        await process.clock.pass_time(2 * LEASE_S)
        assert (await process.summary()).message == WaitReason.LEASE_OVER.what
        healed_at = process.clock.timestamp()
        process.heal()
        await process.clock.until(lambda: process.count("hand_completed"))
        dealt = [event for event in process.lobby.events if event.event_type == "hand_started"]
        assert (dealt[0].timestamp or "") >= healed_at


async def test_a_room_without_a_lease_plays_on_without_its_lobby() -> None:
    process = LeasedProcess()
    process.lobby.lease_ms = None
    async with process.running():
        await process.begin(calling, calling, lease_ms=None)
        await process.play()
        process.cut()
        await process.clock.pass_time(4 * LEASE_S)
        assert max(process.asked_at) > process.clock.time - 0.4
        assert process.metric("casino_tables_awaiting_lobby") == 0


async def test_a_repeated_configuration_without_a_lease_lifts_it() -> None:
    """And an answer with a lease limits the right again."""
    process = LeasedProcess()
    async with process.running():
        await process.begin(calling, calling)
        process.lobby.lease_ms = None
        await process.configure(None)
        await process.play()
        await process.clock.pass_time(4 * LEASE_S)
        assert max(process.asked_at) > process.clock.time - 0.4
        process.lobby.lease_ms = round(LEASE_S * 1000)
        await process.clock.pass_time(LEASE_S)
        process.cut()
        await process.clock.pass_time(LEASE_S + 1)
        asked = len(process.asked_at)
        await process.clock.pass_time(LEASE_S)
        assert len(process.asked_at) == asked


@pytest.mark.parametrize("lease_ms", [round(LEASE_S * 1000), None])
async def test_a_restarted_table_asks_nobody_before_an_answer(
    tmp_path: Path, lease_ms: int | None
) -> None:
    """Also if its lease came with an answer only: the journal has it."""
    process = LeasedProcess(tmp_path)
    async with process.running():
        await process.begin(calling, calling, lease_ms=lease_ms)
        await process.play()
        await process.clock.until(lambda: process.count("hand_completed") > 2)
        await process.clock.pass_time(LEASE_S)
    process.cut()
    process.start()
    async with process.running():
        asked = len(process.asked_at)
        await process.clock.pass_time(2 * LEASE_S)
        assert len(process.asked_at) == asked
        process.heal()
        await process.clock.until(lambda: len(process.asked_at) > asked + 20)
        assert process.count("hand_cancelled") == 0
