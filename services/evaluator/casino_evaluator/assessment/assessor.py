"""The skill `evaluate` as A2A tasks: one for each assessment, with scorecards at its end."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol
from uuid import uuid4

import structlog
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.tasks import TaskUpdater
from a2a.types import Message, Part, Task, TaskState, TaskStatus
from casino_agentkit import caller
from casino_agentkit.network import network_of
from casino_agentkit.protobuf_values import to_value
from casino_agentkit.protocol import JSON

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
        """Return the summary of a scorecard. Raises StoreFailed."""
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
        """Play an assessment, from the request to the result."""
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
        """Return what was played, None if it was cancelled."""

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
        """Count a running assessment. Raises RequestRefused if there is no place for it."""
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
