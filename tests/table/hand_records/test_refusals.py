"""Calls of handRecord that are refused."""

import asyncio

from casino_contracts import (
    ActionRequest,
    ActionResponse,
    HandRecordInput,
    RoomKey,
    StartGameInput,
)
from casino_table.journal.journal_log import Log
from support.table.table_harness import TableHarness
from support.table.table_side import calling
from table.hand_records.recorded_session import (
    CALLBACK,
    RULES,
    SECRET,
    TOKEN,
    record_input,
    recorded_session,
    refusal,
)


class TestRefusals:
    async def test_a_record_needs_the_room_s_token(self, played: TableHarness) -> None:
        guesses = (SECRET, TOKEN[:-1], TOKEN + "0", RoomKey(SECRET).events, "sésame")
        for number in (1, 99):
            assert await refusal(played, record_input(number), "") == "UNAUTHORIZED"
            for token in guesses:
                assert await refusal(played, record_input(number), token) == "FORBIDDEN", token

    async def test_a_room_without_a_secret_has_no_records(self, log: Log) -> None:
        harness = TableHarness(log)
        await harness.begin(calling, calling, rules=RULES)
        await harness.play()
        assert await refusal(harness, record_input(1)) == "FORBIDDEN"
        assert await refusal(harness, record_input(1), "") == "FORBIDDEN"
        await harness.host.stop()

    async def test_an_id_of_no_hand_is_unknown(self, log: Log) -> None:
        harness = await recorded_session(log, maxHands=2)
        numbers = ("0", "3", "01", "+1", "\u0661", "1 ", "", "9" * 5000)
        for hand_id in (*(f"t1/{number}" for number in numbers), "1", "", "t2/1", "/t1/1"):
            given = HandRecordInput(hand_id=hand_id)
            assert await refusal(harness, given) == "UNKNOWN_HAND", hand_id
        await harness.host.stop()

    async def test_a_running_hand_has_no_record(self, log: Log) -> None:
        """Earlier hands have, and it has one as soon as it is completed."""
        harness = TableHarness(log)
        waiting, go_on = asyncio.Event(), asyncio.Event()

        async def third(request: ActionRequest) -> ActionResponse:
            if request.hand_number == 3:
                waiting.set()
                await go_on.wait()
            return calling(request)

        await harness.begin(third, calling, rules=RULES, casinoCallback=CALLBACK)
        await harness.host.start(StartGameInput())
        await waiting.wait()
        assert await refusal(harness, record_input(3)) == "HAND_RUNNING"
        assert await refusal(harness, record_input(4)) == "UNKNOWN_HAND"
        assert (await harness.host.hand_record(record_input(2))).hand_number == 2
        go_on.set()
        await harness.end()
        assert (await harness.host.hand_record(record_input(3))).hand_number == 3
        await harness.host.stop()

    async def test_a_cancelled_hand_has_no_record(self, log: Log) -> None:
        harness = TableHarness(log)
        await harness.begin(calling, calling, rules=RULES, casinoCallback=CALLBACK)

        def tampering(request: ActionRequest) -> ActionResponse:
            if request.hand_number == 2:
                harness.table.bought_in += 1
            return calling(request)

        harness.players[0].decide = tampering
        await harness.play()
        assert harness.events("hand_cancelled")
        assert await refusal(harness, record_input(2)) == "UNKNOWN_HAND"
        assert (await harness.host.hand_record(record_input(1))).hand_number == 1
        await harness.host.stop()
