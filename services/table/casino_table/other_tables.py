"""Requests to the first process for tables of the others: cards are answered, the rest redirected.

So a table has one address, at the first process, that does not depend on how many there are. A card
is answered, because clients do not follow a redirect to another origin, and names the address of
the process that has the table.
"""

import re
from copy import copy
from typing import Final, NoReturn

from casino_agentkit import Agent
from casino_agentkit.bounded_state import LruDict
from casino_agentkit.protocol import JSON
from casino_agentkit.server.card_page import CardPage
from casino_agentkit.server.page_files import conditional_response, entity_tag
from casino_agentkit.server.served_agents import CARDS
from casino_agentkit.server.serving import url_of
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Match, NoMatchFound
from starlette.types import Receive, Scope, Send

from casino_table.workers import Workers

_PATH: Final = re.compile(r"/tables/([1-9][0-9]{0,3})((?:/.*)?)", re.DOTALL)
_HOST: Final = re.compile(r"(?:([A-Za-z0-9._-]+)|\[([0-9A-Fa-f:.]+)\])(?::[0-9]{1,5})?")
_READING: Final = frozenset({"GET", "HEAD"})
_PAGES: Final = 64
"""Tables whose cards are kept."""


class OtherTables(BaseRoute):
    """The tables of the other processes, at their paths below the first process.

    `agent` is one of the first process: all tables have the same card, but for name and address.
    """

    def __init__(self, workers: Workers, agent: Agent) -> None:
        self._workers = workers
        self._group = workers.group
        self._share = workers.group.share(1)
        self._agent = agent
        self._pages = LruDict[int, CardPage](_PAGES)

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Return whether a request is for a table of another process."""
        is_match = scope["type"] == "http" and self._table(scope["path"])[0] > 0
        return (Match.FULL if is_match else Match.NONE), {}

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request for such a table."""
        table, rest = self._table(scope["path"])
        request = Request(scope, receive)
        origin = self._origin(request, self._share.holder(table) or 1)
        if origin is None:
            response: Response = PlainTextResponse("the Host header is not a valid host", 400)
        elif rest in CARDS and request.method in _READING:
            response = self._card(request, table, origin)
        else:
            target = scope["raw_path"] + (b"?" + scope["query_string"]).removesuffix(b"?")
            response = RedirectResponse(
                origin + target.decode("latin-1"), headers={"cache-control": "no-store"}
            )
        await response(scope, receive, send)

    def url_path_for(self, name: str, /, **path_params: object) -> NoReturn:
        """Raise NoMatchFound: the routes have no names."""
        raise NoMatchFound(name, path_params)

    def _table(self, path: str) -> tuple[int, str]:
        """Return the number of such a table in a path, and what follows; 0 if there is none."""
        match = _PATH.fullmatch(path)
        table = int(match[1]) if match else 0
        if match is None or self._share.holder(table) in {None, self._share.process}:
            return 0, ""
        return table, match[2]

    def _origin(self, request: Request, process: int) -> str | None:
        """Return the address of a process for a caller; None without a valid Host header."""
        if public_url := self._group.public_url(process):
            return public_url
        host = _HOST.fullmatch(request.headers.get("host", ""))
        if host is None:
            return None
        return url_of(host[1] or host[2], self._workers.port(process), request.url.scheme)

    def _card(self, request: Request, table: int, origin: str) -> Response:
        """Answer the card, unsigned: it is another process that signs for that address."""
        page = self._pages.get(table)
        if page is None:
            page = self._page(table)
            self._pages.put(table, page)
        body = page.card(origin)
        headers = {"cache-control": "public, max-age=60", "vary": "host"}
        return conditional_response(
            request, body, entity_tag(body), media_type=JSON, headers=headers
        )

    def _page(self, table: int) -> CardPage:
        agent = copy(self._agent)
        agent.name = self._share.name(table, self._group.settings.name)
        process = self._share.holder(table) or 1
        return CardPage(
            agent,
            self._share.path(table),
            None,
            a2a_03=self._group.settings.a2a_03,
            grpc_port=lambda: self._group.grpc_port(process),
        )
