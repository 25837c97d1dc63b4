"""A scorecard: its runs, what each counted in each level, and scores in percent. Pure, immutable.

Source of the scores: the scorecards of the public ARC-AGI-3 API (`arc-agi` 0.9.9, `scorecard.py`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import sqrt
from typing import Any, Literal, NamedTuple

from casino_evaluator.domain.evaluation_session import State
from casino_evaluator.domain.levels import ExaminedGame

MOST_OF_A_LEVEL = 115.0
"""A level that takes fewer actions than the reference player may make up for another one."""
_FULL = 100.0


def level_score(baseline: int, actions: int, *, completed: bool) -> float:
    """Return the score of a level from the reference player's actions and the candidate's own.

    >>> level_score(10, 20, completed=True), level_score(10, 20, completed=False)
    (25.0, 0.0)
    """
    if not completed:
        return 0.0
    # A level that ends without a decision has been completed in the best possible way.
    return float(min((baseline / max(actions, 1)) ** 2 * _FULL, MOST_OF_A_LEVEL))


def run_score(levels: Sequence[float]) -> float:
    """Return the score of a run from the scores of all its levels, of which later ones weigh more.

    Level k has weight k; a run has at most the share of the weights of its completed levels.

    >>> round(run_score([100 / 9, 100.0, 100.0]), 3)
    85.185
    """
    weights = range(1, len(levels) + 1)
    total = sum(weights)
    if total == 0:
        return 0.0
    score = sum(level * weight for level, weight in zip(levels, weights, strict=True)) / total
    completed = sum(weight for level, weight in zip(levels, weights, strict=True) if level > 0)
    return min(score, completed / total * _FULL)


def mean(scores: Sequence[float]) -> float:
    """Return the mean, 0 of nothing."""
    return sum(scores) / len(scores) if scores else 0.0


Json = Any
Kind = Literal["action", "level_reset", "full_reset"]

_NORMAL_95 = 1.96
"""How many standard errors a 95 % interval reaches to either side."""


class HandSums(NamedTuple):
    """What hands brought, in chips: enough for a mean and its interval, however many there are."""

    hands: int = 0
    chips: int = 0
    squares: int = 0
    opponent_defaults: int = 0
    """Decisions that the opponent did not make."""

    @classmethod
    def of(cls, nets: Sequence[int], opponent_defaults: int = 0) -> "HandSums":
        return cls(len(nets), sum(nets), sum(net * net for net in nets), opponent_defaults)

    def plus(self, other: "HandSums") -> "HandSums":
        return HandSums(*(mine + its for mine, its in zip(self, other, strict=True)))

    @property
    def chips_per_hand(self) -> float | None:
        return self.chips / self.hands if self.hands else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Between what the chips per hand are with 95 %; None with fewer than two hands.

        By the normal distribution, so it is too narrow with few hands. Hands count as independent;
        that each deck is played from both positions makes the true one narrower.
        """
        if self.hands < 2:  # noqa: PLR2004  a variance needs two
            return None
        average = self.chips / self.hands
        variance = (self.squares - self.chips * average) / (self.hands - 1)
        reach = _NORMAL_95 * sqrt(max(variance, 0.0) / self.hands)
        return average - reach, average + reach


_NO_HANDS = HandSums()


@dataclass(frozen=True, slots=True)
class CountedCommand:
    """What one command of a session, or one level of an agent, changes on its run."""

    level: int
    """The level that the command was for, from 1."""
    kind: Kind
    score: int
    state: State
    """After it."""
    available: bool = True
    """False: the action was none of the available ones, and changed nothing."""
    hands: HandSums = _NO_HANDS
    """Of the attempt that the command was for."""


