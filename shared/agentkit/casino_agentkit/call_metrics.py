"""Prometheus metrics of typed calls, and the `/metrics` page.

Labels are the skills of the process's agents and fixed outcomes, never text of a caller, so that
callers cannot create new time series.
"""

import time
from bisect import bisect_left
from collections.abc import Callable, Iterable
from itertools import accumulate
from typing import Literal, get_args

from prometheus_client import CollectorRegistry, disable_created_metrics, generate_latest
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from typing_extensions import override

CallOutcome = Literal["ok", "refused", "invalid", "failed"]
"""`refused`: a command not possible now; `invalid`: an input that violates the schema; `failed`:
an internal error, or a caller that disconnected."""

METRICS_PATH = "/metrics"
_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_BOUNDS = (*map(floatToGoString, _BUCKETS), "+Inf")


class _Skill:
    """The calls of one skill."""

    __slots__ = ("by_bucket", "by_outcome", "seconds")

    def __init__(self) -> None:
        self.by_outcome: dict[CallOutcome, int] = dict.fromkeys(get_args(CallOutcome), 0)
        self.by_bucket = [0] * len(_BOUNDS)
        """Calls by the first bound that their duration does not exceed."""
        self.seconds = 0.0


class CallMetrics(Collector):
    """Counts and times typed calls by skill; `clock` returns seconds.

    Plain numbers of the event loop's thread: counters of the library lock at every increment.

    >>> calls = CallMetrics(CollectorRegistry())
    >>> calls.know(["act"])
    >>> calls.count("act", "ok", 0.002)
    """

    def __init__(
        self, registry: CollectorRegistry, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        self.clock = clock
        self._skills: dict[str, _Skill] = {}
        registry.register(self)

    def know(self, skills: Iterable[str]) -> None:
        """Create the metrics of these skills, starting at 0."""
        for skill in skills:
            self._skills.setdefault(skill, _Skill())

    def count(self, skill: str, outcome: CallOutcome, seconds: float) -> None:
        calls = self._skills[skill]
        calls.by_outcome[outcome] += 1
        calls.by_bucket[bisect_left(_BUCKETS, seconds)] += 1
        calls.seconds += seconds

    @override
    def collect(self) -> Iterable[CounterMetricFamily | HistogramMetricFamily]:
        counted = CounterMetricFamily(
            "agent_calls",
            "Typed calls by skill and outcome (ok, refused, invalid, failed).",
            labels=["skill", "outcome"],
        )
        durations = HistogramMetricFamily(
            "agent_call_seconds",
            "How long a typed call took, from its input to its output.",
            labels=["skill"],
        )
        for skill, calls in self._skills.items():
            for outcome, count in calls.by_outcome.items():
                counted.add_metric([skill, outcome], count)
            buckets = list(zip(_BOUNDS, accumulate(calls.by_bucket), strict=True))
            durations.add_metric([skill], buckets, calls.seconds)
        yield counted
        yield durations


def metrics_route(registry: CollectorRegistry) -> Route:
    # Otherwise each counter also exports the time of its creation.
    disable_created_metrics()  # type: ignore[no-untyped-call]

    async def metrics(_request: Request) -> Response:
        return Response(generate_latest(registry), media_type=CONTENT_TYPE_PLAIN_0_0_4)

    return Route(METRICS_PATH, metrics, methods=["GET"])
