"""Routes of some paths that are made at the first request for one of them."""

from collections.abc import Awaitable, Callable, Sequence
from typing import NoReturn

from starlette.routing import BaseRoute, Match, NoMatchFound, Router
from starlette.types import Receive, Scope, Send


class LateRoutes(BaseRoute):
    """A route for `exact` paths and everything below `base`, which `make` answers with its routes.

    `make` may be called again while it runs. Requests wait for it.
    """

    def __init__(
        self,
        exact: Sequence[str],
        base: str,
        make: Callable[[], Awaitable[list[BaseRoute]]],
    ) -> None:
        self._exact = frozenset((*exact, base))
        self._below = base + "/"
        self._make = make
        self._router: Router | None = None

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Return whether a request is for one of the paths."""
        if scope["type"] == "http":
            path: str = scope["path"]
            if path in self._exact or path.startswith(self._below):
                return Match.FULL, {}
        return Match.NONE, {}

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if self._router is None:
            self._router = Router(await self._make())
        await self._router(scope, receive, send)

    def url_path_for(self, name: str, /, **path_params: object) -> NoReturn:
        """Raise NoMatchFound: the routes have no names."""
        raise NoMatchFound(name, path_params)
