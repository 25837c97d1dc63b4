"""Limits the number of open streams, in total and per client address."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple

from casino_agentkit.network import network_of
from starlette.requests import Request

from casino_lobby.access.operator import Operator, is_of_casino
from casino_lobby.metrics import LobbyMetrics, StreamCap
from casino_lobby.problems.problem import Problem, ProblemType

_RETRY_AFTER_S = 5
_OPERATOR_SHARE = 10
"""One in this many streams is reserved for the operator."""


@dataclass(frozen=True)
class StreamLimits:
    """Limits of streams.

    `clients` is the maximum of open streams; one in ten is reserved for the operator, if there is
    one. `heartbeat` is the interval of heartbeat comments on an idle stream. `send_timeout` is the
    time after which a client that reads nothing is disconnected. `per_address` is the maximum per
    address (0: no limit), not counting the operator's.
    """

    clients: int
    heartbeat: timedelta
    send_timeout: timedelta
    per_address: int = 20


class Client(NamedTuple):
    """The network address of a client, and whether it has a key of the casino."""

    address: str
    is_operator: bool


class StreamPlaces:
    """Counts the open streams and enforces their limits."""

    def __init__(self, limits: StreamLimits, operator: Operator, metrics: LobbyMetrics) -> None:
        self._limits = limits
        self._operator = operator
        self._metrics = metrics
        self._count = self._public_count = 0
        self._by_address: Counter[str] = Counter()

    def client(self, request: Request) -> Client:
        """Return the client of a request; without a valid key it is not the operator."""
        address = network_of(request.client.host if request.client else "")
        return Client(address, is_operator=is_of_casino(request, self._operator))

    def refuse_beyond(self, client: Client) -> None:
        """Raise Problem if the client may not open another stream."""
        maximum = self._limits.clients
        if self._count >= maximum:
            raise self._too_many("lobby", f"{maximum} streams are open, the maximum of this lobby")
        if client.is_operator:
            return
        if self._operator.is_known:
            maximum -= maximum // _OPERATOR_SHARE
        if self._public_count >= maximum:
            raise self._too_many(
                "lobby",
                f"{maximum} streams are open, the maximum without the operator's key",
            )
        per_address = self._limits.per_address
        if per_address and self._by_address[client.address] >= per_address:
            raise self._too_many(
                "address",
                f"this address has {per_address} open streams, the maximum"
                " (CASINO_LOBBY_STREAMS_PER_ADDRESS)",
            )

    @contextmanager
    def held(self, client: Client) -> Iterator[None]:
        """Count a stream while it is open."""
        increment = int(not client.is_operator)
        self._count += 1
        self._public_count += increment
        self._by_address[client.address] += increment
        try:
            yield
        finally:
            self._count -= 1
            self._public_count -= increment
            self._by_address[client.address] -= increment
            if not self._by_address[client.address]:
                del self._by_address[client.address]

    def _too_many(self, cap: StreamCap, cause: str) -> Problem:
        self._metrics.stream_refused[cap].inc()
        return Problem(
            ProblemType.TOO_MANY_STREAMS,
            f"{cause}; close one, or try again later.",
            headers={"Retry-After": str(_RETRY_AFTER_S)},
        )
