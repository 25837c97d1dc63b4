"""The further processes of a group: start, watch and end them, and answer for their tables.

`ProcessTables` says which tables this process has; `Workers` runs the other processes, `Readiness`
asks whether they are ready, and `OtherTables` sends callers of their tables to them.
"""

import asyncio
import re
import ssl
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, NoReturn
from urllib.parse import urlsplit

import structlog
from casino_agentkit import (
    Agent,
    AgentError,
    Child,
    ChildFailed,
    HttpTransport,
    KitReason,
    PortTaken,
    Transport,
)
from casino_agentkit.bounded_state import LruDict
from casino_agentkit.protocol import JSON
from casino_agentkit.server.card_page import CardPage
from casino_agentkit.server.page_files import conditional_response, entity_tag
from casino_agentkit.server.served_agents import CARDS
from casino_agentkit.server.service_app import READY_PATH
from casino_agentkit.server.serving import url_of
from casino_play.turn import Clock
from prometheus_client import CollectorRegistry, Gauge
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Match, NoMatchFound
from starlette.types import Receive, Scope, Send

from casino_table.process_group import TableGroup, TableShare
from casino_table.settings import TableSettings

MODULE: Final = "casino_table"
_READY_WITHIN: Final = timedelta(minutes=5)
"""Before a process is ready it reads its journals; the first one has no limit either."""
_AFTER_DRAIN: Final = timedelta(seconds=30)
"""How much longer than its hands a process may take to end: it delivers events, says goodbye."""
_EVERY_S: Final = 1.0
_TIMEOUT_S: Final = 2.0
_READY: Final = 200
_PATH: Final = re.compile(r"/tables/([1-9][0-9]{0,3})((?:/.*)?)", re.DOTALL)
_HOST: Final = re.compile(r"(?:([A-Za-z0-9._-]+)|\[([0-9A-Fa-f:.]+)\])(?::[0-9]{1,5})?")
_READING: Final = frozenset({"GET", "HEAD"})
_PAGES: Final = 64
"""Tables whose cards are kept."""

logger = structlog.get_logger(__name__)


class Workers:
    """The processes of a group after the first one, in which this object is.

    A process that ends by itself ends the group: its tables would be missing. `environment` is that
    of the first process; `write_log` gets each line that the others log.
    """

    def __init__(
        self, group: TableGroup, environment: Mapping[str, str], write_log: Callable[[str], None]
    ) -> None:
        self.group = group
        self._environment = environment
        self._write_log = write_log
        self._children: dict[int, Child] = {}
        self._ends: dict[asyncio.Task[int], Child] = {}

    @property
    def numbers(self) -> range:
        return range(2, self.group.processes + 1)

    async def start(self, slot: str) -> None:
        """Start all, wait until they are ready. Raises ChildFailed, PortTaken; none runs then."""
        starting = [asyncio.create_task(self._start(number, slot)) for number in self.numbers]
        try:
            await asyncio.gather(*starting)
        except BaseException:
            for task in starting:
                task.cancel()
            await asyncio.wait(starting)
            await self.kill()
            raise
        self._ends = {asyncio.create_task(child.wait()): child for child in self._children.values()}

    async def _start(self, number: int, slot: str) -> None:
        group, prefix = self.group, self.group.settings.prefix
        try:
            self._children[number] = await Child.start(
                _name(number, group.processes),
                MODULE,
                group.arguments(number, slot),
                environment=group.environment(number, self._environment),
                timeout=_READY_WITHIN,
                on_log=self._write_log,
            )
        except ChildFailed as failed:
            if failed.reason == KitReason.PORT_TAKEN:
                raise PortTaken(
                    f"{failed}: free that port, choose another {prefix}PORT, from which processes"
                    f" count up, or set {prefix}PROCESSES=1"
                ) from failed
            raise

    async def watch(self, fail: Callable[[Exception], None]) -> None:
        """Wait for an early end of a process, kill the others, and call `fail` with ChildFailed."""
        done, _ = await asyncio.wait(self._ends, return_when=asyncio.FIRST_COMPLETED)
        child = self._ends[done.pop()]
        logger.error("table_process_ended", name=child.name, code=child.exit_code)
        await self.kill()
        last = f"; its last line is: {child.log[-1]}" if child.log else ""
        fault = f"ended with code {child.exit_code}, which ends all{last}"
        fail(ChildFailed(child.name, fault, child.log))

    async def drain(self) -> None:
        """Ask all processes to end in order, and kill those that take too long."""
        grace = self.group.settings.drain_timeout + _AFTER_DRAIN
        await asyncio.gather(*(child.stop(grace) for child in self._children.values()))

    async def kill(self) -> None:
        await asyncio.gather(*(child.kill() for child in self._children.values()))

    def all_cards(self, own: Iterable[str]) -> list[str]:
        """Return the card URLs of all tables by their numbers, from those of the first process."""
        cards = dict(zip(self.group.share(1).numbers, own, strict=True))
        for number, child in self._children.items():
            cards |= zip(self.group.share(number).numbers, child.cards, strict=True)
        return [card for _, card in sorted(cards.items())]

    def port(self, number: int) -> int:
        """Return the port on which a process listens, also if it took a free one."""
        return self.group.port(number) or urlsplit(self._children[number].url).port or 0

    def local_url(self, number: int) -> str:
        settings = self.group.settings
        scheme = "http" if settings.tls_cert is None else "https"
        return url_of(settings.host, self.port(number), scheme)