@dataclass(frozen=True, slots=True)
class LevelCount:
    """What a run counted in one level, in all attempts at it."""

    actions: int = 0
    """ACTIONs, and RESETs of this level."""
    resets: int = 0
    unavailable: int = 0
    """Of the actions: those that were not available. Of an agent: those that were not its own."""
    earlier: HandSums = _NO_HANDS
    """Hands of the attempts before the newest one."""
    newest: HandSums = _NO_HANDS

    @property
    def hands(self) -> HandSums:
        return self.earlier.plus(self.newest)

    def counted(self, count: CountedCommand) -> "LevelCount":
        attempt = count.hands
        if attempt.hands < self.newest.hands:  # who resets may not know the attempt any more
            attempt = self.newest
        if count.kind == "level_reset":
            return replace(
                self,
                actions=self.actions + 1,
                resets=self.resets + 1,
                earlier=self.earlier.plus(attempt),
                newest=HandSums(),
            )
        return replace(
            self,
            actions=self.actions + 1,
            unavailable=self.unavailable + (not count.available),
            newest=attempt,
        )


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a session: from its start or a full reset to the next one."""

    guid: str
    """The session's id; its further runs have the same."""
    number: int
    """Its place among the runs of the session, from 1."""
    game_id: str
    title: str
    big_blind: int
    baselines: tuple[int, ...]
    levels: tuple[LevelCount, ...]
    score: int = 0
    state: State = "NOT_FINISHED"

    @classmethod
    def begun(cls, game: ExaminedGame, guid: str, number: int = 1) -> "Run":
        return cls(
            guid=guid,
            number=number,
            game_id=game.game_id,
            title=game.title,
            big_blind=game.big_blind,
            baselines=tuple(level.baseline_actions for level in game.levels),
            levels=(LevelCount(),) * len(game.levels),
        )

    @property
    def actions(self) -> int:
        """ACTIONs and level RESETs."""
        return sum(level.actions for level in self.levels)

    @property
    def resets(self) -> int:
        return sum(level.resets for level in self.levels)

    @property
    def completed(self) -> bool:
        return self.state == "WIN"

    @property
    def level_scores(self) -> list[float]:
        return [
            level_score(baseline, level.actions, completed=number <= self.score)
            for number, (baseline, level) in enumerate(
                zip(self.baselines, self.levels, strict=True), 1
            )
        ]

    @property
    def percent(self) -> float:
        return run_score(self.level_scores)

    def counted(self, count: CountedCommand) -> "Run":
        """Return the run after a command that is no full reset; raises ValueError for one."""
        if count.kind == "full_reset":
            raise ValueError("a full reset begins another run")
        levels = list(self.levels)
        levels[count.level - 1] = levels[count.level - 1].counted(count)
        return replace(self, levels=tuple(levels), score=count.score, state=count.state)

    def again(self) -> "Run":
        return replace(
            self,
            number=self.number + 1,
            levels=(LevelCount(),) * len(self.levels),
            score=0,
            state="NOT_FINISHED",
        )

    def agent_level(
        self, level: int, *, actions: int, not_own: int, hands: HandSums, completed: bool
    ) -> "Run":
        levels = list(self.levels)
        levels[level - 1] = LevelCount(actions=actions, unavailable=not_own, newest=hands)
        score = level if completed else level - 1
        state: State = "WIN" if score == len(levels) else "NOT_FINISHED"
        return replace(
            self, levels=tuple(levels), score=score, state=state if completed else "GAME_OVER"
        )


@dataclass(frozen=True, slots=True)
class Scorecard:
    """A scorecard; it belongs to an API key."""

    card_id: str
    key: str
    """The id of the API key."""
    opened_at: float
    """Seconds since 1970, as the other times."""
    updated_at: float
    """When it was last used."""
    closed_at: float | None = None
    tags: tuple[str, ...] = ()
    source_url: str | None = None
    opaque: Json = field(default=None, repr=False)
    competition_mode: bool = False
    seed: str | None = None
    """Chosen by the key's owner: cards with the same seed have the same deals."""
    runs: tuple[Run, ...] = ()
    """In the order in which they were begun."""
