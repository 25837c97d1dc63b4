"""Spans of a process: whose calls continue them, what they say, and how they are sent on."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any, Final

import pytest
from casino_agentkit import (
    ANYONE,
    Agent,
    AgentClient,
    CommandRefused,
    HttpTransport,
    Service,
    caller,
)
from casino_agentkit.authority import Caller, KeyRule, Rule, Scheme, called_by
from casino_agentkit.errors import InvalidSettings, RemoteRefused
from casino_agentkit.settings import ServiceSettings
from casino_agentkit.traces import Traces
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pydantic import BaseModel
from support.listening import listening

SOON: Final = timedelta(seconds=30)
TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
KEYED: Final = KeyRule(Scheme("key", "the key"), lambda _message: "sesame")
UNUSABLE: Final = (
    f"00-{TRACE}-{SPAN}",
    f"00-{TRACE.upper()}-{SPAN}-01",
    f"00-{'0' * 32}-{SPAN}-01",
    f"00-{TRACE}-{'0' * 16}-01",
    f"01-{TRACE}-{SPAN}-01",
    f"00-{TRACE}-{SPAN}-01-more",
    f"00-{TRACE}-{SPAN}-01\x00",
    "9" * 5_000,
)


class Asked(BaseModel):
    """A question."""

    text: str = ""


class Told(BaseModel):
    """The header that came."""

    traceparent: str


class Measured:
    """Traces whose spans stay in memory."""

    def __init__(self, *, trusts_all: bool = False) -> None:
        self._memory = InMemorySpanExporter()
        provider = TracerProvider(shutdown_on_exit=False)
        provider.add_span_processor(SimpleSpanProcessor(self._memory))
        self.traces = Traces(provider, trusts_all=trusts_all)

    @property
    def ended(self) -> dict[str, ReadableSpan]:
        return {span.name: span for span in self._memory.get_finished_spans()}


def asked_agent(who: Rule = KEYED) -> Agent:
    agent = Agent("Asked", "Answers.")

    @agent.entrypoint("quick", who=who, is_quick=True)
    def quick(_asked: Asked) -> Told:
        """Answer at once."""
        return Told(traceparent=caller().traceparent)

    @agent.entrypoint("later", who=who)
    async def later(asked: Asked) -> Told:
        """Answer, or refuse with a secret."""
        if asked.text:
            raise CommandRefused("NOT_NOW", f"{asked.text} in hand")
        return Told(traceparent=caller().traceparent)

    return agent


def header_of(*, trace: str = TRACE, flags: str = "01") -> str:
    return f"00-{trace}-{SPAN}-{flags}"


def call(
    measured: Measured, agent: Agent, skill: str, traceparent: str, *, token: str = "sesame"
) -> Any:
    """Return the coroutine of a call as the bindings make it, behind the paths that read heads."""
    measured.traces.follow(agent)
    measured.traces.follow(agent)  # as an agent that is served anew

    async def run() -> bytes:
        with called_by(Caller(token, "192.0.2.1", traceparent=traceparent)):
            return await agent.entrypoints[skill].call({})

    return run()


class TestCallers:
    @pytest.mark.parametrize("skill", ["quick", "later"])
    async def test_the_trace_of_an_admitted_caller_goes_on(self, skill: str) -> None:
        measured = Measured()
        await call(measured, asked_agent(), skill, header_of())
        (span,) = measured.ended.values()
        assert span.name == skill
        assert span.context is not None
        assert span.parent is not None
        assert f"{span.context.trace_id:032x}" == TRACE
        assert f"{span.parent.span_id:016x}" == SPAN
        assert dict(span.attributes or {}) == {"casino.outcome": "ok"}

    async def test_who_is_not_admitted_adds_nothing(self) -> None:
        measured = Measured()
        with pytest.raises(CommandRefused):
            await call(measured, asked_agent(), "later", header_of(), token="open")
        assert not measured.ended

    @pytest.mark.parametrize("trusts_all", [False, True])
    async def test_a_stranger_adds_something_on_its_own_machine_only(
        self, *, trusts_all: bool
    ) -> None:
        measured = Measured(trusts_all=trusts_all)
        await call(measured, asked_agent(ANYONE), "later", header_of())
        assert bool(measured.ended) is trusts_all

    @pytest.mark.parametrize("traceparent", UNUSABLE)
    async def test_a_header_of_another_form_is_none(self, traceparent: str) -> None:
        measured = Measured()
        await call(measured, asked_agent(), "later", traceparent)
        assert not measured.ended

    async def test_a_caller_that_samples_nothing_is_followed(self) -> None:
        measured = Measured()
        await call(measured, asked_agent(), "later", header_of(flags="00"))
        assert not measured.ended


@asynccontextmanager
async def served(measured: Measured) -> AsyncIterator[str]:
    service = Service({"": asked_agent()}, traces=measured.traces)
    async with listening(service, None) as port:
        yield f"http://127.0.0.1:{port}"


class TestCalls:
    @pytest.mark.parametrize("is_lean", [True, False])
    @pytest.mark.parametrize("skill", ["quick", "later"])
    async def test_a_call_carries_the_open_span(self, skill: str, *, is_lean: bool) -> None:
        """Each its own, over both clients; without a span it carries none."""
        here, there = Measured(), Measured()
        client = AgentClient(HttpTransport(is_lean=is_lean, traces=here.traces))
        async with served(there) as url:
            remote = await client.resolve(url, timeout=SOON)
            told: list[Told] = []
            for name in ("first", "second"):
                with here.traces.span(name) as span:
                    told.append(
                        await remote.call(skill, Asked(), Told, timeout=SOON, token="sesame")
                    )
                ids = f"{span.context.trace_id:032x}-{span.context.span_id:016x}"
                assert told[-1].traceparent == f"00-{ids}-01"
            bare = await remote.call(skill, Asked(), Told, timeout=SOON, token="sesame")
            assert bare.traceparent == ""
            await client.close()
        assert told[0] != told[1]
        first, continued = here.ended["second"], there.ended[skill]
        assert continued.parent is not None
        assert first.context is not None
        assert continued.parent.span_id == first.context.span_id

    async def test_a_refusal_is_told_by_its_reason_alone(self) -> None:
        here, there = Measured(), Measured()
        client = AgentClient(HttpTransport(traces=here.traces))
        async with served(there) as url:
            remote = await client.resolve(url, timeout=SOON)
            with pytest.raises(RemoteRefused), here.traces.span("outer", is_root=True, room="r"):
                await remote.call("later", Asked(text="As Kd"), Told, timeout=SOON, token="sesame")
            await client.close()
        span = there.ended["later"]
        assert (span.attributes or {})["casino.outcome"] == "NOT_NOW"
        assert (here.ended["outer"].attributes or {})["casino.outcome"] == "RemoteRefused"
        for each in (span, here.ended["outer"]):
            assert "As Kd" not in each.to_json()
            assert not each.events


def test_a_root_is_linked_with_what_was_open() -> None:
    """As a hand with the command that began its session: a trace has one hand, not thousands."""
    measured = Measured()
    with measured.traces.span("command") as command, measured.traces.span("hand", is_root=True):
        pass
    hand = measured.ended["hand"]
    assert hand.parent is None
    assert [link.context.span_id for link in hand.links] == [command.context.span_id]


def test_a_process_traces_nothing_by_itself() -> None:
    assert ServiceSettings.load({}).tracing is None
    with pytest.raises(InvalidSettings, match="TRACES"):
        ServiceSettings.load({"CASINO_TRACES": "collector:4318"})
