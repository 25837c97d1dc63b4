"""The participants of an assessment play their levels beside each other; what they reach.

The result is `EvalResult` of AgentBeats.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from uuid import uuid4

from casino_agentkit.accepted_json import shown
from casino_games.shuffle import derive_seed

from casino_evaluator.assessment.assessment_request import DRAW, Assessment
from casino_evaluator.domain.levels import ExaminedGame
from casino_evaluator.domain.scorecard import HandSums, Run
from casino_evaluator.errors import EvaluatorError, LevelLost
from casino_evaluator.play.level_run import LevelRuns
from casino_evaluator.play.recorder import AgentLevel, LevelEnd

Json = dict[str, Any]
_SCORE_DIGITS = 6
Tell = Callable[[str], Awaitable[None]]
"""Takes one line of what happens."""


@dataclass(frozen=True, slots=True)
class GamePlayed:
    """How a participant played one game."""

    run: Run
    message: str = ""
    """Why it was not played to its end; "" if it was."""

    def after(self, level: int, played: AgentLevel) -> "GamePlayed":
        run = self.run.agent_level(
            level,
            actions=played.actions,
            not_own=played.not_own,
            hands=HandSums.of([hand.net for hand in played.hands], played.opponent_defaults),
            completed=played.end is LevelEnd.COMPLETED,
        )
        return replace(self, run=run)

    def as_json(self) -> Json:
        levels = self.run.levels
        shown: Json = {
            "state": self.run.state,
            "score": round(self.run.percent, _SCORE_DIGITS),
            "levels_completed": self.run.score,
            "levels": len(levels),
            "actions": self.run.actions,
            "not_own_actions": sum(level.unavailable for level in levels),
            "opponent_defaults": sum(level.hands.opponent_defaults for level in levels),
            "hands": sum(level.hands.hands for level in levels),
            "chips": sum(level.hands.chips for level in levels),
        }
        return {**shown, "message": self.message} if self.message else shown


def begun(game: ExaminedGame, guid: str) -> GamePlayed:
    return GamePlayed(Run.begun(game, guid))


def eval_result(
    assessment: Assessment, played: Mapping[str, Sequence[GamePlayed]], cards: Mapping[str, Json]
) -> Json:
    """Return the EvalResult: `winner`, a role or `draw`, and `detail`.

    `cards` are the participants' scorecards; the highest score of a card wins.
    """
    scores = {role: round(card["score"], _SCORE_DIGITS) for role, card in cards.items()}
    best = [role for role, score in scores.items() if score == max(scores.values())]
    return {
        "winner": best[0] if len(best) == 1 else DRAW,
        "detail": {
            "seed": assessment.seed,
            "participants": {
                role: {
                    "score": scores[role],
                    "card_id": cards[role]["card_id"],
                    "games": {game.run.game_id: game.as_json() for game in games},
                }
                for role, games in played.items()
            },
        },
    }


def sentence(result: Json) -> str:
    """Return the result in one sentence.

    >>> participants = {"a": {"score": 2.5}, "b": {"score": 0}}
    >>> sentence({"winner": "a", "detail": {"participants": participants}})
    'Winner: a. Scores of 100: a 2.5, b 0.'
    """
    participants = result["detail"]["participants"]
    scores = ", ".join(
        f"{role} {participant['score']:g}" for role, participant in participants.items()
    )
    return f"Winner: {result['winner']}. Scores of 100: {scores}."


def _not_made(level: AgentLevel) -> str:
    """Return how many decisions were defaults, "" for none."""
    counts = (("its", level.not_own), ("the opponent's", level.opponent_defaults))
    return "".join(f"; {count} of {whose} decisions by default" for whose, count in counts if count)


class Examination:
    """Plays the levels of participants, each as far as it completes them.

    `rooms` is the maximum number of rooms that are open at once, in all assessments. After
    `longest_s` seconds no more is played. `seed` returns the evaluator's seed.
    """

    def __init__(
        self, runs: LevelRuns, seed: Callable[[], str], *, rooms: int, longest_s: float
    ) -> None:
        self._runs = runs
        self._seed = seed
        self._rooms = asyncio.Semaphore(rooms)
        self._longest_s = longest_s

    async def play(self, assessment: Assessment, tell: Tell) -> dict[str, list[GamePlayed]]:
        """Play; returns the games of each role, in the order of the request.

        What is wrong with a participant is in its result. Cancelled, it closes the rooms.
        """
        until = asyncio.get_running_loop().time() + self._longest_s
        async with asyncio.TaskGroup() as group:
            playing = {
                role: group.create_task(self._participant(assessment, role, until, tell))
                for role in assessment.participants
            }
        return {role: task.result() for role, task in playing.items()}

    async def _participant(
        self, assessment: Assessment, role: str, until: float, tell: Tell
    ) -> list[GamePlayed]:
        played = []
        for game in assessment.games:
            async with self._rooms:
                played.append(await self._game(assessment, role, game, until, tell))
        return played

    async def _game(
        self, assessment: Assessment, role: str, game: ExaminedGame, until: float, tell: Tell
    ) -> GamePlayed:
        played = begun(game, str(uuid4()))
        for number in range(1, min(assessment.levels, game.win_score) + 1):
            name = f"{role}: {game.title}, level {number} of {game.win_score}"
            try:
                async with asyncio.timeout_at(until):
                    level = await self._level(assessment, role, game, number)
            except (EvaluatorError, TimeoutError) as error:
                reason = "the time of the assessment is over"
                if isinstance(error, EvaluatorError):
                    reason = shown(str(error))
                await tell(f"{name}: not played: {reason}")
                return replace(played, message=reason)
            played = played.after(number, level)
            chips = sum(hand.net for hand in level.hands)
            line = f"{name}: {level.end}, {chips:+} chips in {len(level.hands)} hands"
            await tell(line + _not_made(level))
            if level.end is not LevelEnd.COMPLETED:
                break
        return played

    async def _level(
        self, assessment: Assessment, role: str, game: ExaminedGame, number: int
    ) -> AgentLevel:
        """Play a level, once more if its room is lost. Raises EvaluatorError."""
        play = partial(
            self._runs.play_agent,
            game,
            number,
            derive_seed(self._seed(), assessment.seed, game.game_id, str(number)),
            assessment.participants[role],
            name=role,
            action_timeout_ms=assessment.action_timeout_ms,
        )
        try:
            return await play()
        except LevelLost:
            return await play()
