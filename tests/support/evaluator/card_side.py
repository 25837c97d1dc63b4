"""Scorecards over a real database, with a clock that the test moves."""

from collections.abc import Container
from dataclasses import replace
from typing import Any, Self

from casino_evaluator.domain.evaluation_session import EvaluationSession
from casino_evaluator.domain.levels import ExaminedGame, Level
from casino_evaluator.domain.scorecard import CountedCommand
from casino_evaluator.errors import RequestRefused
from casino_evaluator.service.open_scorecards import CardLimits
from casino_evaluator.service.scorecards import Cards
from casino_evaluator.store.replay_rows import Recorded
from casino_evaluator.store.scorecard_rows import CardStore, SessionRows
from casino_storage.sqlite_file import SqliteFile

LEVELS = (Level("caller", 6, 100, 4), Level("fish", 6, 90, 5))
KUHN = ExaminedGame("kuhn", "kuhn_poker", "KUHN", 100, 1, 2, LEVELS)
LEDUC = replace(KUHN, prefix="ledu", game_type="leduc_poker", title="LEDU")
GRID = ((0,) * 64,) * 64
RECORDED = Recorded({"id": 0, "data": {}, "reasoning": None}, (GRID,), "NOT_FINISHED", 0, (2,))
ADA, BOB = "a" * 64, "b" * 64


class Evaluator:
    """The scorecards of a database, with a clock that the test moves."""

    def __init__(
        self, database: SqliteFile, configured: Container[str] = (), **limits: float
    ) -> None:
        self.configured = configured
        self.now = 1_000.0
        self.limits: Any = limits
        self.database = database
        self.cards = self.restarted()

    def restarted(self) -> Cards:
        """Return the same scorecards as another process has them."""
        return Cards(
            CardStore(self.database),
            SessionRows(self.database),
            {game.game_id: game for game in (KUHN, LEDUC)},
            CardLimits(**self.limits),
            configured=self.configured,
            now=lambda: self.now,
        )

    async def begin(
        self, card_id: str, guid: str = "guid", game: ExaminedGame = KUHN
    ) -> EvaluationSession:
        session = EvaluationSession(guid, ADA, card_id, game.game_id, commands=1)
        await self.cards.started(session, RECORDED)
        return session

    async def act(self, session: EvaluationSession) -> EvaluationSession:
        session = replace(session.act({}), commands=session.commands + 1)
        count = CountedCommand(session.level, "action", session.score, session.state)
        await self.cards.counted(session, count, RECORDED)
        return session


class Refusal:
    status = 0
    error = message = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> bool:
        if not isinstance(error, RequestRefused):
            return False
        self.status, self.error, self.message = error.status, error.code, error.message
        return True

    def __eq__(self, other: object) -> bool:
        return (self.status, self.error) == other

    __hash__ = None  # type: ignore[assignment]
