"""How long a hand's record can be read, also after restarts and epochs."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from casino_agentkit import CommandRefused
from casino_contracts import (
    ActionRequest,
    ActionResponse,
    RoomKey,
    StartGameInput,
)
from casino_table.journal.journal_log import Log
from support.table.disk_log import disk_log
from support.table.table_harness import TableHarness
from support.table.table_side import CONFIG, calling, configuring
from table.hand_records.recorded_session import (
    CALLBACK,
    RULES,
    record_input,
    recorded_session,
    refusal,
    talking,
    talking_players,
)


async def readable(harness: TableHarness, last: int) -> list[int]:
    """Return the hands up to number `last` whose records can be read."""
    return [n for n in range(1, last + 1) if await refusal(harness, record_input(n)) == ""]


class TestKeeping:
    async def test_the_disk_keeps_the_wanted_hands_of_one_session(self, tmp_path: Path) -> None:
        """Their records are as before, over a restart too; older ones are refused."""
        harness = await recorded_session(disk_log(tmp_path / "log", keep_hands=20), maxHands=20)
        before = {n: await harness.host.hand_record(record_input(n)) for n in range(1, 21)}
        await harness.play()
        assert harness.table.hand_number == 40
        kept_from = (await harness.host.summary()).kept_from
        for reopened in (False, True):
            if reopened:
                await harness.host.stop()
                await harness.resume(disk_log(tmp_path / "log", keep_hands=20))
            assert await readable(harness, 40) == list(range(19, 41))
            assert await harness.host.hand_record(record_input(19)) == before[19]
            with pytest.raises(CommandRefused, match="its record was deleted"):
                await harness.host.hand_record(record_input(18))
            assert (await harness.host.summary()).kept_from == kept_from
        await harness.host.stop()

    async def test_a_lobby_that_lost_kept_events_gets_them_again(self, tmp_path: Path) -> None:
        """The oldest kept one is the first that it can have lost."""
        log = disk_log(tmp_path / "log", keep_hands=20)
        harness = await recorded_session(log, maxHands=40)
        kept_from = (await harness.host.summary()).kept_from
        assert kept_from is not None
        assert kept_from > 1
        before = harness.lobby.events
        harness.lobby.lose_after(kept_from - 1)
        assert harness.host.running is not None
        harness.host.running.redeliver_last()  # as when the lobby configures it again
        await harness.until(lambda: harness.lobby.events == before)
        await harness.host.stop()

    async def test_a_resumed_hand_has_a_complete_record(self, tmp_path: Path) -> None:
        harness = TableHarness(disk_log(tmp_path / "log"))
        waiting = asyncio.Event()
        think = talking("p0")

        async def stuck(request: ActionRequest) -> ActionResponse:
            if request.betting_round == "flop":
                waiting.set()
                await asyncio.Event().wait()
            return ActionResponse(action=calling(request).action, reasoning="early")

        await harness.begin(stuck, calling, rules={**RULES, "maxHands": 1}, casinoCallback=CALLBACK)
        await harness.host.start(StartGameInput())
        await waiting.wait()
        await harness.host.stop()
        harness.players[0].decide = think
        await harness.resume(disk_log(tmp_path / "log"))
        await harness.end()
        record = await harness.host.hand_record(record_input(1))
        thoughts = [one.reasoning for one in record.decisions if one.player_id == "p0"]
        assert thoughts[0] == "early"
        assert "thinks" in str(thoughts[-1])
        await harness.host.stop()

    async def test_the_last_hand_of_a_closed_table_can_be_read(self, log: Log) -> None:
        """Only with the token of its room, also when another room has the table."""
        harness = TableHarness(log)
        rules = {**RULES, "maxHands": 100_000}
        await harness.begin(*talking_players(), rules=rules, casinoCallback=CALLBACK)
        await harness.host.start(StartGameInput())
        await harness.until(lambda: len(harness.events("hand_completed")) >= 3)
        await harness.host.close()
        await harness.until(lambda: harness.host.table_id is None)
        last = len(harness.events("hand_completed"))
        assert (await harness.host.hand_record(record_input(last))).hand_number == last
        assert await refusal(harness, record_input(last), "guess") == "FORBIDDEN"
        assert await refusal(harness, record_input(last - 1)) == "FORBIDDEN"
        other = {**CALLBACK, "secret": "other"}
        await harness.host.configure(configuring(tableId="t9", casinoCallback=other))
        other_right = RoomKey("other").table
        assert await refusal(harness, record_input(last), other_right) == "FORBIDDEN"
        assert (await harness.host.hand_record(record_input(last))).table_id == "t1"
        assert await refusal(harness, record_input(1, "t9"), other_right) == "UNKNOWN_HAND"
        await harness.host.stop()


class TestEpochs:
    async def go_on(self, harness: TableHarness, number: int, **continuation: Any) -> None:
        """Configure a new epoch that continues after a hand."""
        seats = [
            {
                "playerId": f"p{seat}",
                "displayName": f"Player {seat}",
                "seatNumber": seat,
                "stack": 200,
                "agentCardUrl": harness.cards[seat],
            }
            for seat in range(4)
        ]
        given = configuring(
            epoch=2,
            config={**CONFIG, **RULES, "maxHands": 2},
            seats=seats,
            continuation={"handNumber": number, "handCount": number, **continuation},
            casinoCallback=CALLBACK,
        )
        await harness.host.configure(given)

    async def test_hands_after_the_continuation_are_void(self, played: TableHarness) -> None:
        """With a seed, the void records would reveal cards that are dealt again."""
        old = await played.host.hand_record(record_input(8))
        await self.go_on(played, 8)
        assert await played.host.hand_record(record_input(8)) == old
        for number in range(9, 13):
            assert await refusal(played, record_input(number)) == "UNKNOWN_HAND"
        await played.play()
        new = await played.host.hand_record(record_input(9))
        assert (new.epoch, new.hand_number) == (2, 9)
        assert (await played.host.hand_record(record_input(10))).epoch == 2
        assert await refusal(played, record_input(11)) == "UNKNOWN_HAND"
        assert (await played.host.hand_record(record_input(1))).epoch == 1

    async def test_a_hand_that_the_lobby_cancelled_has_no_record(
        self, played: TableHarness
    ) -> None:
        await self.go_on(played, 9, cancelledHand=9)
        assert await refusal(played, record_input(9)) == "UNKNOWN_HAND"
        assert (await played.host.hand_record(record_input(8))).hand_number == 8
