"""A lobby that knows only the protocol document resets its table with `configureTable`."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from casino_agentkit import Caller, CommandRefused
from casino_contracts import ActionRequest, ActionResponse, HandRecordInput, RoomKey, StartGameInput
from casino_table.table_agent import TableRules
from support.table.disk_log import CutLog, disk_log
from support.table.table_harness import TableHarness
from support.table.table_side import CONFIG, calling, configuring, shoving

ELSEWHERE = {"agentCardUrl": "http://other/card.json", "eventSkill": "recordGameEvent"}


class Gate:
    """Players that answer only after the gate was opened."""

    def __init__(self) -> None:
        self.opened = asyncio.Event()
        self.reached = asyncio.Event()

    async def decide(self, request: ActionRequest) -> ActionResponse:
        self.reached.set()
        await self.opened.wait()
        return calling(request)


def kinds_of(harness: TableHarness) -> list[str]:
    return [(event.payload or {}).get("kind") or event.event_type for event in harness.lobby.events]


def chips_by_events(harness: TableHarness) -> float:
    """Return what is on the table by the events alone: brought less taken away."""
    chips = 0.0
    for event in harness.lobby.events:
        payload: dict[str, Any] = event.payload or {}
        if event.event_type == "player_registered":
            chips += payload["stack"]
        elif payload.get("kind") == "left":
            chips -= payload["stack"]
    return chips


async def refusal(harness: TableHarness, **changes: Any) -> str:
    with pytest.raises(CommandRefused) as raised:
        await harness.host.configure(configuring(**changes))
    return raised.value.reason


async def test_seats_are_given_back_and_reported(harness: TableHarness) -> None:
    """The table is as after its first configuration; play begins anew."""
    await harness.begin(calling, shoving, rules={"maxHands": 3})
    played = await harness.play()
    before = len(harness.lobby.events)
    stacks = {seat.player_id: seat.stack for seat in played.players}
    summary = await harness.host.configure(configuring())
    assert (summary.status, summary.hand_count, summary.players) == ("waiting", 0, ())
    assert (summary.message, summary.state) == ("waiting for players", None)
    await harness.end()
    reported = [event.payload or {} for event in harness.lobby.events[before:]]
    assert [payload["kind"] for payload in reported] == ["left"] * len(stacks) + ["configured"]
    assert {payload["playerId"]: payload["stack"] for payload in reported[:-1]} == stacks
    assert chips_by_events(harness) == 0
    assert [event.sequence for event in harness.lobby.events] == list(
        range(1, len(harness.lobby.events) + 1)
    )
    for _ in range(2):
        await harness.join(calling)
    assert (await harness.play(maxHands=2)).hand_count == 2
    assert chips_by_events(harness) == 400


async def test_the_running_hand_is_played_to_its_end(harness: TableHarness) -> None:
    """The reply waits for it, and the session ends with it."""
    gate = Gate()
    await harness.begin(gate.decide, gate.decide, rules={"maxHands": 1000})
    await harness.host.start(StartGameInput())
    await gate.reached.wait()
    resetting = asyncio.ensure_future(harness.host.configure(configuring()))
    await harness.until(lambda: harness.clock.time > 0)
    assert not resetting.done()
    assert len((await harness.host.summary()).players) == 2
    gate.opened.set()
    assert (await resetting).players == ()
    await harness.end()
    kinds = kinds_of(harness)
    assert kinds.count("hand_started") == kinds.count("hand_completed") == 1
    assert kinds[-5:] == ["hand_completed", "finished", "left", "left", "configured"]
    assert chips_by_events(harness) == 0


async def test_two_attempts_at_once_both_find_a_reset_table(harness: TableHarness) -> None:
    """A lobby that waits too short for the reply repeats it."""
    gate = Gate()
    await harness.begin(gate.decide, gate.decide)
    await harness.host.start(StartGameInput())
    await gate.reached.wait()
    attempts = [asyncio.ensure_future(harness.host.configure(configuring())) for _ in range(2)]
    gate.opened.set()
    assert [(await attempt).players for attempt in attempts] == [(), ()]
    await harness.end()
    assert kinds_of(harness).count("left") == 2


async def test_another_room_of_the_lobby_resets_it_too(harness: TableHarness) -> None:
    """Seats leave the old table; the hands of the old one are not those of the new one."""
    await harness.begin(calling, calling, rules={"maxHands": 2})
    await harness.play()
    config = {**CONFIG, "startingStack": 100}
    await harness.host.configure(configuring(tableId="t2", config=config))
    await harness.end()
    reported = [
        (event.table_id, (event.payload or {})["kind"]) for event in harness.lobby.events[-3:]
    ]
    assert reported == [("t1", "left"), ("t1", "left"), ("t2", "configured")]
    for hand_id in ("t1/1", "t2/1"):
        with pytest.raises(CommandRefused, match="no completed hand") as raised:
            await harness.host.hand_record(HandRecordInput(hand_id=hand_id))
        assert raised.value.reason == "UNKNOWN_HAND"
    await harness.join(calling, startingStack=100)
    await harness.join(calling, startingStack=100)
    await harness.play(maxHands=1)
    assert harness.lobby.events[-1].table_id == "t2"
    assert harness.events("hand_started")[-1].hand_id == "t2/3"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"casinoCallback": ELSEWHERE, "tableId": "t2"}, "TABLE_BUSY"),
        ({"casinoCallback": {**ELSEWHERE, "secret": "s"}}, "TABLE_BUSY"),
        ({"gameType": "chess"}, "UNKNOWN_GAME"),
    ],
)
async def test_another_lobby_or_a_wrong_request_resets_nothing(
    harness: TableHarness, changes: dict[str, Any], reason: str
) -> None:
    gate = Gate()
    await harness.begin(gate.decide, gate.decide, rules={"maxHands": 2})
    await harness.host.start(StartGameInput())
    await gate.reached.wait()
    assert await refusal(harness, **changes) == reason
    gate.opened.set()
    assert (await harness.end()).hand_count == 2


async def test_a_closing_table_is_not_reset(harness: TableHarness) -> None:
    gate = Gate()
    await harness.begin(gate.decide, gate.decide)
    await harness.host.start(StartGameInput())
    await gate.reached.wait()
    resetting = asyncio.ensure_future(harness.host.configure(configuring()))
    await harness.until(lambda: harness.clock.time > 0)
    await harness.host.close()
    assert await refusal(harness) == "CLOSING"
    gate.opened.set()
    with pytest.raises(CommandRefused) as raised:
        await resetting
    assert raised.value.reason in {"CLOSING", "NOT_CONFIGURED"}
    await harness.until(lambda: harness.host.table_id is None)
    assert not harness.events("left")
    assert len(harness.events("closed")) == 1


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("is_playing", [False, True])
async def test_a_table_killed_in_a_reset_is_the_old_or_the_reset_one(
    tmp_path: Path, *, after: bool, is_playing: bool
) -> None:
    """At every commit from the request on: chips are conserved, no event is missing or doubled."""
    outcomes = set()
    for at in range(_COMMITS_BEFORE[is_playing] + 1, 40):
        log = CutLog(tmp_path / f"{at}", at, after=after)
        harness = TableHarness(log)
        gate = Gate()
        await harness.begin(gate.decide, gate.decide, rules={"maxHands": 3})
        if is_playing:
            await harness.host.start(StartGameInput())
            await gate.reached.wait()
        assert log.file.writes == _COMMITS_BEFORE[is_playing]
        gate.opened.set()
        is_cut = await reset_until_cut(harness, log)
        await harness.host.stop()
        if not is_cut:
            break
        await harness.resume(disk_log(tmp_path / f"{at}"))
        summary = await harness.end()
        seated = sum(seat.stack for seat in summary.players)
        assert chips_by_events(harness) == seated
        outcomes.add((len(summary.players), seated))
        assert [event.sequence for event in harness.lobby.events] == list(
            range(1, len(harness.lobby.events) + 1)
        )
        await harness.host.stop()
    old, anew = (2, 400), (0, 0)
    assert outcomes == ({old} if not after else {old, anew} if is_playing else {anew})


_COMMITS_BEFORE = {False: 3, True: 5}
"""Configured and two seats; with a session and the deal of its first hand."""


async def reset_until_cut(harness: TableHarness, log: CutLog) -> bool:
    """Configure the table again; returns whether its process was killed meanwhile."""
    resetting = asyncio.ensure_future(harness.host.configure(configuring()))
    killed = asyncio.ensure_future(log.file.is_cut.wait())
    await asyncio.wait([resetting, killed], return_when=asyncio.FIRST_COMPLETED)
    for task in (resetting, killed):
        task.cancel()
    await asyncio.gather(resetting, killed, return_exceptions=True)
    return log.file.is_cut.is_set()


async def test_a_keyed_room_is_reset_by_its_lobby_alone(harness: TableHarness) -> None:
    """The rule is that of every other command: knowing the callback is not enough."""
    callback = {**configuring().casino_callback.model_dump(), "secret": "open sesame"}
    request = configuring(casinoCallback=callback)
    await harness.begin(calling, calling, casinoCallback=callback)
    rules = TableRules(harness.host, None)
    for token in ("", "guess"):
        with pytest.raises(CommandRefused, match="use another table"):
            await harness.host.configure(request, is_owner=rules.owns(Caller(token)))
    owner = Caller(RoomKey("open sesame").table)
    rules.configuring.admit(owner, request)
    await harness.host.start(StartGameInput())
    for token, reason in (("", "UNAUTHORIZED"), ("guess", "FORBIDDEN")):
        with pytest.raises(CommandRefused) as raised:
            rules.configuring.admit(Caller(token), request)
        assert raised.value.reason == reason
    reset = await harness.host.configure(request, is_owner=rules.owns(owner))
    assert reset.players == ()
