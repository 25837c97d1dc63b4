"""Run a service as a process: socket, signals and shutdown.

SIGTERM (or Ctrl-C) drains: the service becomes not ready and finishes its work while it still
answers requests, then the server closes. A second signal ends it at once.
"""

import asyncio
import errno
import os
import socket
import ssl
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from functools import partial
from importlib import import_module
from types import FrameType
from typing import TYPE_CHECKING, Final, Literal

import orjson
import structlog
import uvicorn
from prometheus_client import CollectorRegistry
from starlette.types import ASGIApp

from casino_agentkit.errors import InvalidSettings, PortTaken
from casino_agentkit.installation import installation_hint
from casino_agentkit.network import is_loopback, network_of
from casino_agentkit.process.background_tasks import BackgroundTasks
from casino_agentkit.process.child import GRACE, exit_with_parent
from casino_agentkit.process.late_imports import forgo_tracing
from casino_agentkit.server.connections import Connections
from casino_agentkit.server.http_protocol import LimitedProtocol
from casino_agentkit.server.plain_call_server import PlainCallServer, protocol_of
from casino_agentkit.server.server_limits import (
    DEFAULT_LIMITS,
    GrpcListener,
    ServerLimits,
    WebSocketLimits,
    raise_descriptor_limit,
)
from casino_agentkit.server.service_app import Service
from casino_agentkit.tls import clear_text_warning

if TYPE_CHECKING:
    from casino_agentkit.server.websocket_connection import UpgradingProtocol

try:
    _LOOPS = import_module("uvloop")
except ImportError:  # it is only for CPython, and not for Windows
    _LOOPS = asyncio

_ACCEPT_BATCH: Final = 64  # number of connections accepted before control returns to the event loop
_NO_RESOURCES: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
_PAUSE_S: Final = 1.0
"""Pause in accepting connections if the system has no resources for another one."""


class TlsListener:
    """Accepts connections and runs TLS handshakes, with the interface of an asyncio server."""

    def __init__(
        self,
        listener: socket.socket,
        context: ssl.SSLContext,
        make: Callable[[], LimitedProtocol],
        limits: ServerLimits,
        counts: Connections,
    ) -> None:
        self._listener = listener
        self._context = context
        self._make = make
        self._seconds = limits.first_byte.total_seconds()
        self._counts = counts
        self._loop = asyncio.get_running_loop()
        self._handshakes = BackgroundTasks()
        self._pause: asyncio.TimerHandle | None = None
        self._listen()

    def close(self) -> None:
        self._loop.remove_reader(self._listener)
        if self._pause is not None:
            self._pause.cancel()
        self._handshakes.cancel()

    async def wait_closed(self) -> None:
        await self._handshakes.wait()

    def _listen(self) -> None:
        self._loop.add_reader(self._listener, self._accept)

    def _accept(self) -> None:
        for _ in range(_ACCEPT_BATCH):
            try:
                connection, address = self._listener.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as error:
                if error.errno not in _NO_RESOURCES:
                    raise
                self._loop.remove_reader(self._listener)
                self._pause = self._loop.call_later(_PAUSE_S, self._listen)
                return
            network = network_of(address[0])
            if not self._counts.enter(network):
                connection.close()
                continue
            connection.setblocking(False)
            self._handshakes.begin(self._handshake(connection, network))

    async def _handshake(self, connection: socket.socket, network: str) -> None:
        protocol = self._make()
        protocol.counted_as(network)
        try:
            await self._loop.connect_accepted_socket(
                lambda: protocol,
                connection,
                ssl=self._context,
                ssl_handshake_timeout=self._seconds,
                ssl_shutdown_timeout=self._seconds,
            )
        except OSError:  # not TLS, unsupported version, timeout, or disconnected
            self._counts.cut("handshake")
        finally:
            if not protocol.has_begun:
                self._counts.leave(network)
                connection.close()


_KEEPALIVE_S = 75  # above the idle time of the clients' pools, else calls die on closed connections
_CLOSING_S = 5
_UNREAD_MS = 60_000

logger = structlog.get_logger(__name__)


