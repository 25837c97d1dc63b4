"""The games over REST, at the addresses of the specification document."""

from starlette.requests import Request
from starlette.responses import Response

from casino_lobby.games import Games
from casino_lobby.rest_reply import message
from casino_lobby.rest_request import in_path


class GamesApi:
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
