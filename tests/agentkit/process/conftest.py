"""A service's log in memory."""

import io
import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import structlog
from casino_agentkit import configure_logs


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def log_to() -> Iterator[Callable[..., io.StringIO]]:
    """Return what lets a service log to a stream; the process's own log comes back at the end."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level

    def configure(service: str, *, is_terminal: bool = False, **settings: Any) -> io.StringIO:
        stream = Terminal() if is_terminal else io.StringIO()
        configure_logs(service, stream=stream, **settings)
        return stream

    yield configure
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()
