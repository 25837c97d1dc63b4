"""The participants of an assessment play their levels, beside each other."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from uuid import uuid4

from casino_agentkit.bounds import shown
from casino_games.shuffle import derive_seed

from casino_evaluator.assessment.request import Assessment
from casino_evaluator.assessment.result import GamePlayed, begun
from casino_evaluator.domain.levels import ExaminedGame
from casino_evaluator.errors import EvaluatorError, LevelLost
from casino_evaluator.play.level_run import AgentLevel, LevelEnd, LevelRuns

Tell = Callable[[str], Awaitable[None]]
"""Takes one line of what happens."""


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
            await tell(f"{name}: {level.end}, {chips:+} chips in {len(level.hands)} hands")
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
