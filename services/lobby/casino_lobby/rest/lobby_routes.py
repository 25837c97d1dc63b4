"""REST handlers of the lobby: its games, tables, configuration and problem pages."""

from casino_agentkit.protocol import (
    BODY_LIMIT,
    CAPABILITY_PATH,
    CARD_PATH,
    INPUT_LIMIT,
    keyed_address,
)
from casino_agentkit.server.page_files import conditional_response
from casino_contracts import GameList, LobbyInfo, TableList
from casino_contracts.table_config import DEFAULT_CONFIG
from starlette.requests import Request
from starlette.responses import Response

from casino_lobby import __version__
from casino_lobby.access.operator import Operator, bearer_token, is_of_operator
from casino_lobby.problem import Problem, ProblemType, html_page
from casino_lobby.rest.hand_routes import EVENTS_LIMIT, HANDS_LIMIT
from casino_lobby.rest.operation import AGENT, Operation
from casino_lobby.rest.request_reading import path_parameter
from casino_lobby.rest.room_routes import ROOMS_LIMIT
from casino_lobby.service.game_catalogue import GameCatalogue
from casino_lobby.service.use_cases import LobbyQueries
from casino_lobby.settings import LobbySettings

_PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


class LobbyHandlers:
    """Handles the operations of the lobby itself and of its games."""

    def __init__(self, queries: LobbyQueries, games: GameCatalogue, operator: Operator) -> None:
        self._queries = queries
        self._games = games
        self._operator = operator
        self._problems = {kind.slug: kind for kind in ProblemType}

    @Operation("listTables", "GET /v1/tables", tag="lobby", who="reader")
    async def list_tables(self, request: Request) -> TableList:
        """List table agents.

        Returns the table agents that announced themselves and those of open rooms; operators also
        get the details of what they wait for.
        """
        is_operator = not self._operator.is_known or is_of_operator(request, self._operator)
        return self._queries.tables(has_details=is_operator)

    @Operation("readConfig", "GET /v1/config", tag="lobby", who="reader", is_private=True)
    async def read_config(self, request: Request) -> LobbyInfo:
        """Get the lobby's configuration.

        Returns the lobby's name, version, limits and default room configuration. With a bearer
        token, `isOperator` says whether that is the operator's key.
        """
        info = self._queries.info
        is_operator = is_of_operator(request, self._operator)
        if self._operator.is_known and not is_operator:
            bots = [
                bot for bot in info.sample_bots or () if CAPABILITY_PATH not in bot.agent_card_url
            ]
            info = info.model_copy(update={"sample_bots": tuple(bots) or None})
        if not bearer_token(request.headers.get("authorization")):
            return info
        return info.model_copy(update={"is_operator": is_operator})

    @Operation(
        "readProblem",
        "GET /problems/{slug}",
        tag="lobby",
        who="public",
        problems={ProblemType.NOT_FOUND},
        media_type="text/html",
    )
    async def read_problem(self, request: Request) -> Response:
        """Get a problem's documentation.

        Returns an HTML page that explains a problem type. The `type` of a problem document is the
        URL of this page.
        """
        kind = self._problems.get(path_parameter(request, "slug"))
        if kind is None:
            raise Problem(ProblemType.NOT_FOUND, "There is no problem type with this name.")
        return Response(
            html_page(kind),
            media_type="text/html",
            headers={"Content-Security-Policy": _PAGE_POLICY},
        )

    @Operation("listGames", "GET /api/games", tag="games", who="public")
    async def list_games(self, _request: Request) -> GameList:
        """List games.

        Returns the games that can be played, taken from the agent cards of the rooms' tables, of
        the announced tables, and of the tables that the lobby can launch.
        """
        return await self._games.offered()

    @Operation(
        "readGameSpecification",
        "GET /api/games/{gameType}/spec",
        tag="games",
        who="public",
        problems=AGENT | {ProblemType.GAME_NOT_FOUND, ProblemType.NO_TABLE},
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


def lobby_info(settings: LobbySettings, url: str, operator: Operator) -> LobbyInfo:
    """Return the information of the lobby with the base URL `url`, as its operator reads it."""
    key, bots = settings.sample_key, settings.sample_cards
    if key is not None:
        bots = tuple(
            bot.model_copy(
                update={"agent_card_url": keyed_address(bot.agent_card_url, key.get_secret_value())}
            )
            for bot in bots
        )
    return LobbyInfo(
        name=settings.name,
        version=__version__,
        agent_card_url=f"{url}{CARD_PATH}",
        default_config=DEFAULT_CONFIG,
        launches_tables=settings.launch_tables,
        operator_token_needed=operator.is_known,
        limits={
            "bodyBytes": INPUT_LIMIT,
            "publishedBytes": BODY_LIMIT,
            "commandsPerMinute": settings.commands_per_minute,
            "eventsPerPage": EVENTS_LIMIT.at_most,
            "handsPerPage": HANDS_LIMIT.at_most,
            "roomsPerPage": ROOMS_LIMIT.at_most,
        },
        gateway_url=settings.gateway_url,
        sample_bots=bots or None,
    )
