"""Transports of tests: to applications of this process without httpx, and to sockets as well."""

import asyncio
from collections.abc import Mapping
from urllib.parse import urlsplit

from casino_agentkit import HttpReply, HttpTransport, TimedOut, Unreachable
from starlette.types import Message

from support.in_process import InProcessTransport


class DirectTransport(InProcessTransport):
    """Calls the application itself; it ends when its answer does."""

    async def send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, timeout_s: float
    ) -> HttpReply:
        """Return the application's whole reply."""
        assert timeout_s > 0
        parts = urlsplit(url)
        app = self.apps.get(f"{parts.scheme}://{parts.netloc}")
        if app is None:
            raise Unreachable(url, "no such application in this process")
        sent: list[Message] = []

        async def receive() -> Message:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Message) -> None:
            sent.append(message)

        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": parts.scheme,
            "path": parts.path,
            "raw_path": parts.path.encode(),
            "query_string": parts.query.encode(),
            "root_path": "",
            "headers": [
                (b"host", parts.netloc.encode()),
                *((key.lower().encode(), value.encode()) for key, value in headers.items()),
            ],
            "client": ("test", 1),
            "server": (parts.netloc, 80),
        }
        try:
            async with asyncio.timeout(timeout_s):
                await app(scope, receive, send)
        except TimeoutError as error:
            raise TimedOut(url, f"no reply within {timeout_s:.3g} s") from error
        replied: dict[bytes, bytes] = dict(sent[0]["headers"])
        location = replied.get(b"location", b"")
        later = replied.get(b"retry-after", b"")
        content = b"".join(part.get("body", b"") for part in sent[1:])
        return HttpReply(sent[0]["status"], content, location.decode(), later.decode())


class BothWays(InProcessTransport):
    """Sends to agents of this process directly, and to others over HTTP."""

    def __init__(self) -> None:
        super().__init__()
        self._http = HttpTransport()

    async def send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, timeout_s: float
    ) -> HttpReply:
        """Send by the way that leads to the agent."""
        if url.startswith(("http://127.0.0.1", "https://127.0.0.1")):
            return await self._http.send(method, url, headers, body, timeout_s)
        return await super().send(method, url, headers, body, timeout_s)

    async def close(self) -> None:
        await self._http.close()