def bind(host: str, port: int, backlog: int = DEFAULT_LIMITS.backlog) -> socket.socket:
    """Return a listening socket; port 0 chooses a free port. Raises PortTaken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # By its protocol asyncio knows a socket of TCP, and sends at once: no write waits for an ACK.
    bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    if os.name == "posix":  # on Windows, a port that somebody listens on would not be refused
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        # Frees the socket and buffer of an aborted connection whose client never reads.
        bound.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _UNREAD_MS)
    try:
        bound.bind((host, port))
        # Listens at once, so that a taken port fails here, not when the service is ready.
        bound.listen(backlog)
    except OSError as error:
        bound.close()
        raise PortTaken(f"{host}:{port} cannot be used: {error.strerror}") from error
    bound.setblocking(False)
    return bound


def url_of(host: str, port: int, scheme: str = "http") -> str:
    """Return the URL of a listener on `host` and `port`, from this machine."""
    if host in {"0.0.0.0", "::", ""}:  # noqa: S104  replaced, so that it is never advertised
        host = "127.0.0.1"
    return f"{scheme}://[{host}]:{port}" if ":" in host else f"{scheme}://{host}:{port}"


class TlsServer(uvicorn.Server):
    """uvicorn's server, which listens with TLS if `tls` is set, with limits on handshakes."""

    def __init__(self, config: uvicorn.Config, tls: ssl.SSLContext | None) -> None:
        super().__init__(config)
        self._tls = tls

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start listening."""
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
            # Has the methods of an asyncio server that uvicorn uses.
            TlsListener(listener, self._tls, make, protocol.limits, protocol.counts)  # type: ignore[misc]
            for listener in sockets
        ]


class _DrainingServer(TlsServer):
    """Announces itself once it is ready, and drains the service before it closes."""

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
        """Start listening, then log and announce the URL."""
        await super().startup(sockets)
        logger.info(
            "listening",
            url=self._url,
            cards=self._service.card_urls(self._url),
            loop=_LOOPS.__name__,
        )
        if self._announce:
            cards = self._service.card_urls(self._url, with_capability=True)
            ready = {"url": self._url, "cards": cards}
            sys.stdout.write(orjson.dumps(ready).decode() + "\n")
            sys.stdout.flush()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Drain at the first signal, exit at once at the second."""
        if self.started and not self._service.is_draining:
            self._service.is_draining = True
        else:
            super().handle_exit(sig, frame)

    async def on_tick(self, counter: int) -> bool:
        """Start draining after a signal, end after a failure; uvicorn calls it every 0.1 s."""
        if self._service.failure is not None:
            return True
        if self._service.is_draining and self._draining is None:
            logger.info("shutting_down", url=self._url)
            self._draining = asyncio.create_task(self._drain())
        return await super().on_tick(counter)

    async def _drain(self) -> None:
        try:
            await self._service.finish()
        except Exception:
            # The process ends in any case.
            logger.exception("drain_failed")
        self.should_exit = True


def server_config(
    app: ASGIApp,
    limits: ServerLimits | None,
    registry: CollectorRegistry,
    websockets: WebSocketLimits | None = None,
    front: PlainCallServer | None = None,
) -> uvicorn.Config:
    """WebSockets and `front` need `limits`."""
    protocol: type[asyncio.Protocol] | Literal["httptools"] = "httptools"
    # Without limits, a WebSocket request would switch to a protocol without limits and counts, if a
    # WebSocket library is installed.
    websocket: type[asyncio.Protocol] | Literal["none"] = "none"
    if limits is not None:
        counts = Connections(limits)
        registry.register(counts)
        protocol = protocol_of(limits, counts, front)
        if websockets is not None:
            upgrading = _upgrading(limits, websockets, counts, front)
            protocol, websocket = upgrading, upgrading.websocket
    times = websockets or WebSocketLimits()
    return uvicorn.Config(
        app,
        http=protocol,
        ws=websocket,
        ws_max_size=times.message_bytes,
        ws_ping_interval=times.ping.total_seconds(),
        ws_ping_timeout=times.pong.total_seconds(),
        ws_per_message_deflate=False,  # a message of 1 KiB would unpack to 64
        loop="none",  # `serve` makes the loop
        lifespan="off",  # `Service.running` is used instead, so that errors are reported
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,  # the public URL is a setting, not an untrusted header
        backlog=(limits or DEFAULT_LIMITS).backlog,
        timeout_keep_alive=_KEEPALIVE_S,
        timeout_graceful_shutdown=_CLOSING_S,
    )


