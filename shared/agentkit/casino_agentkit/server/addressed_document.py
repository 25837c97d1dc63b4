"""Public documents that name the address at which their reader reaches the process."""

import re
from collections.abc import Callable
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from casino_agentkit.bounded_state import LruDict
from casino_agentkit.server.page_files import conditional_response, entity_tag

CACHED: Final = {"cache-control": "public, max-age=60", "vary": "host"}
"""Headers of a document that depends on the address of the request alone."""
NO_HOST: Final = "the Host header is not a valid host"
_OF_ANY_PAGE: Final = {
    "access-control-allow-origin": "*",
    "access-control-allow-methods": "GET",
    "access-control-allow-headers": "Content-Type, If-None-Match",
    "access-control-expose-headers": "ETag",
}
_MAX_KEPT: Final = 64  # each Host header adds a document
_HOST = re.compile(r"[A-Za-z0-9._-]+(:\d{1,5})?|\[[0-9A-Fa-f:.]+\](:\d{1,5})?")
_WILDCARD_HOST = re.compile(r"^(0\.0\.0\.0|\[::\]|\[0:0:0:0:0:0:0:0\])(?=:|$)")


def reached_address(request: Request, public_url: str | None) -> str | None:
    """Return the public URL or, without one, the origin of the request, without a slash.

    0.0.0.0 and [::] become 127.0.0.1, because they cannot be called. None: no valid Host header.
    """
    if public_url is not None:
        return public_url.rstrip("/")
    host = request.headers.get("host", "")
    if not _HOST.fullmatch(host):
        return None
    return f"{request.url.scheme}://{_WILDCARD_HOST.sub('127.0.0.1', host)}"


class AddressedDocument:
    """Serves what `written` returns for an address, with an entity tag, to pages of any origin."""

    def __init__(
        self, path: str, media_type: str, public_url: str | None, written: Callable[[str], bytes]
    ) -> None:
        self._path = path
        self._media_type = media_type
        self._public_url = public_url
        self._written = written
        self._kept = LruDict[str, bytes](_MAX_KEPT)

    def route(self) -> BaseRoute:
        return Route(self._path, self._serve, methods=["GET", "OPTIONS"])

    async def _serve(self, request: Request) -> Response:
        if request.method == "OPTIONS":
            return Response(status_code=204, headers=_OF_ANY_PAGE)
        address = reached_address(request, self._public_url)
        if address is None:
            return Response(NO_HOST, status_code=400)
        content = self._kept.get(address)
        if content is None:
            content = self._written(address)
            self._kept.put(address, content)
        headers = {**CACHED, **_OF_ANY_PAGE}
        return conditional_response(
            request, content, entity_tag(content), media_type=self._media_type, headers=headers
        )
