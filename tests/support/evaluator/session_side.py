"""Sessions over scripted levels and a real database, with a clock that tests set."""

from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from casino_evaluator.domain.command import RESET, Command
from casino_evaluator.metrics import EvaluatorMetrics
from casino_evaluator.service.cards import Cards
from casino_evaluator.service.frame_reply import FrameReply
from casino_evaluator.service.games import Games
from casino_evaluator.service.session_rooms import SessionRooms
from casino_evaluator.service.sessions import Sessions
from casino_evaluator.store.cards import CardStore
from casino_evaluator.store.evaluator_database import evaluator_database
from casino_evaluator.store.sessions import SessionRows
from prometheus_client import CollectorRegistry

from support.evaluator.scripted_levels import GAME, ScriptedLevels

KEY = "key-of-ada"
GAME_ID = GAME.game_id


class SessionSide:
    """Sessions over scripted levels and a real database; the clock is set by tests."""

    def __init__(self, path: Path, stack: AsyncExitStack, most: int = 10) -> None:
        self.now = 100.0
        self.levels = ScriptedLevels()
        self._path = path
        self._stack = stack
        self._most = most
        self.budget_s = 7.0

    async def start(self) -> None:
        """Start, or start again on the same database as after a SIGKILL."""
        database = evaluator_database(self._path)
        await database.open()
        self._stack.push_async_callback(database.close)
        self.database = database
        games, rows = Games([GAME]), SessionRows(database)
        self.cards = Cards(CardStore(database), rows, games.by_id)
        await self.cards.start()
        metrics = EvaluatorMetrics(CollectorRegistry())
        self.rooms = SessionRooms(self.levels, self._most, lambda: self.now, metrics, table_s=0)
        self.rooms.seed = "seed"
        self.sessions = Sessions(
            games,
            self.cards,
            rows,
            self.rooms,
            metrics,
            lambda: self.now,
            budget_s=self.budget_s,
        )

    async def restart(self) -> None:
        """Forget all that is in memory only."""
        await self.database.close()
        await self.start()

    async def begin(self, card: str | None = None, **opening: Any) -> FrameReply:
        self.card = card or await self.cards.open(KEY, **opening)
        return await self.sessions.begin(KEY, GAME_ID, self.card, Command(RESET))

    async def act(self, guid: str, *numbers: int) -> FrameReply:
        """Take actions; returns the last answer."""
        for number in numbers:
            reply = await self.sessions.act(KEY, GAME_ID, guid, Command(number))
        return reply

    async def reset(self, guid: str) -> FrameReply:
        return await self.sessions.reset(KEY, GAME_ID, guid, None, Command(RESET))

    async def run(self) -> Any:
        """Return the newest run of the card's only game."""
        summary = await self.cards.read(KEY, self.card)
        return summary["environments"][0]["runs"][-1]
