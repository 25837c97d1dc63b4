"""Prometheus metrics of typed calls, and the `/metrics` page.

Labels are the skills of the process's agents and fixed outcomes, never text of a caller, so that
callers cannot create new time series.
"""

import time
from collections.abc import Callable, Iterable
from typing import Literal, get_args

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

CallOutcome = Literal["ok", "refused", "invalid", "failed"]
"""`refused`: a command not possible now; `invalid`: an input that violates the schema; `failed`:
an internal error, or a caller that disconnected."""

METRICS_PATH = "/metrics"
_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class CallMetrics:
    """Counts and times typed calls by skill; `clock` returns seconds.

    >>> calls = CallMetrics(CollectorRegistry())
    >>> calls.know(["act"])
    >>> calls.count("act", "ok", 0.002)
    """

    def __init__(
        self, registry: CollectorRegistry, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        self.clock = clock
        self._calls = Counter(
            "agent_calls",
            "Typed calls by skill and outcome (ok, refused, invalid, failed).",
            ["skill", "outcome"],
            registry=registry,
        )
        self._seconds = Histogram(
            "agent_call_seconds",
            "How long a typed call took, from its input to its output.",
            ["skill"],
            buckets=_BUCKETS,
            registry=registry,
        )
        self._bound: dict[tuple[str, CallOutcome], tuple[Counter, Histogram]] = {}

    def know(self, skills: Iterable[str]) -> None:
        """Create the metrics of these skills, starting at 0."""
        # Created in advance: the look-up of a label costs more than the increment.
        for skill in skills:
            seconds = self._seconds.labels(skill)
            for outcome in get_args(CallOutcome):
                self._bound[skill, outcome] = self._calls.labels(skill, outcome), seconds

    def count(self, skill: str, outcome: CallOutcome, seconds: float) -> None:
        """Record one call of a skill passed to `know` before."""
        calls, durations = self._bound[skill, outcome]
        calls.inc()
        durations.observe(seconds)


def metrics_route(registry: CollectorRegistry) -> Route:
    """Return the route that Prometheus scrapes."""

    async def metrics(_request: Request) -> Response:
        return Response(generate_latest(registry), media_type=CONTENT_TYPE_PLAIN_0_0_4)

    return Route(METRICS_PATH, metrics, methods=["GET"])
