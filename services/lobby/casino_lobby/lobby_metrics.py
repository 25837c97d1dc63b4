"""Prometheus metrics of the lobby; label values never come from a caller."""

from bisect import bisect_left
from collections import Counter as Counting
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from itertools import accumulate
from typing import Literal, NamedTuple, get_args

from casino_agentkit import Waits
from casino_contracts import TableStatus, WaitReason
from prometheus_client import CollectorRegistry, Counter, Gauge
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString

from casino_lobby.domain.lobby_events import (
    EventsCommitted,
    EventsRefused,
    EventsRepeated,
    RoomChanged,
    StoreHealth,
    TableReplaced,
)
from casino_lobby.domain.room import Room
from casino_lobby.domain.room_addresses import WAITING
from casino_lobby.domain.room_books import DISCREPANCY

StreamFeed = Literal["public", "commentator"]
DropReason = Literal["lagged", "stalled"]
"""`lagged`: too many events behind; `stalled`: received nothing for too long."""
StreamCap = Literal["address", "lobby"]
"""The exceeded cap: that of the client's address, or that of the whole lobby."""

_LAG_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300)

_STATUSES = (*get_args(TableStatus), "closed", "failed")


class LobbyMetrics:
    """Counters and gauges of one lobby; `now` is the wall clock."""

    def __init__(self, registry: CollectorRegistry, now: Callable[[], datetime]) -> None:
        self._now = now
        self._repeated = Counter(
            "casino_events_repeated", "Events that were delivered again.", registry=registry
        )
        self._refused = Counter(
            "casino_events_refused",
            "Calls with events that were refused, by the lobby's reason; missing ones are sent"
            " first.",
            ["reason"],
            registry=registry,
        )
        self._moved = Counter(
            "casino_rooms_moved",
            "Rooms that continued at another table, because theirs was lost or left.",
            registry=registry,
        )
        self._recorded = _RecordedEvents()
        registry.register(self._recorded)
        clients = Gauge(
            "casino_stream_clients", "Streams that are open.", ["feed"], registry=registry
        )
        dropped = Counter(
            "casino_stream_dropped",
            "Streams that the lobby closed because their client was too slow.",
            ["reason"],
            registry=registry,
        )
        refused = Counter(
            "casino_stream_refused",
            "Streams that were not opened, since too many were open: from their address, or in all"
            " (lobby).",
            ["cap"],
            registry=registry,
        )
        self.stream_clients = {feed: clients.labels(feed) for feed in get_args(StreamFeed)}
        self.stream_dropped = {reason: dropped.labels(reason) for reason in get_args(DropReason)}
        self.stream_refused = {cap: refused.labels(cap) for cap in get_args(StreamCap)}

    def count_events(self, event: EventsCommitted) -> None:
        """Count committed events and observe their delivery lag, if this lobby recorded them."""
        if not event.is_own:
            return
        now = self._now()
        for item in event.committed:
            self._recorded.count(_seconds(item.event.timestamp, now))

    def count_repeated(self, event: EventsRepeated) -> None:
        """Count events that were recorded before."""
        self._repeated.inc(event.count)

    def count_refused(self, event: EventsRefused) -> None:
        self._refused.labels(event.reason).inc()

    def count_moved(self, event: TableReplaced) -> None:
        if event.has_moved:
            self._moved.inc()


class _RecordedEvents(Collector):
    """Events by the first bound that their lag does not exceed.

    Plain numbers of the event loop's thread: those of the library lock at every increment.
    """

    def __init__(self) -> None:
        self._events = 0
        self._by_bucket = [0] * (len(_LAG_BUCKETS) + 1)
        self._seconds = 0.0

    def count(self, lag_s: float | None) -> None:
        """Count an event; without a lag if its timestamp cannot be read."""
        self._events += 1
        if lag_s is not None:
            self._by_bucket[bisect_left(_LAG_BUCKETS, lag_s)] += 1
            self._seconds += lag_s

    def collect(self) -> Iterable[CounterMetricFamily | HistogramMetricFamily]:
        yield CounterMetricFamily(
            "casino_events_recorded", "Events of tables that were committed.", value=self._events
        )
        bounds = (*map(floatToGoString, _LAG_BUCKETS), "+Inf")
        buckets = list(zip(bounds, accumulate(self._by_bucket), strict=True))
        yield HistogramMetricFamily(
            "casino_delivery_lag_seconds",
            "From an event's timestamp, by its table's clock, until it is committed here.",
            buckets=buckets,
            sum_value=self._seconds,
        )


