"""The evaluator's agent with the skill `evaluate`, and who may call it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from a2a.types import AgentSkill
from casino_agentkit import Agent, Caller, CommandRefused, KitReason, Scheme
from casino_agentkit.authority import refusal_of
from casino_agentkit.network import is_loopback
from starlette.types import ASGIApp, Receive, Scope, Send

from casino_evaluator.assessment.assessment_play import Examination
from casino_evaluator.assessment.assessor import Assessor, KeptCards, ParticipantCards
from casino_evaluator.domain.levels import ExaminedGames
from casino_evaluator.play.level_run import LevelRuns
from casino_evaluator.service.api_keys import Keys

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
        """The kind of token on the card."""
        return _SCHEME if self._keys.has_configured else None

    def admit(self, caller: Caller, message: Any) -> None:  # noqa: ARG002  of every rule
        """Check the caller. Raises CommandRefused: UNAUTHORIZED, FORBIDDEN."""
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
        """Pass the request on."""
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
    """Assessments that run at once."""
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
    """Return the agent; `seed` returns the evaluator's seed once the service has started.

    `is_reachable` says whether other machines reach it.
    """
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
