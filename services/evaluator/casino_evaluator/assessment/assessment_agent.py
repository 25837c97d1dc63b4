"""The evaluator's agent with the skill `evaluate`: who may call it, and how it assesses."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final, Protocol
from uuid import uuid4

import structlog
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.tasks import TaskUpdater
from a2a.types import AgentSkill, Message, Part, Task, TaskState, TaskStatus
from casino_agentkit import Agent, Caller, CommandRefused, KitReason, Scheme, caller
from casino_agentkit.authority import refusal_of
from casino_agentkit.network import is_loopback, network_of
from casino_agentkit.protobuf_values import to_value
from casino_agentkit.protocol import JSON
from starlette.types import ASGIApp, Receive, Scope, Send

from casino_evaluator.assessment.assessment_play import (
    Examination,
    GamePlayed,
    eval_result,
    sentence,
)
from casino_evaluator.assessment.assessment_request import Assessment, read_assessment
from casino_evaluator.domain.levels import ExaminedGames
from casino_evaluator.domain.scorecard import Run, Scorecard
from casino_evaluator.domain.scorecard_summary import summary
from casino_evaluator.errors import ErrorName, RequestRefused, StoreFailed
from casino_evaluator.play.level_run import LevelRuns
from casino_evaluator.service.api_keys import Keys

Json = dict[str, Any]
_TAG = "assessment"

logger = structlog.get_logger(__name__)


class KeptCards(Protocol):
    """The scorecards of keys, as far as this needs them."""

    async def played(self, key: str, runs: Sequence[Run], **details: Any) -> Scorecard:
        """Keep runs as a closed scorecard with details of `Opening`. Raises StoreFailed."""
        ...


class ParticipantCards:
    """Makes one scorecard for each participant; its tags are `assessment` and the role."""

    def __init__(self, keys: Keys, cards: KeptCards, now: Callable[[], float] = time.time) -> None:
        self._keys = keys
        self._cards = cards
        self._now = now

    async def made(self, token: str, role: str, seed: str, runs: Sequence[Run]) -> Json:
        tags, kept_seed = (_TAG, role), seed or None
        key = self._keys.who(token) if token else None
        if key is not None:
            return summary(await self._cards.played(key, runs, tags=tags, seed=kept_seed))
        at = self._now()
        return summary(
            Scorecard(
                card_id=str(uuid4()),
                key="",
                opened_at=at,
                updated_at=at,
                closed_at=at,
                tags=tags,
                seed=kept_seed,
                runs=tuple(runs),
            )
        )


class Assessor(AgentExecutor):
    """Reads requests, has them played, and tells the caller what happens.

    At most `in_total` assessments run at once, and `per_network` of one caller's network.
    """

    def __init__(
        self,
        games: ExaminedGames,
        examination: Examination,
        scorecards: ParticipantCards,
        *,
        in_total: int,
        per_network: int,
    ) -> None:
        self._games = games
        self._examination = examination
        self._scorecards = scorecards
        self._in_total = in_total
        self._per_network = per_network
        self._networks = Counter[str]()
        self._playing: dict[str, asyncio.Task[dict[str, list[GamePlayed]]]] = {}

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        message, task_id, context_id = context.message, context.task_id, context.context_id
        assert message is not None and task_id and context_id  # noqa: S101, PT018  SDK
        submitted = TaskStatus(state=TaskState.TASK_STATE_SUBMITTED)
        await event_queue.enqueue_event(
            Task(id=task_id, context_id=context_id, status=submitted, history=[message])
        )
        updater = TaskUpdater(event_queue, task_id, context_id)
        try:
            await self._assess(message, updater)
        except RequestRefused as refusal:
            await updater.reject(_said(updater, refusal.message))
        except StoreFailed as failure:
            logger.exception("scorecard_not_kept")
            await updater.failed(_said(updater, f"the scorecards cannot be kept: {failure}"))

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        """Stop playing; answers once the rooms are closed."""
        task_id, context_id = context.task_id, context.context_id
        assert task_id and context_id  # noqa: S101, PT018  SDK
        playing = self._playing.get(task_id)
        if playing is not None:
            playing.cancel()
            await asyncio.wait([playing])
        await TaskUpdater(event_queue, task_id, context_id).cancel()

    async def _assess(self, message: Message, updater: TaskUpdater) -> None:
        """Play. Raises RequestRefused, StoreFailed."""
        assessment = read_assessment(message, self._games)
        with self._place(network_of(caller().address)):
            games = ", ".join(game.title for game in assessment.games)
            roles = ", ".join(assessment.participants)
            await updater.start_work(_said(updater, f"{roles} play {games}"))
            played = await self._play(assessment, updater)
            if played is not None:
                await self._finish(assessment, played, updater)

    async def _play(
        self, assessment: Assessment, updater: TaskUpdater
    ) -> dict[str, list[GamePlayed]] | None:
        async def tell(text: str) -> None:
            await updater.start_work(_said(updater, text))

        playing = asyncio.create_task(self._examination.play(assessment, tell))
        self._playing[updater.task_id] = playing
        try:
            await asyncio.wait([playing])
        finally:  # not finished only if this task itself is cancelled
            playing.cancel()
            del self._playing[updater.task_id]
        return None if playing.cancelled() else playing.result()

    async def _finish(
        self, assessment: Assessment, played: dict[str, list[GamePlayed]], updater: TaskUpdater
    ) -> None:
        token = caller().token
        cards = {
            role: await self._scorecards.made(
                token, role, assessment.seed, [game.run for game in games]
            )
            for role, games in played.items()
        }
        result = eval_result(assessment, played, cards)
        await updater.add_artifact([Part(text=sentence(result)), _data(result)], name="EvalResult")
        for role, card in cards.items():
            await updater.add_artifact([_data(card)], name=f"scorecard {role}")
        await updater.complete(_said(updater, sentence(result)))

    @contextmanager
    def _place(self, network: str) -> Iterator[None]:
        if self._networks[network] >= self._per_network:
            text = "an assessment of yours is running; cancel it, or wait for its end"
            raise RequestRefused(ErrorName.RATE_LIMIT_EXCEEDED, text, 429)
        if self._networks.total() >= self._in_total:
            text = "all places for assessments are taken; retry later"
            raise RequestRefused(ErrorName.RATE_LIMIT_EXCEEDED, text, 429)
        self._networks[network] += 1
        try:
            yield
        finally:
            self._networks[network] -= 1
            self._networks += Counter()  # forgets networks without one


def _said(updater: TaskUpdater, text: str) -> Message:
    return updater.new_agent_message([Part(text=text)])


def _data(content: Json) -> Part:
    return Part(data=to_value(content), media_type=JSON)


_SCHEME = Scheme("evaluator", "one of the evaluator's API keys")
_KEY = b"x-api-key"
_AUTHORIZATION = b"authorization"
_EXAMPLE: Final = (
    '{"participants": {"alice": "http://127.0.0.1:4101", "bob": "http://127.0.0.1:4102"},'
    ' "config": {"games": ["kuhn"], "levels": 2, "seed": "1"}}'
)
SKILL: Final = AgentSkill(
    id="evaluate",
    name="Evaluate agents",
    description=(
        "Plays the levels of games with A2A agents, all with the same cards, and compares them."
        " Takes an AgentBeats assessment request as JSON: `participants` with an address for each"
        " role, and `config` with `games` (ids or their first four letters), `levels` (how many of"
        " each game), `seed` and `action_timeout_ms`, all optional. Gives updates of the task, an"
        " artifact EvalResult with `winner` and `detail`, and a scorecard for each participant."
    ),
    tags=["evaluation", "agentbeats", "poker"],
    examples=[_EXAMPLE],
)


class KeyOrLoopback:
    """Admits callers with one of the configured keys; without any, those of this machine.

    An evaluator that others reach (`is_reachable`) has no callers of this machine: a proxy passes
    on what anybody sends.
    """

    def __init__(self, keys: Keys, *, is_reachable: bool = False) -> None:
        self._keys = keys
        self._is_reachable = is_reachable

    @property
    def scheme(self) -> Scheme | None:
        return _SCHEME if self._keys.has_configured else None

    def admit(self, caller: Caller, message: Any) -> None:  # noqa: ARG002  of every rule
        if self._keys.has_configured:
            if not self._keys.is_configured(caller.token):
                raise refusal_of(caller, _SCHEME)
        elif self._is_reachable or caller.is_forwarded or not is_loopback(caller.address):
            raise CommandRefused(
                KitReason.FORBIDDEN,
                "This evaluator has no CASINO_EVALUATOR_API_KEYS, so that it assesses agents only"
                " for callers on its own machine that no proxy passes on, and for nobody if its"
                " host, hosts or public URL let others reach it. Set CASINO_EVALUATOR_API_KEYS.",
            )


class ApiKeyHeader:
    """Adds `Authorization: Bearer KEY` where only `X-API-Key: KEY` is sent."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            headers = dict(scope["headers"])
            if _KEY in headers and _AUTHORIZATION not in headers:
                added = (_AUTHORIZATION, b"Bearer " + headers[_KEY])
                scope = {**scope, "headers": [*scope["headers"], added]}
        await self._app(scope, receive, send)


