"""Declaring entrypoints and calling them: types, faults and threads."""

import asyncio
import threading
from typing import Any

import pytest
from casino_agentkit import ANYONE, Agent, Violation
from casino_agentkit.entrypoint import Entrypoint
from casino_agentkit.errors import InvalidInput
from casino_agentkit.violations import violations_of, violations_text
from pydantic import BaseModel, ValidationError
from support.players.sample_agent import Bill, Order, Question, Reply


class TestDeclaring:
    """The annotations of a function are the types of its messages."""

    def test_input_and_output_follow_from_the_annotations(self) -> None:
        agent = Agent("A", "a")

        @agent.entrypoint("ask", who=ANYONE)
        async def ask(question: Question) -> Reply:
            """Answer a question.

            In more words.
            """
            return Reply(text=question.topic)

        schemas = agent.entrypoints["ask"].schemas()
        assert schemas["skill"] == "ask"
        assert schemas["input"]["required"] == ["topic"]
        assert schemas["output"]["required"] == ["text"]
        assert agent.entrypoints["ask"].description == "Answer a question."

    def test_unions_are_allowed(self) -> None:
        """As one message or a batch of them."""

        async def either(message: Question | Order) -> Reply:
            return Reply(text=type(message).__name__)

        assert "anyOf" in Entrypoint.of(either, "either", who=ANYONE).schemas()["input"]

    def test_missing_annotations_are_refused(self) -> None:
        def no_output(_question: Question):  # type: ignore[no-untyped-def]  # noqa: ANN202
            return None

        def two(_question: Question, _more: int) -> Reply:
            return Reply(text="")

        for function in (no_output, two, lambda _x: None):
            with pytest.raises(TypeError, match=r"async def ask\(request: Input\) -> Output"):
                Entrypoint.of(function, "ask", who=ANYONE)

    def test_a_skill_is_declared_once(self) -> None:
        agent = Agent("A", "a")

        @agent.entrypoint("ask", who=ANYONE)
        async def ask(question: Question) -> Reply:
            return Reply(text=question.topic)

        with pytest.raises(ValueError, match="ask is declared twice"):
            agent.entrypoint("ask", who=ANYONE)


class TestCalling:
    async def test_a_plain_function_runs_in_a_thread(self) -> None:
        threads: list[int] = []

        def ask(_question: Question) -> Reply:
            threads.append(threading.get_ident())
            return Reply(text="x")

        await Entrypoint.of(ask, "ask", who=ANYONE).call({"topic": "t"})
        assert threads != [threading.get_ident()]

    async def test_an_async_function_runs_in_the_loop(self) -> None:
        """It needs no thread."""

        async def ask(_question: Question) -> Reply:
            assert asyncio.current_task()
            return Reply(text=str(threading.get_ident()))

        output = await Entrypoint.of(ask, "ask", who=ANYONE).call({"topic": "t"})
        assert str(threading.get_ident()).encode() in output

    async def test_invalid_input_never_reaches_the_function(self) -> None:
        async def order(_order: Order) -> Bill:
            raise AssertionError

        with pytest.raises(InvalidInput) as invalid:
            await Entrypoint.of(order, "o", who=ANYONE).call(
                {"dish": "s", "plates": 1, "extras": [1] * 50}
            )
        assert len(invalid.value.violations) == 20

    async def test_a_wrong_output_is_the_function_s_fault(self) -> None:
        class Lie(BaseModel):
            """No reply."""

        async def ask(_question: Question) -> Reply:
            answer: Any = Lie()
            return answer  # type: ignore[no-any-return]

        with pytest.raises(ValidationError):
            await Entrypoint.of(ask, "ask", who=ANYONE).call({"topic": "t"})


class TestViolations:
    """What pydantic reports, as path and description."""

    @staticmethod
    def error_of(data: object) -> ValidationError:
        with pytest.raises(ValidationError) as raised:
            Order.model_validate(data)
        return raised.value

    def test_a_violation_has_the_path_within_the_input(self) -> None:
        """And never the value."""
        error = self.error_of({"dish": "s", "plates": 1, "extras": ["ok", 7]})
        expected = "must be a string"
        assert violations_of(error) == (Violation("extras.1", expected),)
        assert violations_of(error, "batch", "2") == (Violation("batch.2.extras.1", expected),)

    def test_the_text_has_the_first_violations(self) -> None:
        """In the order of the fields."""
        text = violations_text(self.error_of({"extras": [1]}), "answer", at_most=2)
        assert text == "dish: is required; plates: is required"
