"""Transport to applications in the same process, without sockets."""

import asyncio
from collections.abc import Mapping
from urllib.parse import urlsplit

import httpx
from casino_agentkit.client.http.http_reply import HttpReply
from casino_agentkit.errors import TimedOut, Unreachable
from starlette.types import ASGIApp


class InProcessTransport:
    """Sends requests to applications by origin, such as `http://player-1`."""

    def __init__(self, apps: Mapping[str, ASGIApp] | None = None) -> None:
        self.apps: dict[str, ASGIApp] = dict(apps or {})

    async def send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, timeout_s: float
    ) -> HttpReply:
        """Return the application's reply. Raises Unreachable for an unknown origin, TimedOut."""
        parts = urlsplit(url)
        app = self.apps.get(f"{parts.scheme}://{parts.netloc}")
        if app is None:
            raise Unreachable(url, "no such application in this process")
        try:
            async with (
                asyncio.timeout(timeout_s),
                httpx.AsyncClient(transport=httpx.ASGITransport(app)) as http,
            ):
                reply = await http.request(method, url, headers=dict(headers), content=body)
        except TimeoutError as error:
            raise TimedOut(url, f"no reply within {timeout_s:.3g} s") from error
        return HttpReply(
            reply.status_code,
            reply.content,
            reply.headers.get("location", ""),
            reply.headers.get("retry-after", ""),
        )

    async def check_link(self, source: str, target: str) -> None:
        """Allow every link: applications have no addresses."""

    async def close(self) -> None:
        """Do nothing: there are no connections."""
