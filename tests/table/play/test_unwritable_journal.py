"""A table whose journal refuses commits, or whose disk is full."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from casino_agentkit import CommandRefused
from casino_contracts import (
    ActionRequest,
    ActionResponse,
    LeaveTableInput,
    StartGameInput,
    WaitReason,
)
from casino_table.errors import JournalFailed
from casino_table.journal.disk_log import DiskLog, GroupCommit
from casino_table.journal.journal_file import AppendingLog, JournalFile
from structlog.testing import capture_logs
from support.players.holdem_players import MIXED
from support.table.disk_log import RULES, FullLog, log_in
from support.table.table_harness import TableHarness
from support.table.table_side import CONFIG, calling, configuring, seating, shoving


class TestUnwritableJournal:
    async def test_a_command_that_cannot_be_committed_changes_nothing(self, tmp_path: Path) -> None:
        """It is refused, and works when the disk has space again."""
        log = FullLog(tmp_path / "log")
        harness = TableHarness(log)
        await harness.begin(calling, calling, rules=RULES)
        before = await harness.host.summary()
        log.file.is_full = True
        for command in (
            harness.host.start(StartGameInput()),
            harness.host.leave(LeaveTableInput(player_id="p0")),
            harness.host.register(seating(7, "http://p7")),
            harness.host.close(),
            harness.host.configure(configuring(config={**CONFIG, **RULES})),
        ):
            with pytest.raises(CommandRefused) as refused:
                await command
            assert refused.value.reason == "JOURNAL_FAILED"
            assert await harness.host.summary() == before
        log.file.is_full = False
        await harness.play()
        await harness.host.stop()

    async def test_a_leave_that_cannot_be_committed_does_not_affect_the_hand(
        self, tmp_path: Path
    ) -> None:
        """Its chips are settled on the dealt seats; nobody leaves."""
        log = FullLog(tmp_path / "log")
        harness, may_act = TableHarness(log), asyncio.Event()

        async def patient(request: ActionRequest) -> ActionResponse:
            await may_act.wait()
            return shoving(request)

        await harness.begin(patient, patient, rules={**RULES, "maxHands": 1})
        await harness.host.start(StartGameInput())
        await harness.until(lambda: any(player.asked for player in harness.players))
        log.file.is_full = True
        with pytest.raises(CommandRefused):
            await harness.host.leave(LeaveTableInput(player_id="p0"))
        log.file.is_full = False
        may_act.set()
        assert (await harness.end()).status == "idle"
        (completed,) = harness.events("hand_completed")
        after = {seat.player_id: seat.stack for seat in (await harness.host.summary()).players}
        reported = {seat["playerId"]: seat["stack"] for seat in (completed.payload or {})["stacks"]}
        assert after == reported
        assert sum(after.values()) == 400
        assert not harness.events("left", "table_error")
        await harness.host.stop()

    async def test_play_waits_while_nothing_can_be_committed(self, tmp_path: Path) -> None:
        """It goes on with the same decision; no event is sent before its commit."""
        uninterrupted = TableHarness()
        await uninterrupted.begin(*MIXED, rules=RULES)
        await uninterrupted.play()
        await uninterrupted.host.stop()

        class Moody(JournalFile):
            """Takes two commits, refuses two."""

            calls = 0

            def write(self, logs: Sequence[AppendingLog]) -> None:
                self.calls += 1
                if self.calls > 6 and self.calls % 4 < 2:
                    raise JournalFailed("disk is full")
                super().write(logs)

        harness = TableHarness(log_in(Moody(tmp_path / "log")))
        await harness.begin(*MIXED, rules=RULES)
        await harness.play()
        assert harness.timeless_events() == uninterrupted.timeless_events()
        await harness.host.stop()

    async def test_a_full_disk_pauses_between_hands(self, tmp_path: Path) -> None:
        """Summary, lobby and log say so, with the folder; play goes on when there is space."""

        class Small(DiskLog):
            """A log on a disk without space while `is_full`."""

            is_full = False

            def has_disk_space(self) -> bool:
                return not self.is_full

        log = Small(GroupCommit(JournalFile(tmp_path / "log")), 1)
        harness = TableHarness(log)
        await harness.begin(calling, calling, rules=RULES)
        log.is_full = True
        with capture_logs() as lines:
            await harness.host.start(StartGameInput())
            await harness.until(lambda: harness.table.state == "disk-full")
            summary = await harness.host.summary()
            (wait,) = summary.waits or ()
            assert (wait.reason, wait.detail) == ("disk-full", str(tmp_path))
            assert summary.message == wait.what == WaitReason.DISK_FULL.what
            assert not harness.events("hand_started")
            log.is_full = False
            summary = await harness.end()
        assert (summary.status, summary.waits) == ("idle", None)
        assert len(harness.events("hand_completed")) == 4
        begun, ended = (line for line in lines if line["event"].startswith("wait_"))
        assert (begun["reason"], begun["detail"]) == ("disk-full", str(tmp_path))
        assert (ended["event"], ended["of"]) == ("wait_ended", "t1")
        await harness.host.stop()

    async def test_a_journal_that_fails_is_told_while_it_does(self, tmp_path: Path) -> None:
        log = FullLog(tmp_path / "log")
        harness = TableHarness(log)
        await harness.begin(calling, calling, rules=RULES)
        await harness.host.start(StartGameInput())
        log.file.is_full = True
        await harness.until(lambda: harness.table.state == "journal-failed")
        (wait,) = (await harness.host.summary()).waits or ()
        assert (wait.reason, wait.detail) == ("journal-failed", "disk is full")
        log.file.is_full = False
        summary = await harness.end()
        assert (summary.status, summary.state, summary.waits) == ("idle", None, None)
        await harness.host.stop()
