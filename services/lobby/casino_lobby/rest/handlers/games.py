"""REST handlers of the games and their specifications."""

from casino_agentkit.server.page_files import conditional_response
from casino_contracts import GameList
from starlette.requests import Request
from starlette.responses import Response

from casino_lobby.problem_types import ProblemType as P
from casino_lobby.rest.operation import AGENT, ALWAYS, Operation
from casino_lobby.rest.requests import path_parameter
from casino_lobby.service.games import Games


class GameHandlers:
    """Handles the operations of games."""

    def __init__(self, games: Games) -> None:
        self._games = games

    @Operation(
        operation_id="listGames",
        method="GET",
        path="/api/games",
        tag="games",
        who="public",
        problems=ALWAYS,
    )
    async def list_games(self, _request: Request) -> GameList:
        """List games.

        Returns the games that can be played, taken from the agent cards of the rooms' tables, of
        the announced tables, and of the tables that the lobby can launch.
        """
        return await self._games.offered()

    @Operation(
        operation_id="readGameSpecification",
        method="GET",
        path="/api/games/{gameType}/spec",
        tag="games",
        who="public",
        problems=ALWAYS | AGENT | {P.GAME_NOT_FOUND, P.NO_TABLE},
        media_type="text/markdown",
        may_be_unchanged=True,
    )
    async def read_specification(self, request: Request) -> Response:
        """Get a game's specification.

        Returns Markdown with YAML front matter and the JSON Schemas of state, action and result.
        Send the last `ETag` as `If-None-Match` to get 304 if the specification is unchanged.
        """
        specification = await self._games.specification(path_parameter(request, "gameType"))
        return conditional_response(
            request,
            specification.content,
            specification.tag,
            media_type="text/markdown",
            headers={
                "Cache-Control": "no-cache",
                "X-Content-Type-Options": "nosniff",  # the text comes from a third party
            },
        )
