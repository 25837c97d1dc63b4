"""The games over REST, at the addresses of the specification document."""

from starlette.requests import Request
from starlette.responses import Response

from casino_lobby.rest.requests import in_path
from casino_lobby.rest.responses import message
from casino_lobby.service.games import Games


class GameHandlers:
    """What can be played, and how."""

    def __init__(self, games: Games) -> None:
        self._games = games

    async def list_games(self, _request: Request) -> Response:
        """Answer `listGames`."""
        return message(await self._games.offered())

    async def read_specification(self, request: Request) -> Response:
        """Answer `readGameSpecification`; 304 when the caller has these bytes already."""
        found = await self._games.specification(in_path(request, "gameType"))
        headers = {
            "ETag": f'"{found.tag}"',
            "Cache-Control": "no-cache",
            "X-Content-Type-Options": "nosniff",  # it is a stranger's text
        }
        if found.tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        return Response(found.content, media_type="text/markdown", headers=headers)
