"""Whether the other processes of a group are ready, asked every second."""

import asyncio
import ssl
from typing import Final, NoReturn

import structlog
from casino_agentkit import AgentError, HttpTransport, Transport
from casino_agentkit.server.app import READY_PATH
from casino_play.turn import Clock
from prometheus_client import CollectorRegistry, Gauge

from casino_table.processes.workers import Workers
from casino_table.settings import TableSettings

_EVERY_S: Final = 1.0
_TIMEOUT_S: Final = 2.0
_READY: Final = 200

logger = structlog.get_logger(__name__)


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
        """Return the readiness checks of the first process."""
        return {f"table process {number}": ready for number, ready in self._is_ready.items()}

    async def watch(self) -> NoReturn:
        """Ask until cancelled."""
        while True:
            await asyncio.gather(*map(self._ask, self._workers.numbers))
            await self._clock.sleep(_EVERY_S)

    async def close(self) -> None:
        """Close all connections."""
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
