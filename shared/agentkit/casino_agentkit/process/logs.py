"""Structured logs with redacted secrets: JSON lines, or colours on a terminal.

A service lists the keys of secrets (hole cards, seeds, tokens). Their values are redacted at any
depth of an event, in any spelling of the key. `log_limits` limits the size and rate of lines.
"""

import logging
import sys
from collections.abc import Iterable, Mapping
from typing import Any, TextIO

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from casino_agentkit.process.log_limits import LimitedHandler, LogBounds, short_traceback

REDACTED = "[redacted]"
_DEEPEST = 12
_NOISY = {
    "a2a": logging.CRITICAL,  # it logs a stack trace for every malformed request
    "aiosqlite": logging.INFO,  # DEBUG logs every row written, including rooms' secrets
    "sqlalchemy": logging.WARNING,
    "sse_starlette": logging.INFO,  # DEBUG logs all streamed data, including operators' secrets
    "uvicorn.error": logging.WARNING,
    "aiohttp": logging.WARNING,
    "httpx": logging.WARNING,
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
        """Return the event with redacted secrets."""
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
    """Write all logs of the process and its libraries to `stream`, redacted.

    `stream` is standard error by default. Lines are truncated, and warnings that repeat too often
    are counted instead of written.
    """
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
    """Return the level of lines that may come many times a second.

    INFO where a person reads them on a terminal, DEBUG where they fill a file.
    """
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
