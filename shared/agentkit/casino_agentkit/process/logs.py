"""Structured logs with redacted secrets: JSON lines, or colours on a terminal.

A service lists the keys of secrets (hole cards, seeds, tokens). Their values are redacted at any
depth of an event, in any spelling of the key. `log_limits` limits the size and rate of lines.
"""

import io
import logging
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import Any, TextIO

import structlog
from structlog.dev import plain_traceback
from structlog.typing import EventDict, ExcInfo, Processor, WrappedLogger

CUT = "…[cut]"
_STRING, _KEY, _ITEMS, _DEEPEST = 1_000, 100, 100, 12
_FIELD = 16_000
_INT_BITS = 256  # formatting a longer number takes time quadratic in its digits
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
    """Admits 100 warnings and 6,000 lower lines by name and minute, and counts the others."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._began = clock()
        self._counts: dict[tuple[str, int], int] = {}

    def admit(self, name: str, level: int) -> bool:
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


REDACTED = "[redacted]"
_NOISY = {
    "a2a": logging.CRITICAL,  # it logs a stack trace for every malformed request
    "aiosqlite": logging.INFO,  # DEBUG logs every row written, including rooms' secrets
    "sqlalchemy": logging.WARNING,
    "sse_starlette": logging.INFO,  # DEBUG logs all streamed data, including operators' secrets
    "uvicorn.error": logging.WARNING,
    "aiohttp": logging.WARNING,
    "httpx": logging.WARNING,
    "httpx2": logging.WARNING,
    "anthropic": logging.WARNING,  # DEBUG logs whole requests: prompts, which have cards
    "google_genai": logging.WARNING,
    "openai": logging.WARNING,
    "asyncio": logging.WARNING,
}


def _normalised(key: object) -> str:
    return str(key).replace("_", "").replace("-", "").lower()


class Redactor:
    """A structlog processor that redacts the values of secret keys.

    `hole_cards`, `holeCards` and `Hole-Cards` are the same key.

    >>> Redactor(["hole_cards"])(None, "info", {"act": {"holeCards": ["As", "Kd"]}})
    {'act': {'holeCards': '[redacted]'}}
    """

    def __init__(self, keys: Iterable[str]) -> None:
        self._keys = frozenset(map(_normalised, keys))

    def __call__(self, _logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
        return {key: self._redacted(key, value, 0) for key, value in event.items()}

    def _redacted(self, key: object, value: Any, depth: int) -> Any:
        if _normalised(key) in self._keys:
            return REDACTED
        return self._clean(value, depth)

    def _clean(self, value: Any, depth: int) -> Any:
        if value is None or isinstance(value, str | int | float | bool):
            return value
        if depth > _DEEPEST:
            return REDACTED
        if isinstance(value, Mapping):
            return {key: self._redacted(key, item, depth + 1) for key, item in value.items()}
        if isinstance(value, list | tuple | set | frozenset):
            return [self._clean(item, depth + 1) for item in value]
        dump = getattr(value, "model_dump", None)
        if callable(dump):
            return self._clean(dump(), depth + 1)
        return value


def configure_logs(
    service: str,
    *,
    level: str = "INFO",
    secret_keys: Iterable[str] = (),
    stream: TextIO | None = None,
) -> None:
    """Write all logs of the process, redacted and cut, to `stream`, by default standard error."""
    stream = stream or sys.stderr
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.stdlib.ExtraAdder(),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.StackInfoRenderer(),
        _with_service(service),
        Redactor(secret_keys),
    ]
    # Tracebacks without local variables, which may contain secrets.
    last: list[Processor] = (
        [LogBounds(), structlog.dev.ConsoleRenderer(exception_formatter=short_traceback)]
        if stream.isatty()
        else [
            structlog.processors.ExceptionRenderer(
                structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
            ),
            LogBounds(),
            structlog.processors.JSONRenderer(),
        ]
    )
    formatter = structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=shared,
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *last],
    )
    handler = LimitedHandler(stream)
    handler.setFormatter(formatter)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for name, quiet in _NOISY.items():
        logging.getLogger(name).setLevel(quiet)
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )


def frequent_level() -> int:
    """Return INFO where a person reads it on a terminal, DEBUG where it would fill a file."""
    handlers = (handler for handler in logging.getLogger().handlers)
    streams = (getattr(handler, "stream", None) for handler in handlers)
    is_read = any(
        stream is not None and not stream.closed and stream.isatty() for stream in streams
    )
    return logging.INFO if is_read else logging.DEBUG


def _with_service(service: str) -> Processor:
    def name(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
        event.setdefault("service", service)
        return event

    return name
