"""Agents in one process, called without a socket: what tests give a client as its transport."""

import asyncio
from collections.abc import Mapping
from urllib.parse import urlsplit

import httpx
from starlette.types import ASGIApp

from casino_agentkit.client.transport import HttpReply
from casino_agentkit.errors import TimedOut, Unreachable


class InProcessTransport:
    """Finds applications by their origin, such as ``http://player-1``; any other is unreachable."""

    def __init__(self, apps: Mapping[str, ASGIApp] | None = None) -> None:
        self.apps: dict[str, ASGIApp] = dict(apps or {})

    async def send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, timeout_s: float
    ) -> HttpReply:
        """Return the application's whole reply."""
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
        return HttpReply(reply.status_code, reply.content, reply.headers.get("location", ""))

    async def check_link(self, source: str, target: str) -> None:
        """Nothing here has an address."""

    async def close(self) -> None:
        """There is nothing to let go of."""
