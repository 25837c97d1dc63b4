"""Prometheus metrics of the evaluator: sessions, rooms, actions."""

from typing import Literal, get_args

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

Outcome = Literal["taken", "unavailable", "waited", "refused", "lost"]
"""How an ACTION ended: taken, counted without effect, counted while the opponent thought, answered
by an error, or its level could not be played again."""

_COMMAND_S = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 7, 8, 10)


class EvaluatorMetrics:
    """The evaluator's own metrics."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.sessions = Counter(
            "casino_evaluator_sessions", "Sessions that were begun.", registry=registry
        )
        self.rooms = Gauge(
            "casino_evaluator_rooms", "Rooms in which sessions play.", registry=registry
        )
        actions = Counter(
            "casino_evaluator_actions",
            "ACTION commands by outcome: taken, unavailable, waited, refused or lost.",
            ["outcome"],
            registry=registry,
        )
        self.actions: dict[Outcome, Counter] = {
            outcome: actions.labels(outcome) for outcome in get_args(Outcome)
        }
        self.resets = Counter(
            "casino_evaluator_resets", "RESET commands that were taken.", registry=registry
        )
        self.command_s = Histogram(
            "casino_evaluator_command_seconds",
            "Time of a RESET or ACTION command.",
            buckets=_COMMAND_S,
            registry=registry,
        )
