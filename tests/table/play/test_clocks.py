"""Each seat has its clock within the room's maximum and a time bank; a room its pace and pauses."""

from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from casino_contracts import (
    ActionRequest,
    ActionResponse,
    LeaveTableInput,
    StartGameInput,
    WaitReason,
)
from casino_table.domain.admission import seat_for
from casino_table.domain.table import Table
from support.table.disk_log import CutLog, disk_log, kill
from support.table.table_harness import TableHarness
from support.table.table_side import Decide, calling, config, passive, seating, shoving

MAXIMUM = {"maxActionTimeoutMs": 30_000}


@pytest.fixture
async def harness() -> AsyncIterator[TableHarness]:
    """Return a table in whose network only players take a time."""
    harness = TableHarness(latency_s=0)
    yield harness
    await harness.host.stop()


def clocks(request: ActionRequest) -> tuple[int | None, int | None]:
    """Return the clock and the bank of a question."""
    return request.deadline_ms, request.time_bank_ms


@pytest.mark.parametrize(
    ("rules", "asked", "granted"),
    [
        ({}, None, None),
        ({}, 5_000, 5_000),
        ({}, 60_000, 10_000),
        (MAXIMUM, None, None),
        (MAXIMUM, 20_000, 20_000),
        (MAXIMUM, 60_000, 30_000),
    ],
)
def test_a_seat_gets_the_clock_it_asks_for_within_the_maximum(
    rules: dict[str, Any], asked: int | None, granted: int | None
) -> None:
    """Without a maximum of its own the room's clock is the maximum."""
    table = Table("t1", "Casino", config(**rules), 1, "texas-holdem", {})
    seat, _ = seat_for(table, seating(0, "http://p0", clockMs=asked))
    assert seat.clock_ms == granted


async def test_each_seat_is_asked_with_its_own_clock(tmp_path: Path) -> None:
    """After a restart too, and the seat's event says it."""
    harness = TableHarness(disk_log(tmp_path / "log"), latency_s=0)
    await harness.begin(rules={**MAXIMUM, "maxHands": 2})
    for given in ({"clockMs": 25_000, "playerType": "human"}, {"playerType": "ai"}, {}):
        await harness.join(calling, **given)
    await harness.host.stop()
    await harness.resume(disk_log(tmp_path / "log"))
    summary = await harness.play()
    deadlines = [{request.deadline_ms for request in player.asked} for player in harness.players]
    assert deadlines == [{25_000}, {10_000}, {10_000}]
    assert [seat.player_type for seat in summary.players] == ["human", "ai", None]
    registered = harness.payloads("player_registered")
    assert [one.get("clockMs") for one in registered] == [25_000, None, None]
    assert [one.get("playerType") for one in registered] == ["human", "ai", None]
    await harness.host.stop()


def slow(harness: TableHarness, seconds: float) -> Any:
    """Return a player that takes a time for each decision."""

    def decide(request: ActionRequest) -> ActionResponse:
        harness.clock.jump(seconds)
        return calling(request)

    return decide


async def test_longer_decisions_use_up_the_time_bank(harness: TableHarness) -> None:
    """`deadlineMs` is without it, and each session has the whole bank again."""
    await harness.begin(rules={"timeBankMs": 5_000, "maxHands": 3})
    await harness.join(slow(harness, 12))
    await harness.join(calling)
    await harness.play()
    spent = [clocks(request) for request in harness.players[0].asked]
    assert spent[:4] == [(10_000, 5_000), (10_000, 3_000), (10_000, 1_000), (10_000, 0)]
    assert {clocks(request) for request in harness.players[1].asked} == {(10_000, 5_000)}
    outcomes = {one["outcome"] for one in harness.payloads("action_taken")}
    assert outcomes == {"ok"}
    before = len(spent)
    await harness.play()
    assert clocks(harness.players[0].asked[before]) == (10_000, 5_000)


async def test_the_second_attempt_has_what_is_left_of_the_bank(harness: TableHarness) -> None:
    """When the clock is over, only the bank is left."""

    def wrong_at_first(request: ActionRequest) -> ActionResponse:
        if request.rejected:
            return calling(request)
        harness.clock.jump(11.5)
        return ActionResponse(action="bet", amount=1)

    await harness.begin(wrong_at_first, calling, rules={"timeBankMs": 5_000, "maxHands": 1})
    await harness.play()
    first, second = harness.players[0].asked[:2]
    assert clocks(first) == (10_000, 5_000)
    assert clocks(second) == (0, 3_500)


async def test_a_killed_table_has_the_same_time_banks(tmp_path: Path) -> None:
    async def banks(path: Path, at: int) -> dict[str | None, int | None]:
        log = CutLog(path, at)
        harness = TableHarness(log, latency_s=0)
        await harness.begin(rules={"timeBankMs": 30_000, "maxHands": 3, "rebuy": "auto"})
        await harness.join(slow(harness, 10.75))
        await harness.join(slow(harness, 11.5))
        await harness.host.start(StartGameInput())
        if at > 0:
            await kill(harness.host, log)
            await harness.resume(disk_log(path))
        await harness.end()
        await harness.host.stop()
        asked = [request for player in harness.players for request in player.asked]
        return {request.request_id: request.time_bank_ms for request in asked}

    expected = await banks(tmp_path / "whole", -1)
    assert len(set(expected.values())) > 8
    for at in (6, 9, 13, 17):
        assert await banks(tmp_path / str(at), at) == expected


