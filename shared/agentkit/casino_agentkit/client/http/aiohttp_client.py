"""Client of everything that the lean one does not speak, TLS first of all: an aiohttp session."""

import ssl
from collections.abc import Callable, Mapping
from typing import Final

import aiohttp
from yarl import URL

from casino_agentkit.client.connector import BoundedConnector, PolicyResolver
from casino_agentkit.client.http.http_reply import HttpReply, read_reply
from casino_agentkit.client.http.pool import CONNECTIONS, KEEPALIVE_S
from casino_agentkit.client.outgoing import Deadline

_NO_TIMEOUT: Final = aiohttp.ClientTimeout(
    total=None, connect=None, sock_connect=None, sock_read=None
)
"""Replaced by `Deadline`: aiohttp rounds a timeout above 5 s up to a whole second."""


class AiohttpClient:
    """Sends requests over one pooled session, with the TLS `context`; limits are in bytes."""

    def __init__(
        self,
        resolver: PolicyResolver,
        context: Callable[[], ssl.SSLContext],
        deadline: Deadline,
        body_limit: int,
        head_limit: int,
    ) -> None:
        self._resolver = resolver
        self._context = context
        self._deadline = deadline
        self._body_limit = body_limit
        self._head_limit = head_limit
        self._session: aiohttp.ClientSession | None = None

    async def send(
        self,
        url: str,
        target: URL,
        method: str,
        headers: Mapping[str, str],
        body: bytes,
        timeout_s: float,
    ) -> HttpReply:
        """Raise TimeoutError, ProtocolFault, ssl.SSLError and the errors of aiohttp."""
        async with (
            self._deadline(timeout_s),
            self._open().request(
                method, target, data=body or None, headers=headers, allow_redirects=False
            ) as reply,
        ):
            return await read_reply(
                url, reply.status, reply.headers, reply.content, reply.close, self._body_limit
            )

    async def close(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=BoundedConnector(
                    self._resolver,
                    self._context(),
                    limit=CONNECTIONS,
                    keepalive_s=KEEPALIVE_S,
                    head_limit=self._head_limit,
                ),
                headers={"Accept-Encoding": "identity"},
                auto_decompress=False,
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=_NO_TIMEOUT,
            )
        return self._session
