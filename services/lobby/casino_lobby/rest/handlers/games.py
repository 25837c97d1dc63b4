"""REST handlers of the games and their specifications."""

from starlette.requests import Request
from starlette.responses import Response

from casino_lobby.rest.requests import path_parameter
from casino_lobby.rest.responses import json_response
from casino_lobby.service.games import Games


class GameHandlers:
    """Handles the operations of games."""

    def __init__(self, games: Games) -> None:
        self._games = games

    async def list_games(self, _request: Request) -> Response:
        """Respond to `listGames`."""
        return json_response(await self._games.offered())

    async def read_specification(self, request: Request) -> Response:
        """Respond to `readGameSpecification`; 304 if the ETag matches `If-None-Match`."""
        specification = await self._games.specification(path_parameter(request, "gameType"))
        headers = {
            "ETag": f'"{specification.tag}"',
            "Cache-Control": "no-cache",
            "X-Content-Type-Options": "nosniff",  # the text comes from a third party
        }
        if specification.tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        return Response(specification.content, media_type="text/markdown", headers=headers)
