"""Who may open a stream: the places of all, those of one address, those of the operator."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple

from casino_agentkit.server.client_network import network_of
from starlette.requests import Request

from casino_lobby.access.operator import Operator, is_of_operator
from casino_lobby.metrics import LobbyMetrics, StreamCap
from casino_lobby.problems.problem import Problem, ProblemType

_RETRY_AFTER_S = 5
_OPERATORS_PART = 10
"""One place of so many is the operator's."""


@dataclass(frozen=True)
class StreamLimits:
    """What streams may cost.

    `clients` is the most at a time, one in ten of them the operator's where there is one;
    `heartbeat` how often a quiet one shows that it lives; `send_timeout` how long a client may take
    nothing before it is dropped; `per_address` the most of one address (0: any), where the
    operator's are not counted.
    """

    clients: int
    heartbeat: timedelta
    send_timeout: timedelta
    per_address: int = 20


class Client(NamedTuple):
    """Who follows: the network of an address, and whether it is the operator."""

    address: str
    is_operator: bool


class StreamPlaces:
    """Counts the open streams."""

    def __init__(self, limits: StreamLimits, operator: Operator, metrics: LobbyMetrics) -> None:
        self._limits = limits
        self._operator = operator
        self._metrics = metrics
        self._count = self._public_count = 0
        self._by_address: Counter[str] = Counter()

    def client(self, request: Request) -> Client:
        """Return who asks; whoever shows no key, or a wrong one, is not the operator."""
        address = network_of(request.client.host if request.client else "")
        return Client(address, is_operator=is_of_operator(request, self._operator))

    def refuse_beyond(self, client: Client) -> None:
        """Raise Problem when a client cannot have one more stream."""
        most = self._limits.clients
        if self._count >= most:
            raise self._too_many("lobby", f"{most} streams are open, which is the most here")
        if client.is_operator:
            return
        if self._operator.is_known:
            most -= most // _OPERATORS_PART
        if self._public_count >= most:
            raise self._too_many(
                "lobby", f"{most} streams are open, which is the most for all but the operator"
            )
        of_one = self._limits.per_address
        if of_one and self._by_address[client.address] >= of_one:
            raise self._too_many(
                "address",
                f"{of_one} streams of this address are open, which is the most"
                " (CASINO_LOBBY_STREAMS_PER_ADDRESS)",
            )

    @contextmanager
    def held(self, client: Client) -> Iterator[None]:
        """Count a stream while it is open."""
        of_public = int(not client.is_operator)
        self._count += 1
        self._public_count += of_public
        self._by_address[client.address] += of_public
        try:
            yield
        finally:
            self._count -= 1
            self._public_count -= of_public
            self._by_address[client.address] -= of_public
            if not self._by_address[client.address]:
                del self._by_address[client.address]

    def _too_many(self, cap: StreamCap, told: str) -> Problem:
        self._metrics.stream_refused[cap].inc()
        return Problem(
            ProblemType.TOO_MANY_STREAMS,
            f"{told}; close one, or try again later.",
            headers={"Retry-After": str(_RETRY_AFTER_S)},
        )