class ToldReason(NamedTuple):
    """Why a room waits, in the words of its table or of the lobby; the process itself goes on."""

    value: str
    what: str
    fix: str
    gravity: str = "wait"


class WaitingRooms:
    """Tells in log and metrics why rooms wait: launched tables have no other place for it."""

    def __init__(self, waits: Waits) -> None:
        self._waits = waits
        self._told: dict[str, dict[str, ToldReason]] = {}
        """By room id and reason."""

    def follow(self, event: RoomChanged) -> None:
        """Note what a room waits for now; a failure of the store is one of the lobby's own."""
        room = event.room
        items = () if room.is_over else room.waits.items
        now = {
            wait.reason: ToldReason(_known(wait.reason), wait.what, wait.fix)
            for wait in items
            if wait.reason != WaitReason.STORE_FAILED
        }
        for reason, told in self._told.pop(room.room_id, {}).items():
            if reason not in now:
                self._waits.end(told, room.room_id)
        for wait in items:
            if wait.reason in now:
                self._waits.begin(now[wait.reason], room.room_id, wait.detail or "")
        if now:
            self._told[room.room_id] = now

    def note_store(self, event: StoreHealth) -> None:
        if event.error is None:
            self._waits.end(WaitReason.STORE_FAILED, "store")
        else:
            self._waits.begin(WaitReason.STORE_FAILED, "store", event.error)


def _known(reason: str) -> str:
    """Return a reason as a label: that of a newer table is one of all others."""
    return reason if reason in WaitReason.__members__.values() else "other"


class RoomCollector(Collector):
    """Computes gauges from the rooms at each scrape."""

    def __init__(self, rooms: Callable[[], Iterable[Room]]) -> None:
        self._rooms = rooms

    def collect(self) -> Iterable[GaugeMetricFamily]:
        by_status: Counting[str] = Counting(dict.fromkeys(_STATUSES, 0))
        chips, waiting, miscounted = 0.0, 0, 0
        for room in self._rooms():
            by_status[room.phase if room.is_over else room.status] += 1
            chips += 0 if room.is_over else sum(room.stacks.values())
            waiting += not room.is_over and room.state == WAITING
            miscounted += DISCREPANCY in room.ledger.balances
        rooms = GaugeMetricFamily("casino_rooms", "Rooms by status.", labels=["status"])
        for status, count in by_status.items():
            rooms.add_metric([status], count)
        yield rooms
        yield GaugeMetricFamily(
            "casino_rooms_without_table",
            "Rooms whose table is lost while no other one is free.",
            value=waiting,
        )
        yield GaugeMetricFamily(
            "casino_rooms_miscounted",
            "Rooms whose ledger has chips that their table created or lost.",
            value=miscounted,
        )
        yield GaugeMetricFamily(
            "casino_chips_in_play",
            "All stacks of open rooms, as last reported by the tables, in the amounts of the wire.",
            value=chips,
        )


class ActiveCollector(Collector):
    """Computes at each scrape whether the lobby is active; `standby` returns why it is not."""

    def __init__(self, standby: Callable[[], str | None]) -> None:
        self._standby = standby

    def collect(self) -> Iterable[GaugeMetricFamily]:
        yield GaugeMetricFamily(
            "casino_lobby_active",
            "1 while this lobby is active, 0 while it stands by.",
            value=float(self._standby() is None),
        )


def _seconds(timestamp: str, now: datetime) -> float | None:
    """Return the age of a timestamp in seconds; None if it is no ISO 8601 timestamp."""
    try:
        time = datetime.fromisoformat(timestamp)
    except ValueError:
        return None
    age = now - (time if time.tzinfo else time.replace(tzinfo=UTC))
    return max(0.0, age.total_seconds())
