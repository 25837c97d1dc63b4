"""A table that was cut off anywhere goes on as if nothing had been."""

import asyncio
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from casino_agentkit import CommandRefused
from casino_contracts import (
    ActionRequest,
    ActionResponse,
    LeaveTableInput,
    StartGameInput,
    TableEvent,
)
from casino_table.journal.disk_log import DiskLog
from casino_table.journal.journal import JournalFailed, JournalRecord, SequencedEvent
from casino_table.service import TableService
from support.table.table_harness import Rules, TableHarness
from support.table.table_side import SOON, Player, calling, configuring, passive, seating, shoving

RULES: Rules = {
    "maxHands": 4,
    "maxSeats": 4,
    "rebuy": "auto",
    "seed": "resume",
    "maxTimeouts": 1000,  # who sits out is asked back beside play, at no certain time
}


class Cut(BaseException):
    """The end of the process, as far as the table is concerned."""


class CutLog(DiskLog):
    """A log on disk whose process ends at a certain commit: just before it, or just after."""

    def __init__(self, path: Path, at: int = -1, *, after: bool = True) -> None:
        super().__init__(path)
        self.writes = 0
        self.is_cut = asyncio.Event()
        self._at = at
        self._after = after

    def write(self, epoch: int, record: JournalRecord, entries: Sequence[SequencedEvent]) -> None:
        """Commit, unless the end comes first."""
        self.writes += 1
        if self.writes == self._at and not self._after:
            self._cut()
        super().write(epoch, record, entries)
        if self.writes == self._at:
            self._cut()

    def cut_next(self) -> None:
        """Let the end come with the next commit, whatever was planned."""
        self._at = self._at if self._at > self.writes else self.writes + 1

    def _cut(self) -> None:
        self.is_cut.set()
        raise Cut


class FullLog(DiskLog):
    """A log that takes nothing when told so."""

    full = False

    def write(self, epoch: int, record: JournalRecord, entries: Sequence[SequencedEvent]) -> None:
        """Refuse."""
        if self.full:
            raise JournalFailed("disk is full")
        super().write(epoch, record, entries)


def wild(request: ActionRequest) -> ActionResponse:
    """Do something legal that follows from the question alone."""
    dice = random.Random(request.request_id)
    action = dice.choice(request.legal_actions)
    amount = request.min_raise_to if action in {"bet", "raise"} else None
    return ActionResponse(action=action, amount=amount)


def wrong(request: ActionRequest) -> ActionResponse:
    """Answer what is not possible, every time."""
    return ActionResponse(action="bet" if "bet" not in request.legal_actions else "raise")


PLAYERS = (wild, wild, calling, wrong)


def told(events: Sequence[TableEvent]) -> list[dict[str, Any]]:
    """Return events without their times."""
    return [
        {
            **event.model_dump(mode="json", exclude={"timestamp", "payload"}),
            "payload": {k: v for k, v in (event.payload or {}).items() if k != "latencyMs"},
        }
        for event in events
    ]


async def uncut(path: Path) -> tuple[list[dict[str, Any]], int, list[str]]:
    """Play the session in one go; returns its events, the commits, and every question's id."""
    evening = TableHarness()
    log = CutLog(path)
    evening.host = evening.host_with(log=log)
    await evening.begin(*PLAYERS, rules=RULES)
    await evening.play()
    await evening.host.stop()
    return told(evening.lobby.events), log.writes, asked(evening)


def asked(evening: TableHarness) -> list[str]:
    """Return the ids of all questions, each once, in order."""
    return list(
        dict.fromkeys(
            str(request.request_id) for player in evening.players for request in player.asked
        )
    )


async def killed(host: TableService, log: CutLog) -> None:
    """End a table as a SIGKILL would, at its next commit: nothing is written any more."""
    if not log.is_cut.is_set():
        log.cut_next()
    await asyncio.wait_for(log.is_cut.wait(), 20)
    now = host._active
    assert now is not None
    for task in (now.playing, now.publishing, now.closing):
        if task:
            task.cancel()
            await asyncio.wait([task])
    log._sql.close()


async def until_idle(evening: TableHarness) -> None:
    """Wait for the end of the session, and for its last event's delivery."""
    while (await evening.host.summary()).status != "idle":
        await asyncio.sleep(0)
    await evening.delivered()


