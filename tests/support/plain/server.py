"""A server of a plain agent, whose fast paths may be switched off, and raw connections to it."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any

from casino.attack.attack_traffic import AttackAddress, AttackConnection, connected
from casino_agentkit import Agent, BrowserGuard, Service
from casino_agentkit.protocol import VERSION, VERSION_HEADER
from casino_agentkit.server.http_protocol import LimitedProtocol
from casino_agentkit.server.request_guard import PageRules
from casino_agentkit.server.server_limits import DEFAULT_LIMITS, ServerLimits
from casino_agentkit.server.serving import TlsServer
from prometheus_client import generate_latest
from starlette.types import ASGIApp, Receive, Scope, Send

from support.listening import serving
from support.loops.virtual_loop import loop
from support.replies.server import turns

LONGEST_S = 100.0
"""Longer than every limit of time."""
_LEAST_READ = 2**13
"""Bytes that both sides write and read in a turn of the loop, at least."""
_MOST_TIMERS = 10
"""Timers of a connection, one after the other, until it is closed."""
_VERSION = (VERSION_HEADER.lower().encode(), VERSION.encode())


class PlainServer:
    """One server; with `has_front` the protocol answers plain calls, else the application.

    With `by_sdk` neither does: the version 1.0 is spelled so that both leave the call to the SDK.
    """

    def __init__(
        self, agent: Agent, *, has_front: bool = True, by_sdk: bool = False, **settings: Any
    ) -> None:
        rules: dict[str, Any] = {"names": ["casino.example"], "setting": "HOSTS"}
        self.by_application = 0
        """Requests that the application answers."""

        def guarded(app: ASGIApp) -> ASGIApp:
            guard = BrowserGuard(app, **rules)

            async def counted(scope: Scope, receive: Receive, send: Send) -> None:
                self.by_application += scope["type"] == "http"
                if by_sdk and scope["type"] == "http":
                    scope = {**scope, "headers": list(map(_respelled, scope["headers"]))}
                await guard(scope, receive, send)

            return counted

        page_rules = PageRules(**rules) if has_front and not by_sdk else None
        self.service = Service({"": agent}, guarded=guarded, page_rules=page_rules, **settings)
        self.server: TlsServer
        self.port = 0

    @property
    def target(self) -> AttackAddress:
        """Where it listens, for a caller on the same address."""
        return AttackAddress(self.port, "127.0.0.1")

    @property
    def metrics(self) -> dict[str, float]:
        """The metrics of the process that are not 0."""
        lines = generate_latest(self.service.registry).decode().splitlines()
        pairs = (line.rpartition(" ") for line in lines if not line.startswith("#"))
        return {name: float(value) for name, _, value in pairs if float(value)}

    async def answers(self, pieces: Iterable[bytes]) -> bytes:
        """Return all that comes back for bytes, on a connection of their own.

        Each piece is read, and what it asks for has ended, before the next is sent. Time passes
        then, so that the server closes what is unfinished or idle; needs the virtual loop. The port
        of the server is left out of the answer.
        """
        async with connected(self.target) as connection:
            # From the beginning: a reset discards what has arrived and was not read.
            answer = asyncio.ensure_future(connection.answer())
            for piece in pieces:
                await connection.send(piece)
                await turns(4 + len(piece) // _LEAST_READ)
                await self.is_quiet()
            for _ in range(_MOST_TIMERS):
                await self.is_quiet()
                if answer.done():
                    break
                loop().pass_time(LONGEST_S)
                await turns(10)
            return (await answer).replace(b":%d" % self.port, b":PORT")

    async def is_quiet(self) -> None:
        """Wait until no call runs, but those whose body has not arrived."""
        state = self.server.server_state
        while len(state.tasks) > sum(_has_half_a_body(one) for one in state.connections):
            await asyncio.sleep(0)
        await turns()


@asynccontextmanager
async def plain_server(
    agent: Agent,
    *,
    limits: ServerLimits = DEFAULT_LIMITS,
    tls: ssl.SSLContext | None = None,
    **settings: Any,
) -> AsyncIterator[PlainServer]:
    made = PlainServer(agent, **settings)
    async with serving(made.service, limits, tls) as (made.server, made.port):
        yield made


@asynccontextmanager
async def called(made: PlainServer) -> AsyncIterator[AttackConnection]:
    async with connected(made.target) as connection:
        yield connection


def _respelled(header: tuple[bytes, bytes]) -> tuple[bytes, bytes]:
    return (header[0], header[1] + b".0") if header == _VERSION else header


def _has_half_a_body(connection: object) -> bool:
    """Return whether the call that runs waits for its body."""
    return (
        isinstance(connection, LimitedProtocol)
        and connection._phase == "body"
        and not connection.pipeline
    )
