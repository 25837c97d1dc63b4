"""Prometheus metrics of the gateway: seats, open questions, outcomes, decision times, sockets."""

from typing import Literal, get_args

from casino_contracts import Defaulted
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

Outcome = Literal["answered", "away", "defaulted", "expired"]
"""How a question ended: by somebody, by default because nobody was there, by a default of the
program that is there, by its clock."""
_NOBODY = {"away", "closing"}

_DECISION_S = (0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 30, 60)


class GatewayMetrics:
    """The gateway's own metrics."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.seats = Gauge("casino_gateway_seats", "Seats that are taken.", registry=registry)
        self.seats_given_back = Counter(
            "casino_gateway_seats_given_back",
            "Seats that were given back because nobody was there.",
            registry=registry,
        )
        self.open_questions = Gauge(
            "casino_gateway_open_questions",
            "Questions that wait for an answer from outside.",
            registry=registry,
        )
        outcomes = Counter(
            "casino_gateway_questions",
            "Questions by outcome: answered, away, defaulted or expired.",
            ["outcome"],
            registry=registry,
        )
        self.outcomes: dict[Outcome, Counter] = {
            outcome: outcomes.labels(outcome) for outcome in get_args(Outcome)
        }
        self.decision_s = Histogram(
            "casino_gateway_decision_seconds",
            "Time from a question to its answer from outside.",
            buckets=_DECISION_S,
            registry=registry,
        )
        self.sockets = Gauge(
            "casino_gateway_sockets", "Connections of owners of seats.", registry=registry
        )
        self.rooms = Gauge("casino_gateway_rooms", "Rooms that are followed.", registry=registry)
        self.stream_breaks = Counter(
            "casino_gateway_room_stream_breaks",
            "How often the stream of a room broke and was resumed.",
            registry=registry,
        )

    def settled(self, took_s: float, defaulted: Defaulted | None) -> None:
        """Count an answer, and the seconds that a decision took."""
        if defaulted is not None:
            self.outcomes["away" if defaulted.reason in _NOBODY else "defaulted"].inc()
            return
        self.outcomes["answered"].inc()
        self.decision_s.observe(took_s)