def _name(number: int, processes: int) -> str:
    return f"table process {number} of {processes}"


class Readiness:
    """What the other processes of a group answered last; ready when they have started."""

    def __init__(
        self, workers: Workers, transport: Transport, clock: Clock, registry: CollectorRegistry
    ) -> None:
        self._workers = workers
        self._transport = transport
        self._clock = clock
        self._is_ready = dict.fromkeys(workers.numbers, True)
        self._gauge = Gauge(
            "casino_table_process_ready",
            "Whether another process of this group is ready; its metrics are at its own address.",
            ["url"],
            registry=registry,
        )

    def checks(self) -> dict[str, bool]:
        return {f"table process {number}": ready for number, ready in self._is_ready.items()}

    async def watch(self) -> NoReturn:
        while True:
            await asyncio.gather(*map(self._ask, self._workers.numbers))
            await self._clock.sleep(_EVERY_S)

    async def close(self) -> None:
        await self._transport.close()

    async def _ask(self, number: int) -> None:
        url = self._workers.local_url(number)
        try:
            reply = await self._transport.send("GET", url + READY_PATH, {}, b"", _TIMEOUT_S)
            is_ready, reason = reply.status == _READY, f"HTTP status {reply.status}"
        except AgentError as error:
            is_ready, reason = False, str(error)
        if is_ready != self._is_ready[number]:
            level = logger.info if is_ready else logger.warning
            level("table_process_readiness", process=number, ready=is_ready, reason=reason)
        self._is_ready[number] = is_ready
        self._gauge.labels(url).set(is_ready)


class OtherTables(BaseRoute):
    """The tables of the other processes, at their paths below the first process.

    `agent` is one of the first process: all tables have the same card, but for name and address.
    """

    def __init__(self, workers: Workers, agent: Agent) -> None:
        self._workers = workers
        self._group = workers.group
        self._share = workers.group.share(1)
        self._agent = agent
        self._pages = LruDict[int, CardPage](_PAGES)

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        is_match = scope["type"] == "http" and self._table(scope["path"])[0] > 0
        return (Match.FULL if is_match else Match.NONE), {}

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        table, rest = self._table(scope["path"])
        request = Request(scope, receive)
        origin = self._origin(request, self._share.holder(table) or 1)
        if origin is None:
            response: Response = PlainTextResponse("the Host header is not a valid host", 400)
        elif rest in CARDS and request.method in _READING:
            response = self._card(request, table, origin)
        else:
            target = scope["raw_path"] + (b"?" + scope["query_string"]).removesuffix(b"?")
            response = RedirectResponse(
                origin + target.decode("latin-1"), headers={"cache-control": "no-store"}
            )
        await response(scope, receive, send)

    def url_path_for(self, name: str, /, **path_params: object) -> NoReturn:
        """Raise NoMatchFound: the routes have no names."""
        raise NoMatchFound(name, path_params)

    def _table(self, path: str) -> tuple[int, str]:
        """Return the number of such a table in a path, and what follows; 0 if there is none."""
        match = _PATH.fullmatch(path)
        table = int(match[1]) if match else 0
        if match is None or self._share.holder(table) in {None, self._share.process}:
            return 0, ""
        return table, match[2]

    def _origin(self, request: Request, process: int) -> str | None:
        """Return the address of a process for a caller; None without a valid Host header."""
        if public_url := self._group.public_url(process):
            return public_url
        host = _HOST.fullmatch(request.headers.get("host", ""))
        if host is None:
            return None
        return url_of(host[1] or host[2], self._workers.port(process), request.url.scheme)

    def _card(self, request: Request, table: int, origin: str) -> Response:
        page = self._pages.get(table)
        if page is None:
            page = self._page(table)
            self._pages.put(table, page)
        body = page.card(origin)
        headers = {"cache-control": "public, max-age=60", "vary": "host"}
        return conditional_response(
            request, body, entity_tag(body), media_type=JSON, headers=headers
        )

    def _page(self, table: int) -> CardPage:
        agent = copy(self._agent)
        agent.name = self._share.name(table, self._group.settings.name)
        process = self._share.holder(table) or 1
        return CardPage(
            agent,
            self._share.path(table),
            None,
            a2a_03=self._group.settings.a2a_03,
            grpc_port=lambda: self._group.grpc_port(process),
        )


def local_transport(settings: TableSettings) -> HttpTransport:
    """Return a transport to the other processes, which trusts their own certificate only.

    Its name is not checked: it is that of the public address, and they are called on this machine.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    if settings.tls_cert is not None:
        context.load_verify_locations(settings.tls_cert)
    return HttpTransport(tls=context)


@dataclass(frozen=True)
class ProcessTables:
    """A process's tables and journal slot; the first (slot "") starts the others."""

    share: TableShare
    slot: str = ""
    workers: Workers | None = None
