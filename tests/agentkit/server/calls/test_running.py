"""A call that the protocol answers runs as one that the application answers."""

from functools import partial

import pytest
from support.plain.agent import PlainAgent
from support.plain.requests import call, data_of, without_ids
from support.plain.server import called, plain_server
from support.processes import run_until

TOKEN = "Authorization: Bearer sesame"
SKILLS = {
    "quick": "hello",
    "prompt": "hello",
    "thread": "hello",
    "limited": "late hello",
    "grouped": "True hellosesame hellosesame hellosesame",
    "who": "'sesame' '127.0.0.1' '' False ''",
    "who_later": "'sesame' '127.0.0.1' '' False ''",
    "known": "hello",
    "known_later": "hello",
}
"""What each answers to "hello"."""
ENDS = ["refuse", "fail", "cancel", "leave"]
BOTH = ["", "_later"]


class TestAnswers:
    """The protocol answers, and the application has nothing to do."""

    @pytest.mark.parametrize("skill", SKILLS)
    async def test_each_kind_of_function_answers(self, skill: str) -> None:
        """Those that compute, wait, start tasks, have time limits, or block a thread."""
        made = PlainAgent()
        async with plain_server(made.agent) as server, called(server) as connection:
            for _ in range(3):
                await connection.send(call(skill, {"text": "hello"}, TOKEN))
                assert data_of(await connection.response())["text"] == SKILLS[skill]
            assert not server.by_application

    @pytest.mark.parametrize("skill", ["context", "context_later"])
    async def test_what_a_call_sets_is_not_seen_by_the_next(self, skill: str) -> None:
        made = PlainAgent()
        async with plain_server(made.agent) as server, called(server) as connection:
            for text in ("one", "two"):
                await connection.send(call(skill, {"text": text}))
                assert data_of(await connection.response())["text"] == "nothing"
            await connection.send(call("who", {}, TOKEN))
            assert "sesame" in data_of(await connection.response())["text"]
            await connection.send(call("who"))
            assert data_of(await connection.response())["text"] == "'' '127.0.0.1' '' False ''"

    async def test_a_repeated_request_is_answered_from_memory(self) -> None:
        made = PlainAgent()
        async with plain_server(made.agent) as server, called(server) as connection:
            for skill in ("known", "known_later"):
                numbers = []
                for hurry in (1, 1, 2, 3):
                    data = {"text": "x", "requestId": "q", "hurryMs": hurry}
                    await connection.send(call(skill, data))
                    numbers.append(data_of(await connection.response())["number"])
                assert numbers == [1] * 4
            assert made.ran == {"quick": 1, "prompt": 1}

    async def test_each_call_is_counted_once(self) -> None:
        made = PlainAgent()
        async with plain_server(made.agent) as server, called(server) as connection:
            for skill in ("quick", "prompt", "refuse", "refuse_later", "fail", "fail_later"):
                await connection.send(call(skill))
                await connection.response()
            await connection.send(call("quick", {"text": 7}))
            await connection.response()
            counted = {
                name.removeprefix("agent_calls_total"): value
                for name, value in server.metrics.items()
                if name.startswith("agent_calls_total")
            }
            assert not server.by_application
        assert counted == {
            '{outcome="ok",skill="quick"}': 1,
            '{outcome="invalid",skill="quick"}': 1,
            '{outcome="ok",skill="prompt"}': 1,
            '{outcome="refused",skill="refuse"}': 1,
            '{outcome="refused",skill="refuse_later"}': 1,
            '{outcome="failed",skill="fail"}': 1,
            '{outcome="failed",skill="fail_later"}': 1,
        }


class TestEnds:
    @pytest.mark.parametrize("skill", [end + later for end in ENDS for later in BOTH])
    async def test_it_ends_as_by_the_application(self, skill: str) -> None:
        """Refused, failed, cancelled, or with what would end a process."""
        request = call(skill)
        answers = []
        for has_front in (True, False):
            made = PlainAgent()
            async with plain_server(made.agent, has_front=has_front) as server:
                answers.append(without_ids(await server.answers([request])))
                assert server.by_application == (not has_front)
                assert made.ran.total() == 1
                assert data_of(await server.answers([call("quick")]))["number"] == 1
        assert answers[0] == answers[1]
        assert b"a secret" not in answers[0]

    @pytest.mark.parametrize("has_front", [True, False])
    async def test_a_caller_that_goes_away_does_not_end_its_call(self, *, has_front: bool) -> None:
        """It ends as before, and nothing is written."""
        made = PlainAgent()
        async with plain_server(made.agent, has_front=has_front) as server:
            async with called(server) as connection:
                await connection.send(call("slow"))
                await run_until(partial(made.is_waiting, 1))
            await run_until(lambda: not server.server.server_state.connections)
            made.go.set()
            await server.is_quiet()
            assert (made.ended, made.ran["slow"]) == (1, 1)
            assert server.metrics['agent_calls_total{outcome="ok",skill="slow"}'] == 1
