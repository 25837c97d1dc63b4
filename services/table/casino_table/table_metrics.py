"""Metrics of a table process: decisions, hands, event delivery, table status.

No label is input of a caller, and no value depends on hidden cards.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from typing import Literal, NamedTuple, get_args

from casino_agentkit.traces import Traces
from casino_contracts import CostSum, Outcome
from casino_contracts.events.content import OTHER_REASON
from casino_contracts.player_messages import DEFAULT_REASONS
from casino_play.turn import Decision
from prometheus_client import CollectorRegistry, Gauge
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString

_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
_BOUNDS = (*map(floatToGoString, _BUCKETS), "+Inf")

Status = Literal["free", "waiting", "running", "idle", "error"]
"""The status of a table, or `free` if none is configured."""


BlockOutcome = Literal["contributed", "missing", "none"]
"""What came of the contributions to a block of hands; none: nobody wanted a part."""


class TableGauges(NamedTuple):
    """The current gauge values of one table agent."""

    status: Status
    chips: float = 0
    """The sum of all stacks, as a wire amount."""
    undelivered: int = 0
    """Events that the lobby has not confirmed."""
    has_lease: bool = True
    """Whether the table may ask players: False while it waits for its lobby."""


class TableMetrics(Collector):
    """A process's metrics, as plain numbers of its loop: the library's counters take locks.

    `traces` are those of the process, None if it has none.
    """

    def __init__(self, registry: CollectorRegistry, traces: Traces | None = None) -> None:
        self.traces = traces
        self._registry = registry
        self._decisions: dict[Outcome, int] = dict.fromkeys(get_args(Outcome), 0)
        self._defaults = dict.fromkeys((*DEFAULT_REASONS, OTHER_REASON), 0)
        self._costs = CostSum()
        self._by_bucket = [0] * len(_BOUNDS)
        """Decisions by the first bound that their time does not exceed."""
        self._seconds = 0.0
        self._hands = self._redeliveries = 0
        self._blocks: dict[BlockOutcome, int] = dict.fromkeys(get_args(BlockOutcome), 0)
        registry.register(self)

    def decided(self, decision: Decision) -> None:
        self._decisions[decision.outcome] += 1
        if decision.defaulted is not None:
            reason = decision.defaulted.reason
            self._defaults[reason if reason in DEFAULT_REASONS else OTHER_REASON] += 1
        if decision.latency and decision.outcome != "away":
            seconds = decision.latency.total_seconds()
            self._by_bucket[bisect_left(_BUCKETS, seconds)] += 1
            self._seconds += seconds

    def hand_completed(self, decisions: Iterable[Decision]) -> None:
        """Count a hand and what its decisions cost, which nobody may know before its end."""
        self._hands += 1
        for decision in decisions:
            if decision.usage is not None:
                self._costs.add(decision.usage)

    def contributed(self, outcome: BlockOutcome) -> None:
        """Count a block of hands to which the table committed."""
        self._blocks[outcome] += 1

    def redelivered(self, events: int) -> None:
        """Count events that were sent to the lobby before."""
        self._redeliveries += events

    def collect(self) -> Iterable[CounterMetricFamily | HistogramMetricFamily]:
        decisions = CounterMetricFamily(
            "casino_decisions",
            "Decisions by outcome: ok and retried are the player's own.",
            labels=["outcome"],
        )
        for outcome, count in self._decisions.items():
            decisions.add_metric([outcome], count)
        yield decisions
        defaults = CounterMetricFamily(
            "casino_decisions_defaulted",
            "Decisions in which a player's program answered in its place, by its reason.",
            labels=["reason"],
        )
        for reason, count in self._defaults.items():
            defaults.add_metric([reason], count)
        yield defaults
        tokens = CounterMetricFamily(
            "casino_decision_tokens",
            "Tokens of the decisions of completed hands, as the players say; cached ones are part"
            " of the input, those of thoughts of the output.",
            labels=["kind"],
        )
        costs = self._costs
        for kind, count in (
            ("input", costs.input_tokens),
            ("output", costs.output_tokens),
            ("cached", costs.cached_tokens),
            ("reasoning", costs.reasoning_tokens),
        ):
            tokens.add_metric([kind], count)
        yield tokens
        yield CounterMetricFamily(
            "casino_decision_cost_usd",
            "US dollars that the decisions of completed hands cost, as the players say.",
            value=costs.usd,
        )
        seconds = HistogramMetricFamily(
            "casino_decision_seconds", "Seconds until a player's decision, retries included."
        )
        buckets = list(zip(_BOUNDS, accumulate(self._by_bucket), strict=True))
        seconds.add_metric([], buckets, self._seconds)
        yield seconds
        yield CounterMetricFamily("casino_hands", "Completed hands.", value=self._hands)
        blocks = CounterMetricFamily(
            "casino_deal_blocks",
            "Blocks of hands by what came of their contributions; none: nobody wanted a part.",
            labels=["outcome"],
        )
        for came, count in self._blocks.items():
            blocks.add_metric([came], count)
        yield blocks
        yield CounterMetricFamily(
            "casino_event_redeliveries",
            "Events that were sent to the lobby more than once.",
            value=self._redeliveries,
        )

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
