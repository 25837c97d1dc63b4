"""Metrics of a table process: decisions, hands, event delivery, table status.

No label is input of a caller, and no value depends on hidden cards.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple, get_args

from casino_contracts import Outcome
from casino_play.decision import Decision
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)

Status = Literal["free", "waiting", "running", "idle", "error"]
"""The status of a table, or `free` if none is configured."""


class TableGauges(NamedTuple):
    """The current gauge values of one table agent."""

    status: Status
    chips: float = 0
    """The sum of all stacks, as a wire amount."""
    undelivered: int = 0
    """Events that the lobby has not confirmed."""
    has_lease: bool = True
    """Whether the table may ask players: False while it waits for its lobby."""


class TableMetrics:
    """The metrics of one process, in its registry."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._registry = registry
        decisions = Counter(
            "casino_decisions",
            "Decisions by outcome: ok and retried are the player's own.",
            ["outcome"],
            registry=registry,
        )
        self._decisions = {outcome: decisions.labels(outcome) for outcome in get_args(Outcome)}
        self._seconds = Histogram(
            "casino_decision_seconds",
            "Seconds until a player's decision, retries included.",
            buckets=_BUCKETS,
            registry=registry,
        )
        self._hands = Counter("casino_hands", "Completed hands.", registry=registry)
        self._redeliveries = Counter(
            "casino_event_redeliveries",
            "Events that were sent to the lobby more than once.",
            registry=registry,
        )

    def decided(self, decision: Decision) -> None:
        """Count a decision; its latency only if somebody was asked."""
        self._decisions[decision.outcome].inc()
        if decision.latency and decision.outcome != "away":
            self._seconds.observe(decision.latency.total_seconds())

    def hand_completed(self) -> None:
        """Count a completed hand."""
        self._hands.inc()

    def redelivered(self, events: int) -> None:
        """Count events that were sent to the lobby before."""
        self._redeliveries.inc(events)

    def watch(self, tables: Sequence[Callable[[], TableGauges]]) -> None:
        """Register gauges of tables, which are read on each scrape."""

        def total(of: Callable[[Iterable[TableGauges]], float]) -> Callable[[], float]:
            return lambda: of(gauges() for gauges in tables)

        Gauge(
            "casino_events_undelivered",
            "Events that the lobby has not confirmed.",
            registry=self._registry,
        ).set_function(total(lambda gauges: sum(gauge.undelivered for gauge in gauges)))
        Gauge(
            "casino_tables_awaiting_lobby",
            "Tables of this process whose lease is over: they ask no player until the lobby answers"
            " an announcement.",
            registry=self._registry,
        ).set_function(total(lambda gauges: sum(not gauge.has_lease for gauge in gauges)))
        Gauge(
            "casino_chips_in_play",
            "The sum of all stacks at the tables of this process, as wire amounts.",
            registry=self._registry,
        ).set_function(total(lambda gauges: sum(gauge.chips for gauge in gauges)))
        by_status = Gauge(
            "casino_tables",
            "Table agents of this process by status; free ones have no room.",
            ["status"],
            registry=self._registry,
        )
        for status in get_args(Status):
            by_status.labels(status).set_function(_counting(status, tables))


def _counting(status: Status, tables: Sequence[Callable[[], TableGauges]]) -> Callable[[], float]:
    return lambda: sum(gauges().status == status for gauges in tables)
