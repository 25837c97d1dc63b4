"""The agent of assessments with scripted levels, and what a caller sees of it.

What a participant's URL is called decides how it plays.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
from a2a.client import Client, ClientConfig, ClientFactory
from a2a.types import Message, Part, Role, SendMessageRequest, StreamResponse, Task, TaskState
from casino_agentkit import Service
from casino_agentkit.protobuf_values import from_value, to_value
from casino_evaluator.assessment.assessment_agent import (
    ApiKeyHeader,
    AssessmentLimits,
    evaluate_agent,
)
from casino_evaluator.domain.levels import ExaminedGame, ExaminedGames, Level
from casino_evaluator.domain.scorecard import Run, Scorecard
from casino_evaluator.errors import ErrorName, LevelLost, RequestRefused
from casino_evaluator.play.level_run import LevelRuns
from casino_evaluator.play.recorder import AgentLevel, HandPlayed, LevelEnd
from casino_evaluator.service.api_keys import Keys
from casino_evaluator.store.evaluator_keys import KeyRows
from casino_evaluator.store.evaluator_schema import evaluator_database
from pydantic import SecretStr

Json = dict[str, Any]
KEY = "sesame-sesame-sesame"
SEED = "the evaluator's"
LEVELS = (Level("station", 2, 20, 4), Level("tight", 6, 20, 12), Level("random", 2, 20, 4))
KUHN = ExaminedGame("kuhn", "kuhn_poker", "KUHN", 20, 1, 2, LEVELS)
LEDUC = ExaminedGame("ledu", "leduc_holdem", "LEDUC", 40, 1, 2, LEVELS[:2])
GAMES = ExaminedGames([KUHN, LEDUC])


WINS = "http://wins"
LOSES = "http://loses"
"""Completes the first level of a game, and fails the second."""
IS_GONE = "http://is-gone"
LOST_ONCE = "http://lost-once"
"""Its first room is lost, then it plays as `WINS`."""
ALWAYS_LOST = "http://always-lost"
HANGS = "http://hangs"
"""Plays until it is cancelled."""


@dataclass
class ScriptedRuns(LevelRuns):
    """Plays levels; what it is asked for stands in `asked`, in the order of the calls."""

    asked: list[tuple[str, str, int, str, int]] = field(default_factory=list)
    """Role, game, level, seed, time for an action."""
    rooms: int = 0
    most_rooms: int = 0
    hanging: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once an agent hangs."""
    _lost: Counter[str] = field(default_factory=Counter)

    async def play_agent(
        self,
        game: ExaminedGame,
        level: int,
        seed: str,
        card_url: str,
        *,
        name: str = "Candidate",
        action_timeout_ms: int = 5_000,
    ) -> AgentLevel:
        """Play as the URL says; the chips depend on the seed alone."""
        self.asked.append((name, game.prefix, level, seed, action_timeout_ms))
        self.rooms += 1
        self.most_rooms = max(self.rooms, self.most_rooms)
        try:
            await asyncio.sleep(0)  # others may begin
            return await self._played(game, level, seed, card_url)
        finally:
            self.rooms -= 1

    async def _played(self, game: ExaminedGame, level: int, seed: str, card_url: str) -> AgentLevel:
        if card_url == IS_GONE:
            raise RequestRefused(ErrorName.SERVER_ERROR, "its card cannot be read", 503)
        if card_url == HANGS:
            self.hanging.set()
            await asyncio.Event().wait()
        if card_url in {LOST_ONCE, ALWAYS_LOST}:
            self._lost[f"{card_url} {game.prefix} {level}"] += 1
            if card_url == ALWAYS_LOST or self._lost[f"{card_url} {game.prefix} {level}"] == 1:
                raise LevelLost("the table is gone")
        hands = range(1, game.levels[level - 1].hands + 1)
        is_completed = card_url != LOSES or level == 1
        return AgentLevel(
            end=LevelEnd.COMPLETED if is_completed else LevelEnd.FAILED,
            actions=2 * len(hands),
            not_own=0 if is_completed else 1,
            hands=tuple(HandPlayed(hand, int(seed[hand], 16) - 7) for hand in hands),
            state={},
            opponent_defaults=0 if is_completed else 2,
        )


@dataclass
class CardBox:
    """Scorecards that are kept for a key."""

    kept: dict[str, Scorecard] = field(default_factory=dict)

    async def played(self, key: str, runs: Sequence[Run], **details: Any) -> Scorecard:
        card = Scorecard(str(uuid4()), key, 1.0, 2.0, 3.0, runs=tuple(runs), **details)
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
    rows = KeyRows(evaluator_database(Path()))  # only anonymous keys are stored
    keys = Keys(rows, [SecretStr(key)] if key else [])
    agent = evaluate_agent(GAMES, runs, lambda: SEED, keys, cards, limits or AssessmentLimits())
    app = Service({"": agent}, guarded=ApiKeyHeader).asgi()
    transport = httpx.ASGITransport(app, client=(address, 1))
    async with httpx.AsyncClient(
        transport=transport, base_url="http://evaluator", headers=headers
    ) as http:
        factory = ClientFactory(ClientConfig(streaming=True, httpx_client=http))
        client = await factory.create_from_url("http://evaluator")
        yield Caller(client, http, runs, cards)