async def test_a_paced_table_publishes_one_decision_at_a_time(harness: TableHarness) -> None:
    """With the pace between them and before the next deal; no player's clock is charged."""
    at: list[float] = []

    def noting(request: ActionRequest) -> ActionResponse:
        at.append(harness.clock.time)
        return calling(request)

    await harness.begin(noting, noting, noting, rules={"paceMs": 800, "resultMs": 0, "maxHands": 4})
    await harness.play()
    decisions = harness.payloads("action_taken")
    assert len(at) == len(decisions)
    gaps = [later - earlier for earlier, later in pairwise(at)]
    assert min(gaps) > 0.79
    total = 0.8 * (len(decisions) + 4 - 1)
    assert total - 0.01 < harness.clock.time - 1000 < total + 1
    assert all(one["latencyMs"] < 300 for one in decisions)


PERSON = {"playerType": "human"}
ENDLESS = {"maxHands": 100, "resultMs": 60_000}
RESULT = ("hand_completed",)


def pauses_s(harness: TableHarness) -> set[float]:
    """Return how long the results of a session stayed before the next deal, in tenths."""
    times: list[tuple[str, datetime]] = [
        (event.event_type, datetime.fromisoformat(event.timestamp))
        for event in harness.lobby.events
    ]
    between = [
        later - earlier
        for (kind, earlier), (next_kind, later) in pairwise(
            one for one in times if one[0] in {"hand_started", "hand_completed"}
        )
        if (kind, next_kind) == ("hand_completed", "hand_started")
    ]
    return {round(pause / timedelta(seconds=1), 1) for pause in between}


@pytest.mark.parametrize(
    ("decide", "rules", "seat", "expected_s"),
    [
        (calling, {}, {}, 0),
        (calling, {}, PERSON, 2.5),
        (passive, {}, PERSON, 1),
        (calling, {"resultMs": 4_000}, {}, 4),
        (passive, {"resultMs": 4_000}, {}, 1.6),
        (calling, {"resultMs": 0, "paceMs": 100}, PERSON, 0.1),
        (calling, {"paceMs": 100}, {}, 0.4),
        (calling, {"paceMs": 2_000}, {}, 2.5),
    ],
)
async def test_a_result_stays_where_people_look(
    harness: TableHarness,
    decide: Decide,
    rules: dict[str, Any],
    seat: dict[str, Any],
    expected_s: float,
) -> None:
    """Shorter where all others folded; between bots without a pace not at all."""
    await harness.begin(rules={"maxHands": 5, **rules})
    await harness.join(decide)
    await harness.join(decide, **seat)
    await harness.play()
    assert pauses_s(harness) == {expected_s}
    told_s = {one.get("pauseMs", 0) / 1000 for one in harness.payloads("hand_completed")}
    assert told_s == {expected_s if rules.get("resultMs") != 0 else 0}


async def test_a_board_that_runs_out_stays_longer(harness: TableHarness) -> None:
    """People see each street, and then who has won."""
    await harness.begin(shoving, calling, rules={"maxHands": 2, "rebuy": "auto", "resultMs": 1_000})
    await harness.play()
    assert [one["pauseMs"] for one in harness.payloads("hand_completed")] == [1_600] * 2
    assert pauses_s(harness) == {1.6}


async def test_who_leaves_during_the_pause_is_gone_at_once(harness: TableHarness) -> None:
    await harness.begin(calling, calling, calling, rules=ENDLESS)
    await harness.host.start(StartGameInput())
    await harness.clock.until(lambda: harness.events(*RESULT))
    await harness.host.leave(LeaveTableInput(player_id="p1"))
    await harness.clock.until(lambda: harness.events("left"), 0.5)
    assert len(harness.events("hand_started")) == 1
    await harness.clock.until(lambda: len(harness.events("hand_started")) > 1, 61)
    assert len(harness.payloads("hand_started")[1]["players"]) == 2


async def test_a_session_that_ends_does_not_wait_for_the_pause(harness: TableHarness) -> None:
    await harness.begin(calling, calling, rules=ENDLESS)
    await harness.host.start(StartGameInput())
    await harness.clock.until(lambda: harness.events(*RESULT))
    await harness.host.close()
    await harness.clock.until(lambda: harness.events("closed"), 0.5)
    assert len(harness.events("hand_started")) == 1


async def test_a_table_that_goes_down_does_not_wait_for_the_pause(tmp_path: Path) -> None:
    """And the next process goes on with the next hand."""
    harness = TableHarness(disk_log(tmp_path / "log"), latency_s=0)
    await harness.begin(calling, calling, rules=ENDLESS)
    await harness.host.start(StartGameInput())
    await harness.clock.until(lambda: harness.events(*RESULT))
    started = harness.clock.time
    await harness.host.drain(timedelta(seconds=10))
    assert harness.clock.time < started + 0.5
    await harness.host.stop()
    await harness.resume(disk_log(tmp_path / "log"))
    await harness.clock.until(lambda: len(harness.events("hand_started")) > 1, 0.5)
    await harness.host.stop()


async def test_a_lease_that_ends_ends_the_pause(harness: TableHarness) -> None:
    """The table pauses for its lobby, and deals as soon as it may ask again."""
    await harness.begin(calling, calling, rules=ENDLESS, leaseMs=5_000)
    await harness.host.start(StartGameInput())
    await harness.clock.until(lambda: harness.events(*RESULT))
    await harness.clock.until(lambda: harness.table.message == WaitReason.LEASE_OVER.what, 5.5)
    assert harness.host.running is not None
    harness.host.running.lease.grant(harness.clock.time, 90_000)
    await harness.clock.until(lambda: len(harness.events("hand_started")) > 1, 0.5)
