"""What the casino logs while it is fuzzed: written as in production, and searched for faults."""

import io
import logging
from collections.abc import Iterator
from contextlib import contextmanager

import structlog
from casino_agentkit import configure_logs
from casino_lobby.app import SECRET_KEYS

FAULTS = (
    "Exception in ASGI application",
    "was never retrieved",
    "request_failed",
    ' failed",',
    "background_failed",
    "Fatal error",
    "chips_do_not_add_up",
    "Unhandled exception",
    "Unknown error occurred",
)
"""What stands in lines of the log that tell of a fault of ours."""
_KEPT = 20


class FaultLog(io.StringIO):
    """Keeps the lines that tell of a fault, and forgets the rest."""

    def __init__(self) -> None:
        super().__init__()
        self.faults: list[str] = []

    def write(self, line: str) -> int:
        if len(self.faults) < _KEPT and any(fault in line for fault in FAULTS):
            self.faults.append(line[:3_000])
        return len(line)


@contextmanager
def fault_log() -> Iterator[FaultLog]:
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    log = FaultLog()
    configure_logs("casino", secret_keys=SECRET_KEYS, stream=log)
    try:
        yield log
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
        structlog.reset_defaults()
