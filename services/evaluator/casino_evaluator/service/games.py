"""The games that are examined, by id or by the four letters in front of it."""

from collections.abc import Mapping, Sequence

from casino_evaluator.domain.levels import ExaminedGame
from casino_evaluator.errors import Code, RequestRefused


class Games:
    """All examined games, in the order of their titles."""

    def __init__(self, games: Sequence[ExaminedGame]) -> None:
        self.all = tuple(sorted(games, key=lambda game: (game.title, game.game_id)))
        self.by_id: Mapping[str, ExaminedGame] = {game.game_id: game for game in games}
        self._by_prefix = {game.prefix: game for game in games}

    def find(self, name: str, *, status: int = 400) -> ExaminedGame:
        """Return the game of an id or prefix. Raises RequestRefused with `status`."""
        game = self.by_id.get(name) or self._by_prefix.get(name)
        if game is None:
            raise RequestRefused(Code.SERVER_ERROR, f"game {name[:64]} not found", status)
        return game