def _upgrading(
    limits: ServerLimits,
    websockets: WebSocketLimits,
    counts: Connections,
    front: PlainCallServer | None,
) -> "type[UpgradingProtocol]":
    """Return the protocol class of a process that has WebSockets."""
    # Imported lazily: most processes do not need it.
    from casino_agentkit.server.websocket_connection import (  # noqa: PLC0415
        upgrading_protocol_of,
    )

    return upgrading_protocol_of(limits, websockets, counts, front)


@asynccontextmanager
async def _grpc(
    service: Service, host: str, listener: GrpcListener | None, limits: ServerLimits
) -> AsyncIterator[None]:
    """Serve gRPC within the block. Raises PortTaken, InvalidSettings."""
    if listener is None:
        yield
        return
    try:
        # Imported lazily: most processes do not need it.
        from casino_agentkit.server.grpc_server import GrpcServer  # noqa: PLC0415
    except ImportError as error:
        hint = installation_hint("grpc")
        raise InvalidSettings(f"gRPC is not installed: {hint} (or unset GRPC_PORT)") from error
    server = GrpcServer(service.served, limits)
    service.grpc_port = await server.start(host, listener)
    logger.info("listening_for_grpc", port=service.grpc_port)
    try:
        yield
    finally:
        await server.stop(_CLOSING_S)


def serve(  # noqa: PLR0913  all but three have defaults
    build: Callable[[str], Service],
    *,
    host: str,
    port: int,
    public_url: str | None = None,
    supervised: bool = False,
    inherited: int | None = None,
    orphan_grace: timedelta = GRACE,
    limits: ServerLimits | None = DEFAULT_LIMITS,
    tls: ssl.SSLContext | None = None,
    grpc: GrpcListener | None = None,
) -> None:
    """Listen, build the service and run it until a signal.

    `build` is the composition root; its argument is the URL at which others reach the process.
    A supervised process ends with its parent, within `orphan_grace`, and announces itself by one
    JSON line on standard output once it is ready: `{"url": …, "cards": […]}`.
    `inherited` is the descriptor of a socket that listens already, in place of `host` and `port`.
    `limits` are lowered to fit the limit of open files, which is raised first; None: no limits.
    With `tls`, it listens with TLS only. With `grpc`, gRPC is served too, on a port of its own.
    Raises PortTaken, InvalidSettings if gRPC cannot be served, and any error of `build`, of the
    service's start, or that it reports as its `failure`.
    """
    forgo_tracing()
    if supervised:
        exit_with_parent(orphan_grace)
    descriptors = raise_descriptor_limit()
    if limits is not None:
        limits = limits.within(descriptors)
    if inherited is None:
        listener = bind(host, port, (limits or DEFAULT_LIMITS).backlog)
    else:
        listener = socket.socket(fileno=inherited)
    scheme = "http" if tls is None else "https"
    url = (public_url or url_of(host, listener.getsockname()[1], scheme)).rstrip("/")
    if tls is None and (
        warning := clear_text_warning(host, public_url, is_local=is_loopback(host))
    ):
        logger.warning("no_tls", message=warning)
    service = build(url)
    app = service.asgi()
    config = server_config(app, limits, service.registry, service.websockets, service.front)
    server = _DrainingServer(config, tls, service, url, announce=supervised)
    if grpc is not None and tls is not None and grpc.certificate is None:
        raise InvalidSettings("gRPC needs the certificate and the key of the process, too")

    async def run() -> None:
        async with service.running(), _grpc(service, host, grpc, limits or DEFAULT_LIMITS):
            await server.serve(sockets=[listener])
        if service.failure is not None:
            raise service.failure

    with asyncio.Runner(loop_factory=_LOOPS.new_event_loop) as runner:
        runner.run(run())
