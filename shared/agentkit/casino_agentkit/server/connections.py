"""Open connections of a server: counted, capped in total and by address, and closed with an answer.

Garbage is collected for every so many bytes that are taken in. The collector of Python counts
objects, and a few objects in a reference cycle may keep a body each: bodies would fill the memory
long before objects are many.
"""

import gc
import time
from collections import Counter
from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Final, Literal, get_args

import orjson
import structlog
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector
from typing_extensions import override

from casino_agentkit.network import network_of
from casino_agentkit.server.server_limits import ServerLimits

EVERY_BYTES: Final = 8 * 1024 * 1024


def _collect_young() -> None:
    # Not the oldest generation: walking over everything that a process keeps would stop it.
    gc.collect(1)


class Collection:
    """Calls `collect` whenever `every_bytes` more were taken in."""

    def __init__(
        self, collect: Callable[[], object] = _collect_young, every_bytes: int = EVERY_BYTES
    ) -> None:
        self._collect = collect
        self._every_bytes = self._left = every_bytes

    def take(self, size: int) -> None:
        self._left -= size
        if self._left <= 0:
            self._left = self._every_bytes
            self._collect()


Cut = Literal[
    "handshake", "silent", "slow_head", "large_head", "slow_body", "large_body", "pipelined",
    "unread", "large_message", "bad_message", "no_pong",
]  # fmt: skip
"""Why the server closed an accepted connection."""
Cap = Literal["address", "server"]
"""The cap that a new connection exceeds: that of its address, or that of the process."""

_THIS_MACHINE = frozenset(map(network_of, ("127.0.0.1", "::1")))
_LINE_EVERY_S = 10.0
"""Minimum interval of log lines on refused connections; one per refusal would be too many."""

logger = structlog.get_logger(__name__)


class Connections(Collector):
    """Counts and caps open connections; `clock` is in seconds, `collection` counts bytes."""

    def __init__(
        self,
        limits: ServerLimits,
        clock: Callable[[], float] = time.monotonic,
        collection: Collection | None = None,
    ) -> None:
        self.collection = collection or Collection()
        self._limits = limits
        self._clock = clock
        self._open: Counter[str] = Counter()
        self._total = 0
        self._refused: Counter[str] = Counter(dict.fromkeys(get_args(Cap), 0))
        self._cut: Counter[str] = Counter(dict.fromkeys(get_args(Cut), 0))
        self._not_logged = 0
        self._logged_at = float("-inf")

    def enter(self, network: str) -> bool:
        """Count a new connection of a network (see `network_of`); False if it exceeds a cap."""
        limits = self._limits
        is_local = network in _THIS_MACHINE
        most = limits.connections + limits.for_health * is_local
        most_of_one = (
            int(limits.connections * limits.loopback_share) if is_local else limits.per_address
        )
        if self._total >= most:
            return self._refuse(network, "server")
        if self._open[network] >= most_of_one:
            return self._refuse(network, "address")
        self._total += 1
        self._open[network] += 1
        return True

    def leave(self, network: str) -> None:
        self._total -= 1
        self._open[network] -= 1
        if not self._open[network]:
            del self._open[network]

    def cut(self, reason: Cut) -> None:
        self._cut[reason] += 1

    @override
    def collect(self) -> Iterable[GaugeMetricFamily | CounterMetricFamily]:
        yield GaugeMetricFamily("agent_connections", "Open connections.", value=self._total)
        refused = CounterMetricFamily(
            "agent_connections_refused",
            "New connections over a cap: of their address, or of the process (server).",
            labels=["cap"],
        )
        for cap, count in self._refused.items():
            refused.add_metric([cap], count)
        yield refused
        cut = CounterMetricFamily(
            "agent_connections_cut",
            "Connections that were closed for what their client sent, or did not send or read.",
            labels=["reason"],
        )
        for reason, count in self._cut.items():
            cut.add_metric([reason], count)
        yield cut

    def _refuse(self, network: str, cap: Cap) -> bool:
        if not self._open[network]:
            del self._open[network]  # the look-up created the entry
        self._refused[cap] += 1
        self._not_logged += 1
        now = self._clock()
        if now - self._logged_at >= _LINE_EVERY_S:
            logger.warning("connections_refused", count=self._not_logged, cap=cap, address=network)
            self._not_logged, self._logged_at = 0, now
        return False


def closing_response(status: HTTPStatus, detail: str) -> bytes:
    problem = orjson.dumps(
        {"type": "about:blank", "title": status.phrase, "status": status, "detail": detail}
    )
    later = b"retry-after: 5\r\n" if status is HTTPStatus.SERVICE_UNAVAILABLE else b""
    return (
        b"HTTP/1.1 %d %s\r\ncontent-type: application/problem+json\r\ncontent-length: %d\r\n"
        b"connection: close\r\n%s\r\n%s"
    ) % (status, status.phrase.encode(), len(problem), later, problem)


TOO_MANY_CONNECTIONS = closing_response(
    HTTPStatus.SERVICE_UNAVAILABLE,
    "Too many connections are open, in total or from your address; close some, or retry later.",
)
BAD_UPGRADE = closing_response(
    HTTPStatus.BAD_REQUEST,
    "The request for a WebSocket cannot be read: send GET with Sec-WebSocket-Key and"
    " Sec-WebSocket-Version: 13 (RFC 6455, section 4.1).",
)
RESPONSES: dict[Cut, bytes] = {
    "slow_head": closing_response(
        HTTPStatus.REQUEST_TIMEOUT, "The request's headers took too long."
    ),
    "large_head": closing_response(
        HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "The request's URL and headers are too large."
    ),
    "slow_body": closing_response(HTTPStatus.REQUEST_TIMEOUT, "The request's body took too long."),
    "large_body": closing_response(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "The request's body takes too many bytes to send."
    ),
}
