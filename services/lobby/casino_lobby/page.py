"""The web page: static files, and its first file at every address that the page can show.

It needs no build step and no other host but the gateway; the content security policy enforces it.
"""

import re
from collections.abc import Collection
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import Final
from urllib.parse import quote, urlsplit

from casino_agentkit.server.page_files import FRONT, OWN_FILES_ONLY, PageFile, page_files
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Match
from starlette.types import Receive, Scope, Send

from casino_lobby.preview.front_page import FrontPage, PageLink
from casino_lobby.preview.previews import Missing, Previewer

__all__ = ["EMBED", "FRONT", "WEB", "page_routes", "policy_for"]

WEB = Path(__file__).parent / "web"
EMBED: Final = "/embed"
_ROOMS: Final = "/rooms"
_NO_FRAMES: Final = "frame-ancestors 'none'"
_APP: Final = re.compile(r'( *)<script type="module" src="(.+?)app\.js">')
_IMPORT: Final = re.compile(r'^import (?:[^;]+? from )?"(.+?)"', re.MULTILINE)
_HOME: Final = "lobby.js"
_ROOM: Final = "room.js"


def policy_for(gateway_url: str | None, embedders: Collection[str] = ()) -> str:
    policy = OWN_FILES_ONLY
    if embedders:
        policy = policy.replace(_NO_FRAMES, f"frame-ancestors {' '.join(embedders)}")
    if gateway_url is None:
        return policy
    gateway = urlsplit(gateway_url)
    socket = "wss" if gateway.scheme == "https" else "ws"
    origins = f"{gateway.scheme}://{gateway.netloc} {socket}://{gateway.netloc}"
    return f"{policy}; connect-src 'self' {origins}"


def page_routes(
    gateway_url: str | None = None,
    embedders: Collection[str] = (),
    previewer: Previewer | None = None,
) -> list[BaseRoute]:
    """Return the routes of the page: `/`, `/rooms/…`, `/embed/rooms/…`, files below `/page/`.

    The page may connect to the gateway's origin, if there is a gateway. Pages of the `embedders`
    may show it in a frame; without any there is nothing below `/embed`. Without a `previewer`
    addresses have no previews, and whether a room is there is left to the page.
    """
    policy = policy_for(gateway_url)
    files = page_files(WEB, policy)
    content = files.files[FRONT].content.decode()
    # A room's style sheets are left out where no room is shown.
    front = FrontPage(_preloading(content.replace('rel="later"', 'rel="stylesheet"'), _ROOM))
    files.files[FRONT] = PageFile.of(_preloading(content, _HOME), ".html", policy)
    routes = [*files.routes(), LinkedPage(front, policy, previewer)]
    if embedders:
        # Nobody sits down in a frame, so the gateway is left out.
        routes.append(LinkedPage(front, policy_for(None, embedders), previewer, prefix=EMBED))
    return routes


def _preloading(front: str, view: str) -> bytes:
    """Let a first file name all modules of a view: they come together, not one after the other."""
    links = r"\1" + "".join(
        rf'<link rel="modulepreload" href="\2{name}">\n\1'
        for name in sorted({*_imported("app.js"), view, *_imported(view)})
    )
    return _APP.sub(rf'{links}<script type="module" src="\2app.js">', front).encode()


def _imported(module: str) -> set[str]:
    """Return the names of the modules that a browser loads with one, without those on demand."""
    found: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        imports = _IMPORT.findall((WEB / name).read_text())
        new = {normpath(join(dirname(name), other)) for other in imports} - found
        found |= new
        waiting += new
    return found


class LinkedPage(BaseRoute):
    """The first file at every address below `/rooms/`; 404 where the page shows that nothing is."""

    def __init__(
        self, front: FrontPage, policy: str, previewer: Previewer | None, prefix: str = ""
    ) -> None:
        self._front = front
        self._policy = policy
        self._previewer = previewer
        self._prefix = prefix
        self._path = f"{prefix}{_ROOMS}/"

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        is_match = scope["type"] == "http" and f"{scope['path']}/".startswith(self._path)
        return (Match.FULL, {"endpoint": self}) if is_match else (Match.NONE, {})

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        if request.method in {"GET", "HEAD"}:
            response = await self._respond(request)
        else:
            response = PlainTextResponse("Method Not Allowed", 405, headers={"Allow": "GET, HEAD"})
        await response(scope, receive, send)

    async def _respond(self, request: Request) -> Response:
        # Ids may contain `%2F`, so segments are split before they are decoded.
        raw: bytes = request.scope.get("raw_path") or quote(request.scope["path"]).encode()
        segments = raw.partition(b"?")[0].decode("ascii", "replace").split("/")[1:]
        in_rooms = segments[self._prefix.count("/") + 1 :]
        link = PageLink.of(in_rooms, request.query_params.get("epoch"))
        result = None
        if link is not None and self._previewer is not None:
            address = request.client.host if request.client else ""
            result = await self._previewer.preview(link, str(request.base_url), address)
        is_missing = (link is None and any(in_rooms)) or isinstance(result, Missing)
        file = self._front.file(
            len(segments) - 1,
            self._policy,
            None if isinstance(result, Missing) else result,
            is_embedded=bool(self._prefix),
        )
        response = file.reply(request)
        if is_missing and response.status_code == 200:  # noqa: PLR2004  304 stays
            response.status_code = 404
        return response
