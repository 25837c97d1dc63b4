"""The agent of assessments with scripted levels, and what a caller sees of it."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import httpx
from a2a.client import Client, ClientConfig, ClientFactory
from a2a.types import Message, Part, Role, SendMessageRequest, StreamResponse, Task, TaskState
from casino_agentkit import Service
from casino_agentkit.protobuf_values import from_value, to_value
from casino_evaluator.assessment.agent import AssessmentLimits, evaluate_agent
from casino_evaluator.assessment.api_key_header import ApiKeyHeader
from casino_evaluator.domain.levels import ExaminedGame, Level
from casino_evaluator.domain.scorecard import Card, Run
from casino_evaluator.service.games import Games

from support.evaluator.scripted_runs import ScriptedRuns

Json = dict[str, Any]
KEY = "sesame-sesame-sesame"
SEED = "the evaluator's"
LEVELS = (Level("station", 2, 20, 4), Level("tight", 6, 20, 12), Level("random", 2, 20, 4))
KUHN = ExaminedGame("kuhn", "kuhn_poker", "KUHN", 20, 1, 2, LEVELS)
LEDUC = ExaminedGame("ledu", "leduc_holdem", "LEDUC", 40, 1, 2, LEVELS[:2])
GAMES = Games([KUHN, LEDUC])


@dataclass
class OneKey:
    """Keys of the settings: one, or none."""

    key: str = ""

    @property
    def has_configured(self) -> bool:
        return bool(self.key)

    def is_configured(self, api_key: str) -> bool:
        return api_key == self.key

    def who(self, api_key: str | None) -> str | None:
        return "id" if api_key and api_key == self.key else None


@dataclass
class CardBox:
    """Scorecards that are kept for a key."""

    kept: dict[str, Card] = field(default_factory=dict)

    async def played(self, key: str, runs: Sequence[Run], **details: Any) -> Card:
        card = Card(str(uuid4()), key, 1.0, 2.0, 3.0, runs=tuple(runs), **details)
        self.kept[card.card_id] = card
        return card


@dataclass
class Caller:
    """Sends requests of assessments as the SDK's client does."""

    client: Client
    http: httpx.AsyncClient
    runs: ScriptedRuns
    cards: CardBox

    async def ask(self, request: Any, *, as_text: bool = False) -> "Answer":
        """Send a request and read its stream to the end."""
        answer = Answer()
        async for event in self.stream(request, as_text=as_text):
            answer.take(event)
        return answer

    def stream(self, request: Any, *, as_text: bool = False) -> AsyncIterator[StreamResponse]:
        part = Part(text=request) if as_text else Part(data=to_value(request))
        message = Message(message_id=str(uuid4()), role=Role.ROLE_USER, parts=[part])
        return self.client.send_message(SendMessageRequest(message=message))


@dataclass
class Answer:
    """What a stream says."""

    states: list[str] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    artifacts: dict[str, Any] = field(default_factory=dict)
    task: Task = field(default_factory=Task)

    def take(self, event: StreamResponse) -> None:
        if event.HasField("task"):
            self.task = event.task
        if event.HasField("status_update"):
            self.states.append(
                TaskState.Name(event.status_update.status.state).removeprefix("TASK_STATE_")
            )
            self.messages += [part.text for part in event.status_update.status.message.parts]
        if event.HasField("artifact_update"):
            artifact = event.artifact_update.artifact
            self.artifacts[artifact.name] = from_value(artifact.parts[-1].data)

    @property
    def result(self) -> Any:
        return self.artifacts["EvalResult"]


@asynccontextmanager
async def assessing(
    *,
    key: str = "",
    headers: dict[str, str] | None = None,
    address: str = "127.0.0.1",
    limits: AssessmentLimits | None = None,
) -> AsyncIterator[Caller]:
    """Serve the agent, and give a caller at `address` that sends `headers`."""
    runs, cards = ScriptedRuns(), CardBox()
    agent = evaluate_agent(
        GAMES, runs, lambda: SEED, OneKey(key), cards, limits or AssessmentLimits()
    )
    app = Service({"": agent}, guarded=ApiKeyHeader).asgi()
    transport = httpx.ASGITransport(app, client=(address, 1))
    async with httpx.AsyncClient(
        transport=transport, base_url="http://evaluator", headers=headers
    ) as http:
        factory = ClientFactory(ClientConfig(streaming=True, httpx_client=http))
        client = await factory.create_from_url("http://evaluator")
        yield Caller(client, http, runs, cards)
