"""A table that is killed at any commit goes on with the same hand and decision."""

import asyncio
import random
from pathlib import Path
from typing import Any

import pytest
from casino_agentkit import CommandRefused
from casino_contracts import (
    ActionRequest,
    ActionResponse,
    Defaulted,
    LeaveTableInput,
    StartGameInput,
    Usage,
)
from casino_table.domain.admission import seat_for, session_start
from casino_table.domain.table import Table
from casino_table.journal.journal_log import JournalRecord
from casino_table.play.changes import HandDealt, JournaledTable, recover
from support.players.holdem_players import any_legal, illegal
from support.table.disk_log import RULES, Cut, CutLog, disk_log, kill
from support.table.table_harness import TableHarness
from support.table.table_side import SOON, calling, config, configuring, passive, seating, shoving


def telling(request: ActionRequest) -> ActionResponse:
    """Call, say what it cost, and now and then that it was a default."""
    is_default = random.Random(request.request_id).random() < 0.2
    defaulted = Defaulted(reason="budget", detail="no tokens left") if is_default else None
    told = {"usage": Usage(model="small", input_tokens=9), "defaulted": defaulted}
    return calling(request).model_copy(update=told)


PLAYERS = (any_legal, telling, calling, illegal)


async def uncut(path: Path, **rules: Any) -> tuple[list[dict[str, Any]], int, list[str]]:
    """Play the session without a cut; return its events, its commits, and all question ids."""
    log = CutLog(path)
    harness = TableHarness(log)
    await harness.begin(*PLAYERS, rules={**RULES, **rules})
    await harness.play()
    await harness.host.stop()
    return harness.timeless_events(), log.file.writes, asked(harness)


def asked(harness: TableHarness) -> list[str]:
    """Return the ids of all questions in order, without repetitions."""
    return list(
        dict.fromkeys(
            str(request.request_id) for player in harness.players for request in player.asked
        )
    )


async def test_a_cut_at_any_commit_changes_no_event(tmp_path: Path) -> None:
    """Before and after it: no event is missing or repeated, and questions keep their ids."""
    expected, commits, questions = await uncut(tmp_path / "whole", maxHands=3)
    assert commits > 25
    assert "disclosed" in str(expected)
    for at in range(6, commits + 1):
        for after in (False, True):
            path = tmp_path / f"{at}-{after}"
            log = CutLog(path, at, after=after)
            harness = TableHarness(log)
            await harness.begin(*PLAYERS, rules={**RULES, "maxHands": 3})
            try:
                await harness.host.start(StartGameInput(request_id="s1"))
            except Cut:
                assert at == 6
            await kill(harness.host, log)
            await harness.resume(disk_log(path))
            await harness.host.start(StartGameInput(request_id="s1"))  # its reply was lost
            assert (await harness.end()).status == "idle"
            assert harness.timeless_events() == expected, (at, after)
            assert asked(harness) == questions or set(asked(harness)) == set(questions)
            await harness.host.stop()


