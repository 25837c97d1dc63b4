"""Running a service as a process: its socket, its signals, its end.

SIGTERM (or Ctrl-C) drains: not ready any more, the service finishes what it is at while it still
answers, then the server closes. A second signal ends it at once.
"""

import asyncio
import gc
import socket
import ssl
import sys
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Literal

import orjson
import structlog
import uvicorn
import uvloop
from prometheus_client import CollectorRegistry
from starlette.types import ASGIApp

from casino_agentkit.loopback import is_loopback
from casino_agentkit.server.app import Service
from casino_agentkit.server.connections import Connections
from casino_agentkit.server.http_protocol import LimitedProtocol, protocol_of
from casino_agentkit.server.limits import DEFAULT_LIMITS, ServerLimits, raise_descriptor_limit
from casino_agentkit.server.parent_watch import exit_with_parent
from casino_agentkit.server.tls_listener import TlsListener
from casino_agentkit.tls.context import clear_text_warning

_KEEPALIVE_S = 75  # above the idle time of the clients' pools, else calls die on closed connections
_CLOSING_S = 5
_UNREAD_MS = 60_000

logger = structlog.get_logger(__name__)


class PortTaken(Exception):
    """The address cannot be listened on."""


def bind(host: str, port: int, backlog: int = DEFAULT_LIMITS.backlog) -> socket.socket:
    """Return a listening socket's address taken; port 0 takes a free one. Raises PortTaken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        # Whoever was given up because it never reads would keep its socket, and what fills it.
        bound.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _UNREAD_MS)
    try:
        bound.bind((host, port))
        # Listening at once: a port is taken when it is bound, not when the service is ready.
        bound.listen(backlog)
    except OSError as error:
        bound.close()
        raise PortTaken(f"{host}:{port} cannot be used: {error.strerror}") from error
    bound.setblocking(False)
    return bound


def url_of(host: str, port: int, scheme: str = "http") -> str:
    """Return the URL at which this machine reaches a listener on `host` and `port`."""
    if host in {"0.0.0.0", "::", ""}:  # noqa: S104  recognised, so that it is never advertised
        host = "127.0.0.1"
    return f"{scheme}://[{host}]:{port}" if ":" in host else f"{scheme}://{host}:{port}"


class TlsServer(uvicorn.Server):
    """uvicorn, which listens with TLS where there is `tls`, under the limits that it has."""

    def __init__(self, config: uvicorn.Config, tls: ssl.SSLContext | None) -> None:
        super().__init__(config)
        self._tls = tls

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen."""
        protocol = self.config.http_protocol_class
        if self._tls is None or sockets is None or not issubclass(protocol, LimitedProtocol):
            self.config.ssl = self._tls
            await super().startup(sockets)
            return
        await super().startup([])
        make = partial(
            protocol,
            config=self.config,
            server_state=self.server_state,
            app_state=self.lifespan.state,
        )
        self.servers += [
            # It is closed and waited for like uvicorn's own.
            TlsListener(listener, self._tls, make, protocol.limits, protocol.counts)  # type: ignore[misc]
            for listener in sockets
        ]


class _Server(TlsServer):
    """Announces itself when it answers, and drains the service before it closes."""

    def __init__(
        self,
        config: uvicorn.Config,
        tls: ssl.SSLContext | None,
        service: Service,
        url: str,
        *,
        announce: bool,
    ) -> None:
        super().__init__(config, tls)
        self._service = service
        self._url = url
        self._announce = announce
        self._draining: asyncio.Task[None] | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and say where."""
        await super().startup(sockets)
        logger.info("listening", url=self._url, cards=self._service.card_urls(self._url))
        if self._announce:
            cards = self._service.card_urls(self._url, with_capability=True)
            ready = {"url": self._url, "cards": cards}
            sys.stdout.write(orjson.dumps(ready).decode() + "\n")
            sys.stdout.flush()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to drain at the first signal, end at once at the second."""
        if self.started and not self._service.is_draining:
            self._service.is_draining = True
        else:
            super().handle_exit(sig, frame)

    async def on_tick(self, counter: int) -> bool:
        """Drain when a signal came; uvicorn looks in here ten times a second."""
        if self._service.is_draining and self._draining is None:
            self._draining = asyncio.ensure_future(self._drained())
        return await super().on_tick(counter)

    async def _drained(self) -> None:
        try:
            await self._service.finish()
        except Exception:
            # The process ends in any case; what could not be finished is in the log.
            logger.exception("drain_failed")
        self.should_exit = True


def server_config(
    app: ASGIApp, limits: ServerLimits | None, registry: CollectorRegistry
) -> uvicorn.Config:
    """Return how uvicorn serves an application; the connections are counted in `registry`."""
    protocol: type[asyncio.Protocol] | Literal["httptools"] = "httptools"
    if limits is not None:
        counts = Connections(limits)
        registry.register(counts)
        protocol = protocol_of(limits, counts)
    return uvicorn.Config(
        app,
        http=protocol,
        # Else a request for a WebSocket, where a library for those happens to be installed, would
        # leave our protocol, its limits and its count.
        ws="none",
        loop="uvloop",
        lifespan="off",  # around the server: why it cannot start is ours to tell
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,  # the public URL is a setting, not a stranger's header
        backlog=(limits or DEFAULT_LIMITS).backlog,
        timeout_keep_alive=_KEEPALIVE_S,
        timeout_graceful_shutdown=_CLOSING_S,
    )


def serve(
    build: Callable[[str], Service],
    *,
    host: str,
    port: int,
    public_url: str | None = None,
    supervised: bool = False,
    limits: ServerLimits | None = DEFAULT_LIMITS,
    tls: ssl.SSLContext | None = None,
) -> None:
    """Listen, build the service for the URL it has, and run until a signal.

    `build` is the composition root; it is told the URL by which others reach the process.
    A supervised process ends with the one that started it, and announces itself by one JSON line
    on standard output once it answers: `{"url": …, "cards": […]}`.
    `limits` are what a client and an address may cost, lowered to what the limit of open files
    allows, which is raised first; None sets none.
    With `tls` it listens with TLS, and with nothing else.
    Raises PortTaken, and whatever `build` or the service's start raise.
    """
    if supervised:
        exit_with_parent()
    descriptors = raise_descriptor_limit()
    if limits is not None:
        limits = limits.within(descriptors)
    listener = bind(host, port, (limits or DEFAULT_LIMITS).backlog)
    scheme = "http" if tls is None else "https"
    url = (public_url or url_of(host, listener.getsockname()[1], scheme)).rstrip("/")
    if tls is None and (
        warning := clear_text_warning(host, public_url, is_local=is_loopback(host))
    ):
        logger.warning("no_tls", message=warning)
    service = build(url)
    app = service.asgi()
    # What was imported and built stays, and the objects of a message are gone before one looks:
    # walking all of that again and again cost a tenth of a decision.
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)
    config = server_config(app, limits, service.registry)
    server = _Server(config, tls, service, url, announce=supervised)

    async def run() -> None:
        async with service.running():
            await server.serve(sockets=[listener])

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(run())
