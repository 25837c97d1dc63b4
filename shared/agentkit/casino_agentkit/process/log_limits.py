"""Limit the size and rate of log lines, which untrusted callers can cause.

Errors, which report faults of the process itself, are always written.
"""

import io
import logging
import time
from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any, TextIO

from structlog.dev import plain_traceback
from structlog.typing import EventDict, ExcInfo, WrappedLogger

CUT = "…[cut]"
_STRING, _KEY, _ITEMS, _DEEPEST = 1_000, 100, 100, 12
_FIELD = 16_000
_INT_BITS = 256
"""Formatting a longer number takes time quadratic in its digits."""
_NAMES = 1_000
_OTHERS = "any other"
_WINDOW_S = 60.0
_PER_MINUTE = {logging.WARNING: 100}
_BELOW_PER_MINUTE = 6_000


class LogBounds:
    """A structlog processor that truncates an event.

    Strings are cut to 1,000 characters, keys to 100, containers to 100 items and 12 levels, and all
    strings of one field together to 16,000 characters.

    >>> len(LogBounds()(None, "info", {"event": "received", "text": "x" * 10**6})["text"])
    1006
    """

    def __call__(self, _logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
        """Return the truncated event; each field has its own limit."""
        return {
            # `short_traceback` truncates a traceback that is rendered later, for a terminal.
            name[:_KEY]: value if name == "exc_info" else _Field().cut(value)
            for name, value in islice(event.items(), _ITEMS)
        }


class _Field:
    """Truncates one field; `_left` is the number of characters left for its strings."""

    def __init__(self) -> None:
        self._left = _FIELD

    def cut(self, value: Any, depth: int = 0) -> Any:
        match value:
            case None | bool() | float():
                return value
            case int():
                return value if value.bit_length() <= _INT_BITS else CUT
            case str():
                return self._text(value, _STRING)
            case Mapping():
                return self._mapping(value, depth)
            case list() | tuple() | set() | frozenset():
                return self._items(value, depth)
        return self._text(repr(value), _STRING)  # as the JSON renderer does

    def _mapping(self, value: Mapping[Any, Any], depth: int) -> Any:
        if depth > _DEEPEST:
            return CUT
        cut: dict[str, Any] = {}
        for key, item in value.items():
            if len(cut) == _ITEMS or self._left <= 0:
                cut[CUT] = f"{len(value)} in all"
                break
            name = self._text(str(key), _KEY)
            cut[name] = self.cut(item, depth + 1)
        return cut

    def _items(self, value: Any, depth: int) -> Any:
        if depth > _DEEPEST:
            return CUT
        cut: list[Any] = []
        for item in value:
            if len(cut) == _ITEMS or self._left <= 0:
                cut.append(f"{CUT} {len(value)} in all")
                break
            cut.append(self.cut(item, depth + 1))
        return cut

    def _text(self, text: str, most: int) -> str:
        most = min(most, max(0, self._left))
        self._left -= min(len(text), most)
        return text if len(text) <= most else text[:most] + CUT


class Repeats:
    """Limits the rate of log lines and counts the others. `clock` returns seconds.

    Per name and minute: 100 warnings, and 6,000 lines of lower levels.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._began = clock()
        self._counts: dict[tuple[str, int], int] = {}

    def admit(self, name: str, level: int) -> bool:
        """Count a line and return whether it may be written."""
        if level >= logging.ERROR:
            return True
        key = (name, level)
        if key not in self._counts and len(self._counts) >= _NAMES:
            key = (_OTHERS, level)  # bounds the memory for names from untrusted input
        self._counts[key] = count = self._counts.get(key, 0) + 1
        return count <= _PER_MINUTE.get(level, _BELOW_PER_MINUTE)

    def over(self) -> dict[str, int]:
        """Return the number of dropped lines by name, once per elapsed minute; otherwise {}."""
        now = self._clock()
        if now - self._began < _WINDOW_S:
            return {}
        left_out: dict[str, int] = {}
        for (name, level), count in self._counts.items():
            excess = count - _PER_MINUTE.get(level, _BELOW_PER_MINUTE)
            if excess > 0:
                left_out[name] = left_out.get(name, 0) + excess
        self._counts, self._began = {}, now
        return left_out


class LimitedHandler(logging.StreamHandler[TextIO]):
    """Writes a log without lines that repeat too often, and reports their number."""

    def __init__(self, stream: TextIO, repeats: Repeats | None = None) -> None:
        super().__init__(stream)
        self._repeats = repeats or Repeats()

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line, or count it as dropped."""
        for name, count in self._repeats.over().items():
            super().emit(_dropped_record(name, count))
        if self._repeats.admit(_name(record), record.levelno):
            super().emit(record)


def short_traceback(stream: TextIO, exc_info: ExcInfo) -> None:
    """Write a readable traceback, cut at 16,000 characters."""
    written = io.StringIO()
    plain_traceback(written, exc_info)
    text = written.getvalue()
    stream.write(text if len(text) <= _FIELD else text[:_FIELD] + CUT)


def _name(record: logging.LogRecord) -> str:
    """Return the name of a line: its logger and event, without values."""
    event = record.msg.get("event") if isinstance(record.msg, dict) else record.msg
    return f"{record.name}: {event}"[:200]


def _dropped_record(name: str, count: int) -> logging.LogRecord:
    return logging.makeLogRecord(
        {
            "name": __name__,
            "levelno": logging.WARNING,
            "levelname": "WARNING",
            "msg": "lines_left_out",
            "of": name,
            "count": count,
        }
    )
