"""A hand's trace over real processes: table, player and lobby, as an OTLP receiver gets it."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import pytest
from casino_agentkit import Service
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from support.casino.casino import process_casino
from support.deployment import KEY
from support.listening import listening
from support.processes import eventually

pytestmark = [pytest.mark.full, pytest.mark.timeout(180)]

SECRETS = ("holeCards", "deck", "seed", "reasoning", KEY)


class Received(NamedTuple):
    """A span, its process, and its attributes without `casino.`."""

    process: str
    name: str
    trace: bytes
    id: bytes
    parent: bytes
    links: tuple[bytes, ...]
    about: Mapping[str, Any]


@asynccontextmanager
async def receiver() -> AsyncIterator[tuple[str, list[Received], list[bytes]]]:
    """Serve an OTLP receiver; gives its address, the spans and the bytes that came."""
    spans: list[Received] = []
    bodies: list[bytes] = []

    async def take(request: Request) -> Response:
        bodies.append(await request.body())
        sent = ExportTraceServiceRequest.FromString(bodies[-1])
        for of_process in sent.resource_spans:
            named = {item.key: item.value.string_value for item in of_process.resource.attributes}
            spans.extend(
                Received(
                    named["service.name"],
                    span.name,
                    span.trace_id,
                    span.span_id,
                    span.parent_span_id,
                    tuple(link.trace_id for link in span.links),
                    {
                        item.key.removeprefix("casino."): item.value.string_value
                        for item in span.attributes
                    },
                )
                for scope in of_process.scope_spans
                for span in scope.spans
            )
        return Response(media_type="application/x-protobuf")

    service = Service({}, routes=[Route("/v1/traces", take, methods=["POST"])])
    async with listening(service, None) as port:
        yield f"http://127.0.0.1:{port}", spans, bodies


async def test_one_trace_leads_from_the_table_to_the_player_and_to_the_record() -> None:
    """Command and hand are linked; nothing that is secret leaves a process."""
    async with receiver() as (url, spans, bodies):

        def named(process: str, name: str) -> list[Received]:
            return [span for span in spans if (span.process, span.name) == (process, name)]

        async with process_casino(CASINO_LOBBY_TRACES=url, OTEL_BSP_SCHEDULE_DELAY="100") as casino:
            await casino.host_tables(1, CASINO_TABLE_TRACES=url)
            await casino.open(maxSeats=2, maxHands=3)
            player = await casino.sample(
                "caller", CASINO_PLAYER_COUNT="2", CASINO_PLAYER_TRACES=url
            )
            for card in player.cards:
                assert (await casino.seat(card)).is_success
            await casino.until("idle")

            async def is_whole() -> bool:
                ended = named("casino-table", "hand")
                traces = {span.trace for span in named("casino-lobby", "recordGameEvent")}
                # A call takes what is there, so it may have the events of several hands.
                return len(ended) == 3 and any(span.trace in traces for span in ended)

            await eventually(is_whole)
        by_id = {span.id: span for span in spans}
        hands = named("casino-table", "hand")
        assert {hand.about["hand"] for hand in hands} == {f"main/{number}" for number in (1, 2, 3)}
        for hand in hands:
            of_hand = [span for span in spans if span.trace == hand.trace]
            questions = [span for span in of_hand if span.name == "question"]
            assert questions
            for question in questions:
                assert (question.parent, question.process) == (hand.id, hand.process)
                assert question.about["outcome"] == "ok"
                assert question.about["player"]
            answers = [span for span in of_hand if span.process == "casino-player"]
            assert {span.parent for span in answers} == {span.id for span in questions}
        for recorded in named("casino-lobby", "recordGameEvent"):
            assert (by_id[recorded.parent].process, by_id[recorded.parent].name) == (
                "casino-table",
                "delivery",
            )
        commands = {span.about["command"]: span for span in named("casino-lobby", "room command")}
        assert {"createRoom", "registerPlayer"} <= commands.keys()
        begun = named("casino-table", "startGame")
        assert {span.trace for span in begun} <= {span.trace for span in commands.values()}
        assert {trace for hand in hands for trace in hand.links} <= {span.trace for span in spans}
        assert any(hand.links for hand in hands)
    told = b"".join(bodies)
    assert not any(word.encode() in told for word in SECRETS)