async def test_ten_cuts_in_one_session_change_no_event(tmp_path: Path) -> None:
    expected, commits, _ = await uncut(tmp_path / "whole")
    dice = random.Random(10)
    path = tmp_path / "cut"
    harness = TableHarness(disk_log(path))
    await harness.begin(*PLAYERS, rules=RULES)
    await harness.host.stop()
    log = CutLog(path, dice.randrange(2, 4))
    await harness.resume(log)
    await harness.host.start(StartGameInput())
    for _ in range(9):
        await kill(harness.host, log)
        log = CutLog(path, dice.randrange(1, commits // 8), after=dice.random() < 0.5)
        await harness.resume(log)
    await kill(harness.host, log)
    await harness.resume(disk_log(path))
    assert (await harness.end()).status == "idle"
    assert harness.timeless_events() == expected
    await harness.host.stop()


async def test_a_drained_session_goes_on_after_a_restart(tmp_path: Path) -> None:
    harness = TableHarness(disk_log(tmp_path / "log"))
    await harness.begin(calling, calling, rules={**RULES, "maxHands": 30})
    await harness.host.start(StartGameInput())
    await harness.until(lambda: harness.events("hand_completed"))
    await harness.host.drain(SOON)
    await harness.host.stop()
    assert not harness.events("finished", "hand_cancelled")
    assert len(harness.events("hand_started")) == len(harness.events("hand_completed")) < 30
    await harness.resume(disk_log(tmp_path / "log"))
    assert (await harness.end()).status == "idle"
    assert len(harness.events("hand_completed")) == 30
    await harness.host.stop()


async def test_a_hand_that_outlasts_draining_is_resumed(tmp_path: Path) -> None:
    """It is not cancelled, and the open question is repeated."""
    harness = TableHarness(disk_log(tmp_path / "log"))
    never = asyncio.Event()

    async def thinking(request: ActionRequest) -> ActionResponse:
        await never.wait()
        return passive(request)

    await harness.begin(thinking, thinking, rules={**RULES, "maxHands": 1})
    await harness.host.start(StartGameInput())
    await harness.until(lambda: any(player.asked for player in harness.players))
    await harness.host.drain(SOON * 0)
    await harness.host.stop()
    never.set()
    await harness.resume(disk_log(tmp_path / "log"))
    assert (await harness.end()).status == "idle"
    assert not harness.events("hand_cancelled")
    first = [player.asked[0].request_id for player in harness.players if player.asked]
    assert any(
        [request.request_id for request in player.asked].count(first[0]) == 2
        for player in harness.players
    )
    await harness.host.stop()


async def test_a_table_that_returns_delivers_its_newest_event_again(tmp_path: Path) -> None:
    """Also one that does not play: else its lobby would not see that it has lost its tail."""
    harness = TableHarness(disk_log(tmp_path / "log"))
    await harness.begin(calling, calling)
    await harness.play(maxHands=1)
    await harness.host.stop()
    harness.lobby.batches.clear()
    await harness.resume(disk_log(tmp_path / "log"))
    await harness.until(lambda: harness.lobby.batches)
    assert harness.lobby.batches == [(harness.lobby.events[-1],)]
    await harness.host.stop()


@pytest.mark.parametrize(
    ("record", "places"),
    [({}, (0, 2, 3)), ({"button": "moving"}, (0, 2, 3)), ({"button": "dead"}, (1, 2, 3))],
)
def test_a_hand_keeps_the_rule_of_the_button_by_which_it_was_dealt(
    record: dict[str, Any], places: tuple[int, int, int]
) -> None:
    """Also one of release 0.1.0, whose record has none: there the button moved."""
    table = Table("t1", "Casino", config(), 1, "texas-holdem", {})
    for number in range(4):
        table.take_seat(seat_for(table, seating(number, f"http://p{number}"))[0])
    table.begin(session_start(table, StartGameInput()))
    table.settle(table.next_deal(), {"p0": 200, "p1": -200, "p2": 0, "p3": 0})
    table.free_busted()
    settled = JournaledTable(configuring(), table).record("settled")
    state = recover([settled, JournalRecord("hand", {"seed": "one", **record})])
    assert state.hand is not None
    assert (state.hand.deal.button_seat, *state.hand.deal.places) == places
    assert state.table.last_small_blind == 2
    (started,) = state.hand.started()
    told = started.payload.model_dump(by_alias=True)
    assert told["buttonSeat"] == places[0]
    assert [post["playerId"] for post in told["posted"]] == ["p2", "p3"]


def test_a_hand_without_small_blind_says_so_by_what_is_posted() -> None:
    """Its questions name the empty seat of the button, and nobody who posted for it."""
    table = Table("t1", "Casino", config(), 1, "texas-holdem", {})
    for number in range(5):
        table.take_seat(seat_for(table, seating(number, f"http://p{number}"))[0])
    table.begin(session_start(table, StartGameInput()))
    table.settle(table.next_deal(), {"p0": 400, "p1": -200, "p2": -200, "p3": 0, "p4": 0})
    table.free_busted()
    state = JournaledTable(configuring(), table)
    (started,) = HandDealt("one", table.button_rule).apply(state)
    told = started.payload.model_dump(by_alias=True)
    assert (told["buttonSeat"], told["smallBlind"]) == (1, 1)
    assert [(post["playerId"], post["kind"]) for post in told["posted"]] == [("p3", "big-blind")]
    assert state.hand is not None
    asked = state.hand.question(state.hand.next_seat).request(1, SOON, None)
    question = ActionRequest.model_validate_json(asked)
    assert (question.player_id, question.button_seat, question.to_call) == ("p4", 1, 2)


class TestCommands:
    async def test_a_seat_taken_during_a_hand_survives_a_cut(self, tmp_path: Path) -> None:
        log = CutLog(tmp_path / "log")
        harness = TableHarness(log)
        await harness.begin(any_legal, any_legal, rules=RULES)
        await harness.host.start(StartGameInput())
        await harness.until(lambda: harness.players[0].asked)
        await harness.join(calling)
        await kill(harness.host, log)
        await harness.resume(disk_log(tmp_path / "log"))
        assert len((await harness.host.summary()).players) == 3
        assert (await harness.end()).status == "idle"
        assert len(harness.events("player_registered")) == 3
        assert harness.players[2].asked
        await harness.host.stop()

    async def test_a_player_leaves_after_the_hand_despite_a_cut(self, tmp_path: Path) -> None:
        log = CutLog(tmp_path / "log")
        harness = TableHarness(log)
        await harness.begin(any_legal, any_legal, calling, rules=RULES)
        await harness.host.start(StartGameInput())
        await harness.until(lambda: harness.players[0].asked)
        hands = (await harness.host.leave(LeaveTableInput(player_id="p2"))).hand_count
        await kill(harness.host, log)
        await harness.resume(disk_log(tmp_path / "log"))
        assert (await harness.end()).status == "idle"
        (left,) = harness.events("left")
        assert left.payload is not None
        assert left.payload["playerId"] == "p2"
        assert left.payload["handCount"] == hands + 1
        await harness.host.stop()

    async def test_a_player_leaves_at_once_between_hands(self) -> None:
        harness = TableHarness()
        await harness.begin(calling, calling)
        summary = await harness.host.leave(LeaveTableInput(player_id="p0"))
        assert [seat.player_id for seat in summary.players] == ["p1"]
        with pytest.raises(CommandRefused) as refused:
            await harness.host.leave(LeaveTableInput(player_id="p0"))
        assert refused.value.reason == "UNKNOWN_PLAYER"

    async def test_a_closing_table_closes_after_its_restart(self, tmp_path: Path) -> None:
        """The lobby gets the event however long it was away; then the journal is empty."""
        log = CutLog(tmp_path / "log")
        harness = TableHarness(log)
        await harness.begin(shoving, shoving, rules={**RULES, "maxHands": 1000})
        await harness.host.start(StartGameInput())
        await harness.until(lambda: harness.players[0].asked)
        await harness.host.close()
        await kill(harness.host, log)
        harness.lobby.trouble = [RuntimeError("away")] * 5
        again = disk_log(tmp_path / "log")
        await harness.resume(again)
        await harness.until(lambda: harness.host.table_id is None)
        assert len(harness.events("closed")) == 1
        assert again.tail() == (1, [])
        await harness.host.stop()
