"""Replies of typed and untyped agents become outputs of calls."""

import json
from datetime import timedelta
from typing import Any

import pytest
from casino_agentkit import (
    Malformed,
    TimedOut,
)
from support.players.odd_agent import BILL, SOUP, TEXTS, Odd, order, peer_of, says, task
from support.players.sample_agent import Bill, SampleAgent


class TestReplies:
    """The output is read from any part of a message or task."""

    async def test_a_typed_agent_answers_in_a_data_part(self) -> None:
        assert (await order(SampleAgent().app())).total == 2

    @pytest.mark.parametrize("text", TEXTS)
    async def test_json_in_a_text_part_is_read(self, text: str) -> None:
        """Plain, fenced, or between sentences, as language models write."""
        assert (await order(Odd(says({"text": text})).app())).model_dump() == BILL

    async def test_the_first_valid_content_counts(self) -> None:
        """JSON that is no output is passed over."""
        odd = Odd(says({"data": {"thought": 1}}, {"text": "{}"}, {"data": BILL}))
        assert (await order(odd.app())).model_dump() == BILL

    @pytest.mark.parametrize(
        "fields",
        [
            {"artifacts": [{"artifactId": "a", "parts": [{"data": BILL}]}]},
            {"artifacts": [{"artifactId": "a", "parts": [{"text": TEXTS[1]}]}]},
            {
                "status": {
                    "state": "TASK_STATE_COMPLETED",
                    "message": {"messageId": "s", "parts": [{"text": TEXTS[0]}]},
                }
            },
            {
                "status": {
                    "state": "TASK_STATE_INPUT_REQUIRED",
                    "message": {"messageId": "s", "parts": [{"data": BILL}]},
                }
            },
        ],
    )
    async def test_a_task_holds_its_output_in_artifact_or_status(
        self, fields: dict[str, Any]
    ) -> None:
        """Agents that answer with tasks are read as well."""
        done = {**task("TASK_STATE_COMPLETED"), **fields}
        assert (await order(Odd(lambda _call: {"result": {"task": done}}).app())).total == 2

    @pytest.mark.parametrize("pieces", [1, 3, 7, 1_000])
    @pytest.mark.parametrize("kind", ["message", "artifact", "status"])
    async def test_a_text_that_is_split_over_parts_is_joined(self, kind: str, pieces: int) -> None:
        """As agents do that write a language model's tokens one by one."""
        text = TEXTS[1] if pieces > 1 else TEXTS[0]
        length = max(1, len(text) // pieces)
        parts = [{"text": text[at : at + length]} for at in range(0, len(text), length)]
        done = task("TASK_STATE_COMPLETED", artifacts=[{"parts": [{"text": "{"}]}, {}])
        if kind == "artifact":
            done["artifacts"].append({"artifactId": "a", "parts": parts})
        else:
            done["status"]["message"] = {"messageId": "s", "parts": parts}
        answer = says(*parts) if kind == "message" else lambda _call: {"result": {"task": done}}
        assert (await order(Odd(answer).app())).model_dump() == BILL

    async def test_texts_of_different_artifacts_are_not_joined(self) -> None:
        half = len(TEXTS[0]) // 2
        halves = [{"parts": [{"text": text}]} for text in (TEXTS[0][:half], TEXTS[0][half:])]
        done = task("TASK_STATE_COMPLETED", artifacts=halves)
        with pytest.raises(Malformed, match="not JSON: a text without closing quotes"):
            await order(Odd(lambda _call: {"result": {"task": done}}).app())

    async def test_not_more_text_is_joined_than_is_read(self) -> None:
        filler = [{"text": "x" * 40_000}, {"text": "y" * 25_536}]
        with pytest.raises(Malformed, match="longer than 65536 characters"):
            await order(Odd(says(*filler, {"text": TEXTS[0]})).app())

    @pytest.mark.parametrize(
        "part",
        [
            {"data": {"result": BILL}},
            {"text": json.dumps({"result": BILL})},
            {"text": f"Done: {json.dumps({'result': BILL, 'usage': 3})}"},
        ],
    )
    async def test_an_output_inside_result_is_read(self, part: dict[str, Any]) -> None:
        """As pydantic-ai answers with an output type."""
        assert (await order(Odd(says(part)).app())).model_dump() == BILL

    async def test_result_is_looked_into_one_level_deep(self) -> None:
        """The error is about the answer as it came."""
        with pytest.raises(Malformed, match="dish") as malformed:
            await order(Odd(says({"data": {"result": {"result": BILL}}})).app())
        assert malformed.value.content == {"result": {"result": BILL}}

    async def test_a_task_that_is_quick_is_asked_for_at_once(self) -> None:
        states = iter(["TASK_STATE_WORKING"] * 3 + ["TASK_STATE_COMPLETED"])

        def answer(call: dict[str, Any]) -> dict[str, Any]:
            if call["method"] == "SendMessage":
                return {"result": {"task": task("TASK_STATE_SUBMITTED")}}
            return {"result": task(next(states), artifacts=[{"parts": [{"data": BILL}]}])}

        peer = await peer_of(Odd(answer).app())
        bill = await peer.call("order", SOUP, Bill, timeout=timedelta(milliseconds=150))
        assert bill.total == 2

    async def test_a_working_task_is_polled(self) -> None:
        done = task("TASK_STATE_COMPLETED", artifacts=[{"parts": [{"data": BILL}]}])
        polls = iter([task("TASK_STATE_WORKING"), task("TASK_STATE_WORKING"), done])

        def answer(call: dict[str, Any]) -> dict[str, Any]:
            if call["method"] == "SendMessage":
                return {"result": {"task": task("TASK_STATE_SUBMITTED")}}
            assert call["params"] == {"id": "t-1"}
            return {"result": next(polls)}

        odd = Odd(answer)
        assert (await order(odd.app())).total == 2
        assert [call["method"] for call in odd.asked] == ["SendMessage"] + ["GetTask"] * 3

    async def test_a_task_that_never_ends_is_a_timeout(self) -> None:
        working = task("TASK_STATE_WORKING")
        odd = Odd(
            lambda call: {"result": {"task": working} if "message" in call["params"] else working}
        )
        peer = await peer_of(odd.app())
        with pytest.raises(TimedOut, match="not finished within"):
            await peer.call("order", SOUP, Bill, timeout=timedelta(milliseconds=200))
