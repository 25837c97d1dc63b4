"""ASGI middleware: an API key in `X-API-Key` counts as the bearer token of an A2A call."""

from starlette.types import ASGIApp, Receive, Scope, Send

_KEY = b"x-api-key"
_AUTHORIZATION = b"authorization"


class ApiKeyHeader:
    """Adds `Authorization: Bearer KEY` where only `X-API-Key: KEY` is sent."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""
        if scope["type"] == "http":
            headers = dict(scope["headers"])
            if _KEY in headers and _AUTHORIZATION not in headers:
                added = (_AUTHORIZATION, b"Bearer " + headers[_KEY])
                scope = {**scope, "headers": [*scope["headers"], added]}
        await self._app(scope, receive, send)
