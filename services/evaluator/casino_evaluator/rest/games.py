"""`/api/games`: what is examined, and keys for whoever has none."""

from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from casino_evaluator.domain.levels import ExaminedGame
from casino_evaluator.rest.request import reply
from casino_evaluator.service.games import Games
from casino_evaluator.service.keys import Keys

Json = dict[str, Any]

_NOT_FOUND: Final = 404
_FRAMES_PER_S: Final = 5
"""At which clients and the page show frames."""


class GameHandlers:
    """Handles games."""

    def __init__(self, games: Games, keys: Keys) -> None:
        self._games = games
        self._keys = keys

    async def listed(self, _request: Request, _key: str) -> Response:
        """List the games by title."""
        return reply([_shown(game) for game in self._games.all])

    async def by_name(self, request: Request, _key: str) -> Response:
        """Return a game by its id or the four letters in front of it."""
        name: str = request.path_params["name"]
        return reply(_shown(self._games.find(name, status=_NOT_FOUND)))

    async def anonymous_key(self, request: Request) -> Response:
        """Return a new API key."""
        address = request.client.host if request.client else ""
        return reply({"api_key": await self._keys.anonymous(address)})


def _shown(game: ExaminedGame) -> Json:
    return {
        "game_id": game.game_id,
        "title": game.title,
        "tags": list(game.tags),
        "default_fps": _FRAMES_PER_S,
        "baseline_actions": [level.baseline_actions for level in game.levels],
        "game_type": game.game_type,
        "win_levels": game.win_score,
        "levels": [
            {"opponent": level.opponent, "hands": level.hands, "target": level.target}
            for level in game.levels
        ],
    }
