"""REST handlers of the lobby: its tables, configuration and problem pages."""

from starlette.requests import Request
from starlette.responses import Response

from casino_lobby.problems.pages import html_page
from casino_lobby.problems.problem import Problem, ProblemType
from casino_lobby.rest.requests import path_parameter
from casino_lobby.rest.responses import json_response
from casino_lobby.service.queries import LobbyQueries

_PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


class LobbyHandlers:
    """Handles the operations of the lobby itself."""

    def __init__(self, queries: LobbyQueries) -> None:
        self._queries = queries
        self._problems = {kind.slug: kind for kind in ProblemType}

    async def list_tables(self, _request: Request) -> Response:
        """Respond to `listTables`."""
        return json_response(self._queries.tables())

    async def read_config(self, _request: Request) -> Response:
        """Respond to `readConfig`."""
        return json_response(self._queries.info)

    async def read_problem(self, request: Request) -> Response:
        """Respond to `readProblem`."""
        kind = self._problems.get(path_parameter(request, "slug"))
        if kind is None:
            raise Problem(ProblemType.NOT_FOUND, "There is no problem type with this name.")
        return Response(
            html_page(kind),
            media_type="text/html",
            headers={"Content-Security-Policy": _PAGE_POLICY},
        )
