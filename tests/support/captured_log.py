"""What the services in this process log."""

import io
import logging
from collections.abc import Collection, Iterator
from contextlib import contextmanager

import structlog
from casino_agentkit import configure_logs


@contextmanager
def captured_log(service: str, secret_keys: Collection[str]) -> Iterator[io.StringIO]:
    """Collect all log lines of the process, debug lines too; restores logging at the end."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    stream = io.StringIO()
    configure_logs(service, level="DEBUG", secret_keys=secret_keys, stream=stream)
    try:
        yield stream
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
        structlog.reset_defaults()
