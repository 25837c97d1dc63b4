"""What waits in a process, and why: told once in its log, its metrics and its readiness."""

import logging
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, NamedTuple, Protocol

import structlog
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

logger = structlog.get_logger(__name__)

_LEVELS = {"part": logging.WARNING, "wait": logging.WARNING, "stop": logging.ERROR}
"""The level at which a begin is logged, by the gravity of its reason; pauses are not logged."""


class WaitReasonLike(Protocol):
    """A member of the enumeration of reasons; the kit knows none by itself."""

    @property
    def value(self) -> Any: ...
    @property
    def what(self) -> str: ...
    @property
    def fix(self) -> str: ...
    @property
    def gravity(self) -> str:
        """`pause`: on purpose; `part`: most goes on; `wait`: for others; `stop`: nothing does."""


class Wait(NamedTuple):
    """Something that waits: a table, a room, a session or an address, by its key."""

    reason: WaitReasonLike
    key: str
    since: str
    """ISO 8601, UTC."""
    begun_at: float
    detail: str
    """For operators: a folder, an address or an error; nothing secret."""


def utc_now() -> str:
    """Return the wall-clock time as ISO 8601 in UTC, with milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _words(reason: WaitReasonLike) -> dict[str, Any]:
    return {"reason": reason.value, "what": reason.what, "fix": reason.fix}


class Waits(Collector):
    """The waits of a process; one for each key and reason.

    `clock` returns monotonic seconds, `timestamp` the wall clock as ISO 8601 in UTC.
    """

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        timestamp: Callable[[], str] = utc_now,
    ) -> None:
        self._clock = clock
        self._timestamp = timestamp
        self._waits: dict[tuple[str, str], Wait] = {}
        """The oldest first, by key and reason."""
        self._ended_s: dict[str, float] = {}
        """Seconds of the waits that are over, by reason."""

    def begin(self, reason: WaitReasonLike, key: str, detail: str = "") -> None:
        """Note that something waits; its begin is logged once, however often this is called."""
        name = reason.value
        if (key, name) in self._waits:
            return
        self._waits[key, name] = Wait(reason, key, self._timestamp(), self._clock(), detail)
        self._ended_s.setdefault(name, 0.0)
        if level := _LEVELS.get(reason.gravity):
            words = {"what": reason.what, "fix": reason.fix, "detail": detail or None}
            logger.log(level, "wait_began", reason=name, of=key, **words)

    def end(self, reason: WaitReasonLike, key: str) -> None:
        """Note that something goes on; logged with the seconds that it waited."""
        name = reason.value
        wait = self._waits.pop((key, name), None)
        if wait is None:
            return
        seconds = self._clock() - wait.begun_at
        self._ended_s[name] += seconds
        if reason.gravity in _LEVELS:
            logger.info("wait_ended", reason=name, of=key, seconds=round(seconds, 3))

    @contextmanager
    def during(self, reason: WaitReasonLike, key: str, detail: str = "") -> Iterator[None]:
        """Wait while the block runs, however it ends."""
        self.begin(reason, key, detail)
        try:
            yield
        finally:
            self.end(reason, key)

    def of(self, key: str) -> list[Wait]:
        """Return why something waits, the oldest first, without pauses on purpose."""
        return [
            wait
            for (of, _), wait in self._waits.items()
            if of == key and wait.reason.gravity != "pause"
        ]

    def told(self, *keys: str) -> list[dict[str, Any]]:
        """Return why these things wait, as JSON that everybody may read."""
        return [
            {**_words(wait.reason), "since": wait.since} for key in keys for wait in self.of(key)
        ]

    def unready(self) -> list[dict[str, Any]]:
        """Return why the process is not ready: one line for each reason, without details."""
        counts = Counter(reason for _, reason in self._waits)
        first = {reason: wait for (_, reason), wait in reversed(self._waits.items())}
        return [
            {**_words(wait.reason), "since": wait.since, "count": counts[reason]}
            for reason, wait in first.items()
            if wait.reason.gravity == "stop"
        ]

    def collect(self) -> Iterator[GaugeMetricFamily | CounterMetricFamily]:
        """Yield how many wait now, and how long they have waited in all."""
        now, counts, seconds = self._clock(), Counter[str](), dict(self._ended_s)
        for (_, reason), wait in self._waits.items():
            counts[reason] += 1
            seconds[reason] += now - wait.begun_at
        waiting = GaugeMetricFamily(
            "casino_waits", "What of this process waits now, by its reason.", labels=["reason"]
        )
        waited = CounterMetricFamily(
            "casino_wait_seconds", "How long it has waited in all, by reason.", labels=["reason"]
        )
        for reason, total_s in seconds.items():
            waiting.add_metric([reason], counts[reason])
            waited.add_metric([reason], total_s)
        yield waiting
        yield waited
