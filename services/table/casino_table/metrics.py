"""What a table process counts: decisions, hands, the way of its events, and how its tables stand.

No label is a word of a caller, and nothing here follows from a card.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple, get_args

from casino_contracts import Outcome
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from casino_table.decisions.turn import Decision

_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)

Status = Literal["free", "waiting", "running", "idle", "error"]
"""That of a table, or `free` where none is configured."""


class TableGauges(NamedTuple):
    """How a table agent stands at the moment."""

    status: Status
    chips: float = 0
    """All stacks, in the amounts of the wire."""
    undelivered: int = 0
    """Events that the lobby has not confirmed."""


class TableMetrics:
    """The counts of one process, in its registry."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._registry = registry
        decisions = Counter(
            "casino_decisions",
            "Decisions by how they came: ok and retried are the player's own.",
            ["outcome"],
            registry=registry,
        )
        self._decisions = {outcome: decisions.labels(outcome) for outcome in get_args(Outcome)}
        self._seconds = Histogram(
            "casino_decision_seconds",
            "How long a player who was asked took, retries included.",
            buckets=_BUCKETS,
            registry=registry,
        )
        self._hands = Counter("casino_hands", "Hands that were completed.", registry=registry)
        self._redeliveries = Counter(
            "casino_event_redeliveries",
            "Events that were sent to the lobby again.",
            registry=registry,
        )

    def decided(self, decision: Decision) -> None:
        """Count a decision; who sits out was not asked, and is not timed."""
        self._decisions[decision.outcome].inc()
        if decision.latency:
            self._seconds.observe(decision.latency.total_seconds())

    def hand_completed(self) -> None:
        """Count a hand."""
        self._hands.inc()

    def sent_again(self, events: int) -> None:
        """Count events that went to the lobby before."""
        self._redeliveries.inc(events)

    def watch(self, tables: Sequence[Callable[[], TableGauges]]) -> None:
        """Tell from now on how tables stand, read when somebody looks."""

        def total(of: Callable[[Iterable[TableGauges]], float]) -> Callable[[], float]:
            return lambda: of(gauges() for gauges in tables)

        Gauge(
            "casino_events_undelivered",
            "Events that wait for the lobby.",
            registry=self._registry,
        ).set_function(total(lambda gauges: sum(one.undelivered for one in gauges)))
        Gauge(
            "casino_chips_in_play",
            "All stacks at this process's tables, in the amounts of the wire.",
            registry=self._registry,
        ).set_function(total(lambda gauges: sum(one.chips for one in gauges)))
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
