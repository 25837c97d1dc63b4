"""Prometheus metrics of the service of matches."""

from collections.abc import Callable
from typing import Literal, get_args

from prometheus_client import CollectorRegistry, Counter, Gauge

EndStatus = Literal["suspended", "complete", "failed"]
"""The status of a match after a run."""


class MatchMetrics:
    """The service's own metrics. No label is input of a caller."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._registry = registry
        self._decks = Counter("casino_match_decks", "Decks that were played.", registry=registry)
        ended = Counter(
            "casino_match_runs",
            "Runs of matches that ended, by the status of the match then.",
            ["status"],
            registry=registry,
        )
        self._ended = {status: ended.labels(status) for status in get_args(EndStatus)}

    def played(self, decks: int) -> None:
        """Count decks."""
        self._decks.inc(decks)

    def ended(self, status: EndStatus) -> None:
        """Count a run."""
        self._ended[status].inc()

    def watch(self, running: Callable[[], int], queued: Callable[[], int]) -> None:
        """Register gauges, which are read on each scrape."""
        Gauge(
            "casino_match_running", "Matches that are played.", registry=self._registry
        ).set_function(running)
        Gauge(
            "casino_match_queued", "Matches that wait for others.", registry=self._registry
        ).set_function(queued)
