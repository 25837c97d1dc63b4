"""The questions in a hand's record are those that the players were asked."""

from collections.abc import Callable
from typing import Any

from casino_contracts import ActionRequest, ActionResponse, HandRecordInput
from casino_table.journal.journal_log import Log
from support.table.table_harness import TableHarness
from table.hand_records.recorded_session import CALLBACK, RULES, talking


def noting(name: str, asked: list[dict[str, Any]]) -> Callable[[ActionRequest], ActionResponse]:
    decide = talking(name)

    def act(request: ActionRequest) -> ActionResponse:
        asked.append(request.model_dump(mode="json"))
        return decide(request)

    return act


async def test_each_decision_has_its_question_again(log: Log) -> None:
    """Field for field, except what was left of the clock; first attempts only."""
    asked: list[dict[str, Any]] = []
    harness = TableHarness(log)
    players = [noting(f"p{number}", asked) for number in range(4)]
    await harness.begin(*players, rules={**RULES, "timeBankMs": 500}, casinoCallback=CALLBACK)
    await harness.play()
    again: list[dict[str, Any]] = []
    for number in range(1, 13):
        wanted = HandRecordInput(hand_id=f"t1/{number}", questions=True)
        record = await harness.host.hand_record(wanted)
        again += [question for one in record.decisions if (question := one.question)]
    first = [question for question in asked if question["requestId"].endswith(":1")]
    assert len(first) > 40
    for question, noted in zip(again, first, strict=True):
        assert question.pop("deadlineMs") >= noted.pop("deadlineMs")
        assert question == noted
    plain = await harness.host.hand_record(HandRecordInput(hand_id="t1/1"))
    assert all(one.question is None for one in plain.decisions)
    await harness.host.stop()
