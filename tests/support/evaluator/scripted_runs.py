"""Levels that agents play by a script instead of in a room: what a URL is called decides."""

import asyncio
from collections import Counter
from dataclasses import dataclass, field

from casino_evaluator.domain.levels import ExaminedGame
from casino_evaluator.errors import Code, LevelLost, RequestRefused
from casino_evaluator.play.level_run import AgentLevel, HandPlayed, LevelEnd, LevelRuns

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
            raise RequestRefused(Code.SERVER_ERROR, "its card cannot be read", 503)
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
        )
