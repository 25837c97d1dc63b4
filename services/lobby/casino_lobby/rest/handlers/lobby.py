"""REST handlers of the lobby: its tables, configuration and problem pages."""

from casino_agentkit.protocol import CAPABILITY_PATH
from casino_contracts import LobbyInfo, TableList
from starlette.requests import Request
from starlette.responses import Response

from casino_lobby.access.operator import Operator, bearer_token, is_of_operator
from casino_lobby.problem import Problem, html_page
from casino_lobby.problem_types import ProblemType
from casino_lobby.rest.operation import ALWAYS, Operation
from casino_lobby.rest.requests import path_parameter
from casino_lobby.service.queries import LobbyQueries

_PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


class LobbyHandlers:
    """Handles the operations of the lobby itself."""

    def __init__(self, queries: LobbyQueries, operator: Operator) -> None:
        self._queries = queries
        self._operator = operator
        self._problems = {kind.slug: kind for kind in ProblemType}

    @Operation(
        operation_id="listTables",
        method="GET",
        path="/v1/tables",
        tag="lobby",
        who="reader",
        problems=ALWAYS,
    )
    async def list_tables(self, _request: Request) -> TableList:
        """List table agents.

        Returns the table agents that announced themselves and those of open rooms.
        """
        return self._queries.tables()

    @Operation(
        operation_id="readConfig",
        method="GET",
        path="/v1/config",
        tag="lobby",
        who="reader",
        problems=ALWAYS,
        is_private=True,
    )
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
        operation_id="readProblem",
        method="GET",
        path="/problems/{slug}",
        tag="lobby",
        who="public",
        problems=ALWAYS | {ProblemType.NOT_FOUND},
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
