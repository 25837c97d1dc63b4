"""What an attempt at a level tells: moments, hands, its end."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from casino_evaluator.domain.moment import Moment

Json = dict[str, Any]


class LevelEnd(StrEnum):
    """How an attempt ended."""

    COMPLETED = "completed"
    """The last hand was played, or one of the two has no chips left, and the target is reached."""
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class HandPlayed:
    """What one hand of a level brought the candidate, in chips."""

    number: int
    net: int


@dataclass(frozen=True, slots=True)
class Progress:
    """What happened since the last call."""

    moments: tuple[Moment, ...]
    """In order, one for each question to the opponent and each end of a hand; the last one is the
    candidate's decision, the end of the level, or the newest moment while the opponent thinks."""
    end: LevelEnd | None = None


@dataclass(frozen=True, slots=True)
class AgentLevel:
    """A level that an A2A agent has played."""

    end: LevelEnd
    actions: int
    """Decisions of the agent."""
    not_own: int
    """Decisions that the table took for it: time-outs, refused answers, unreachable."""
    hands: tuple[HandPlayed, ...]
    state: Json = field(repr=False)
    """The public state at the end of the last hand."""
