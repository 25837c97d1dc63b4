"""The lobby itself over REST: its tables, what it is, what its problems mean."""

from starlette.requests import Request
from starlette.responses import Response

from casino_lobby.problems.pages import html_page
from casino_lobby.problems.problem import Problem, ProblemType
from casino_lobby.rest.requests import in_path
from casino_lobby.rest.responses import message
from casino_lobby.service.queries import LobbyQueries

_PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


class LobbyHandlers:
    """Answers from memory."""

    def __init__(self, reading: LobbyQueries) -> None:
        self._reading = reading
        self._problems = {kind.slug: kind for kind in ProblemType}

    async def list_tables(self, _request: Request) -> Response:
        """Answer `listTables`."""
        return message(self._reading.tables())

    async def read_config(self, _request: Request) -> Response:
        """Answer `readConfig`."""
        return message(self._reading.info)

    async def read_problem(self, request: Request) -> Response:
        """Answer `readProblem`."""
        kind = self._problems.get(in_path(request, "slug"))
        if kind is None:
            raise Problem(ProblemType.NOT_FOUND, "The lobby has no problem of this name.")
        return Response(
            html_page(kind),
            media_type="text/html",
            headers={"Content-Security-Policy": _PAGE_POLICY},
        )
