"""The evaluator's agent, with the skill `evaluate`."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, Protocol

from a2a.types import AgentSkill
from casino_agentkit import Agent

from casino_evaluator.assessment.caller_rule import ConfiguredKeys, KeyOrLoopback
from casino_evaluator.assessment.examination import Examination
from casino_evaluator.assessment.executor import Assessor
from casino_evaluator.assessment.scorecards import CallerKeys, KeptCards, ParticipantCards
from casino_evaluator.play.level_run import LevelRuns
from casino_evaluator.service.games import Games

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


class Keys(ConfiguredKeys, CallerKeys, Protocol):
    """The API keys."""


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
    games: Games,
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