@dataclass(frozen=True, slots=True)
class AssessmentLimits:
    """Limits of assessments."""

    in_total: int = 4
    per_network: int = 1
    """Of them, those of one caller's network."""
    rooms: int = 4
    """Rooms that they have open at once, all together."""
    longest: timedelta = timedelta(hours=1)
    """After this time an assessment ends with what was played."""


def evaluate_agent(
    games: ExaminedGames,
    runs: LevelRuns,
    seed: Callable[[], str],
    keys: Keys,
    cards: KeptCards,
    limits: AssessmentLimits = AssessmentLimits(),
    *,
    is_reachable: bool = False,
) -> Agent:
    """`seed` returns the evaluator's seed once started; `is_reachable`: by other machines."""
    examination = Examination(
        runs, seed, rooms=limits.rooms, longest_s=limits.longest.total_seconds()
    )
    assessor = Assessor(
        games,
        examination,
        ParticipantCards(keys, cards),
        in_total=limits.in_total,
        per_network=limits.per_network,
    )
    return Agent(
        "Evaluator",
        "Examines agents at tables of a casino, level by level, and gives scorecards.",
        tags=("evaluation",),
        executor=assessor,
        streaming=True,
        skills=[SKILL],
        tasks_who=KeyOrLoopback(keys, is_reachable=is_reachable),
    )
