"""A model is examined at a real evaluator: to the end, with its score, and refusals that help."""

import pytest
from casino_gateway.model_context.examinations import Examinations
from casino_lobby_client.errors import CallRefused
from support.evaluator.arc_client import KEY, OTHER_KEY
from support.evaluator.live_evaluator import loop_evaluator


async def test_an_examination_is_played_to_its_score() -> None:
    async with loop_evaluator() as live:
        examinations = Examinations(live.http, KEY)
        with pytest.raises(CallRefused, match="There are: .*kuhn .KUHN."):
            await examinations.begin("chess")
        seen = await examinations.begin("kuhn")
        assert (seen.result, seen.level, seen.score) == ("NOT_FINISHED", 1, None)
        with pytest.raises(CallRefused):
            await Examinations(live.http, OTHER_KEY).act(seen.exam, 0)
        with pytest.raises(CallRefused, match="exam must be what examine returned"):
            await examinations.act("../scorecard", 0)
        assert await examinations.act(seen.exam, 0) == seen
        while seen.result == "NOT_FINISHED":
            assert seen.state is not None
            seen = await examinations.act(seen.exam, seen.actions[0].number)
        assert seen.score is not None
        assert "`score` is its result" in seen.next