async def test_cut_at_every_commit_the_same_events_are_told(tmp_path: Path) -> None:
    """Before it and after it: no event missing, none twice, every question by its own id."""
    expected, commits, questions = await uncut(tmp_path / "whole")
    assert commits > 35
    for at in range(6, commits + 1):
        for after in (False, True):
            path = tmp_path / f"{at}-{after}"
            evening = TableHarness()
            log = CutLog(path, at, after=after)
            evening.host = evening.host_with(log=log)
            await evening.begin(*PLAYERS, rules=RULES)
            try:
                await evening.host.start(StartGameInput(request_id="s1"))
            except Cut:
                assert at == 6
            await killed(evening.host, log)
            evening.host = evening.host_with(log=DiskLog(path))
            await evening.host.resume()
            await evening.host.start(StartGameInput(request_id="s1"))  # its reply was lost
            await until_idle(evening)
            assert told(evening.lobby.events) == expected, (at, after)
            assert asked(evening) == questions or set(asked(evening)) == set(questions)
            await evening.host.stop()


async def test_cut_ten_times_in_one_session(tmp_path: Path) -> None:
    """Wherever that is."""
    expected, commits, _ = await uncut(tmp_path / "whole")
    dice = random.Random(10)
    path = tmp_path / "cut"
    evening = TableHarness()
    evening.host = evening.host_with(log=DiskLog(path))
    await evening.begin(*PLAYERS, rules=RULES)
    await evening.host.stop()
    log = CutLog(path, dice.randrange(2, 4))
    evening.host = evening.host_with(log=log)
    await evening.host.resume()
    await evening.host.start(StartGameInput())
    for _ in range(9):
        await killed(evening.host, log)
        log = CutLog(path, dice.randrange(1, commits // 8), after=dice.random() < 0.5)
        evening.host = evening.host_with(log=log)
        await evening.host.resume()
    await killed(evening.host, log)
    evening.host = evening.host_with(log=DiskLog(path))
    await evening.host.resume()
    await until_idle(evening)
    assert told(evening.lobby.events) == expected
    await evening.host.stop()


async def test_a_rest_is_no_end(tmp_path: Path) -> None:
    """A table that is drained finishes its hand, and plays on after its restart."""
    evening = TableHarness()
    evening.host = evening.host_with(log=DiskLog(tmp_path / "log"))
    await evening.begin(calling, calling, rules={**RULES, "maxHands": 30})
    await evening.host.start(StartGameInput())
    while not evening.events("hand_completed"):
        await asyncio.sleep(0)
    await evening.host.drain(SOON)
    await evening.host.stop()
    assert not evening.events("finished", "hand_cancelled")
    assert len(evening.events("hand_started")) == len(evening.events("hand_completed")) < 30
    evening.host = evening.host_with(log=DiskLog(tmp_path / "log"))
    await evening.host.resume()
    await until_idle(evening)
    assert len(evening.events("hand_completed")) == 30
    await evening.host.stop()


async def test_a_hand_that_cannot_be_finished_in_time_is_played_on(tmp_path: Path) -> None:
    """Not cancelled: the journal knows where it stands."""
    evening = TableHarness()
    never = asyncio.Event()

    async def thinking(request: ActionRequest) -> ActionResponse:
        await never.wait()
        return passive(request)

    evening.host = evening.host_with(log=DiskLog(tmp_path / "log"))
    await evening.begin(thinking, thinking, rules={**RULES, "maxHands": 1})
    await evening.host.start(StartGameInput())
    while not any(player.asked for player in evening.players):
        await asyncio.sleep(0)
    await evening.host.drain(SOON * 0)
    await evening.host.stop()
    never.set()
    evening.host = evening.host_with(log=DiskLog(tmp_path / "log"))
    await evening.host.resume()
    await until_idle(evening)
    assert not evening.events("hand_cancelled")
    first = [player.asked[0].request_id for player in evening.players if player.asked]
    assert any(
        [request.request_id for request in player.asked].count(first[0]) == 2
        for player in evening.players
    )
    await evening.host.stop()


class TestCommands:
    """What was said to the table between the decisions."""

    async def test_a_seat_taken_during_a_hand_is_there_again(self, tmp_path: Path) -> None:
        """Wherever the cut comes after it."""
        evening = TableHarness()
        log = CutLog(tmp_path / "log")
        evening.host = evening.host_with(log=log)
        await evening.begin(wild, wild, rules=RULES)
        await evening.host.start(StartGameInput())
        while not evening.players[0].asked:
            await asyncio.sleep(0)
        await evening.join(calling)
        await killed(evening.host, log)
        evening.host = evening.host_with(log=DiskLog(tmp_path / "log"))
        await evening.host.resume()
        assert len((await evening.host.summary()).players) == 3
        await until_idle(evening)
        assert len(evening.events("player_registered")) == 3
        assert evening.players[2].asked
        await evening.host.stop()

    async def test_who_leaves_goes_when_the_hand_is_over(self, tmp_path: Path) -> None:
        """With his chips, also when the table was cut off before."""
        evening = TableHarness()
        log = CutLog(tmp_path / "log")
        evening.host = evening.host_with(log=log)
        await evening.begin(wild, wild, calling, rules=RULES)
        await evening.host.start(StartGameInput())
        while not evening.players[0].asked:
            await asyncio.sleep(0)
        hands = (await evening.host.leave(LeaveTableInput(player_id="p2"))).hand_count
        await killed(evening.host, log)
        evening.host = evening.host_with(log=DiskLog(tmp_path / "log"))
        await evening.host.resume()
        await until_idle(evening)
        (left,) = evening.events("left")
        assert left.payload is not None
        assert left.payload["playerId"] == "p2"
        assert left.payload["handCount"] == hands + 1
        await evening.host.stop()

    async def test_who_leaves_between_hands_goes_at_once(self) -> None:
        """And a stranger cannot."""
        evening = TableHarness()
        await evening.begin(calling, calling)
        summary = await evening.host.leave(LeaveTableInput(player_id="p0"))
        assert [seat.player_id for seat in summary.players] == ["p1"]
        with pytest.raises(CommandRefused) as refused:
            await evening.host.leave(LeaveTableInput(player_id="p0"))
        assert refused.value.reason == "UNKNOWN_PLAYER"

    async def test_a_closing_table_closes_after_its_restart(self, tmp_path: Path) -> None:
        """The lobby hears of it, however long it was away; then the journal is empty."""
        evening = TableHarness()
        log = CutLog(tmp_path / "log")
        evening.host = evening.host_with(log=log)
        await evening.begin(shoving, shoving, rules={**RULES, "maxHands": 1000})
        await evening.host.start(StartGameInput())
        while not evening.players[0].asked:
            await asyncio.sleep(0)
        await evening.host.close()
        await killed(evening.host, log)
        evening.lobby.trouble = [RuntimeError("away")] * 5
        again = DiskLog(tmp_path / "log")
        evening.host = evening.host_with(log=again)
        await evening.host.resume()
        while evening.host.table_id is not None:
            await asyncio.sleep(0)
        assert len(evening.events("closed")) == 1
        assert again.tail() == (1, [])
        await evening.host.stop()


class TestTrouble:
    """A journal that takes nothing."""

    async def test_a_command_that_cannot_be_kept_changes_nothing(self, tmp_path: Path) -> None:
        """And is told so; when there is room again, it is carried out."""
        evening = TableHarness()
        log = FullLog(tmp_path / "log")
        evening.host = evening.host_with(log=log)
        await evening.begin(calling, calling, rules=RULES)
        before = await evening.host.summary()
        log.full = True
        for command in (
            evening.host.start(StartGameInput()),
            evening.host.leave(LeaveTableInput(player_id="p0")),
            evening.host.register(seating(7, "http://p7")),
            evening.host.close(),
        ):
            with pytest.raises(CommandRefused) as refused:
                await command
            assert refused.value.reason == "JOURNAL_FAILED"
            assert await evening.host.summary() == before
        log.full = False
        await evening.play()
        await evening.host.stop()

    async def test_a_leave_that_cannot_be_kept_leaves_the_running_hand_alone(
        self, tmp_path: Path
    ) -> None:
        """Its chips are settled on the seats that were dealt in; nobody leaves."""
        evening, may_act = TableHarness(), asyncio.Event()

        async def patient(request: ActionRequest) -> ActionResponse:
            await may_act.wait()
            return shoving(request)

        log = FullLog(tmp_path / "log")
        evening.host = evening.host_with(log=log)
        await evening.begin(patient, patient, rules={**RULES, "maxHands": 1})
        await evening.host.start(StartGameInput())
        while not any(player.asked for player in evening.players):
            await asyncio.sleep(0)
        log.full = True
        with pytest.raises(CommandRefused):
            await evening.host.leave(LeaveTableInput(player_id="p0"))
        log.full = False
        may_act.set()
        await until_idle(evening)
        (completed,) = evening.events("hand_completed")
        after = {seat.player_id: seat.stack for seat in (await evening.host.summary()).players}
        told = {seat["playerId"]: seat["stack"] for seat in (completed.payload or {})["stacks"]}
        assert after == told
        assert sum(after.values()) == 400
        assert not evening.events("left", "table_error")
        await evening.host.stop()

    async def test_play_waits_while_nothing_can_be_kept(self, tmp_path: Path) -> None:
        """And goes on from the same decision; nothing is lost, nothing is told before its time."""
        expected, _, _ = await uncut(tmp_path / "whole")

        class Moody(DiskLog):
            """Takes two records, refuses two."""

            calls = 0

            def write(
                self, epoch: int, record: JournalRecord, entries: Sequence[SequencedEvent]
            ) -> None:
                """Refuse now and then."""
                self.calls += 1
                if self.calls > 6 and self.calls % 4 < 2:
                    raise JournalFailed("disk is full")
                super().write(epoch, record, entries)

        evening = TableHarness()
        evening.host = evening.host_with(log=Moody(tmp_path / "log"))
        await evening.begin(*PLAYERS, rules=RULES)
        await evening.play()
        assert told(evening.lobby.events) == expected
        await evening.host.stop()

    async def test_a_full_disk_pauses_between_hands(self, tmp_path: Path) -> None:
        """The table says so, and goes on when there is room."""

        class Small(DiskLog):
            """Has no room when told so."""

            full = False

            def has_disk_space(self) -> bool:
                """Tell."""
                return not self.full

        evening = TableHarness()
        log = Small(tmp_path / "log")
        evening.host = evening.host_with(log=log)
        await evening.begin(calling, calling, rules=RULES)
        log.full = True
        await evening.host.start(StartGameInput())
        while (await evening.host.summary()).state != "disk-full":
            await asyncio.sleep(0)
        assert "disk is full" in ((await evening.host.summary()).message or "")
        assert not evening.events("hand_started")
        log.full = False
        await until_idle(evening)
        assert len(evening.events("hand_completed")) == 4
        await evening.host.stop()


async def test_a_takeover_goes_on_from_what_the_lobby_holds() -> None:
    """Higher epoch, seats and numbers given; the running hand is cancelled, nothing is bought."""
    evening = TableHarness()
    await evening.begin()
    for name in ("p0", "p1"):
        evening.town.add(name, evening_player(evening, name))
    given = {
        "epoch": 2,
        "seats": [
            {
                "playerId": name,
                "displayName": name,
                "seatNumber": number,
                "stack": 150 + 100 * number,
                "agentCardUrl": f"http://{name}",
            }
            for number, name in enumerate(("p0", "p1"))
        ],
        "continuation": {
            "handNumber": 7,
            "handCount": 6,
            "bigBlindSeat": 0,
            "cancelledHand": 7,
        },
    }
    summary = await evening.host.configure(configuring(**given))
    assert (summary.epoch, summary.hand_count, summary.sequence) == (2, 6, 2)
    await evening.play(maxHands=2)
    (cancelled,) = evening.events("hand_cancelled")
    assert cancelled.payload is not None
    assert cancelled.payload["handNumber"] == 7
    first, second = evening.events("hand_started")
    assert first.payload is not None
    assert second.payload is not None
    assert (first.payload["handNumber"], second.payload["handNumber"]) == (8, 9)
    assert [seat["stack"] for seat in first.payload["players"]] == [150, 250]
    assert first.payload["posted"][-1]["playerId"] == "p1"
    assert not evening.events("player_registered", "rebought")


def evening_player(evening: TableHarness, name: str) -> Any:
    """Return a caller as an agent."""
    player = Player(name, calling)
    evening.players.append(player)
    return player.agent()
