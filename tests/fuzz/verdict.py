"""What an answer must be, whatever was asked, and what no line of the log may say."""

import io
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import orjson
import structlog
from casino_agentkit import configure_logs
from casino_lobby.app import SECRET_KEYS
from fuzz.exchange import Exchange, Response
from fuzz.http_cases import Case

_INTERNAL = -32603
PYTHON = re.compile(
    rb"Traceback|recursion|Recursion|site-packages|dist-packages|/lib/python|\.py\b|0x[0-9a-f]{8,}"
    rb"|\b[A-Z][A-Za-z]*(Error|Exception|Warning)\b(?!\")|<class |<function |object at|NoneType"
    rb"|codec can't|asyncio|uvicorn|starlette|pydantic|orjson|casino_[a-z]+|object is not"
    rb"|has no attribute"
    rb"|unknown exception|keyword argument|positional argument|string indices|list indices"
)
"""What only a fault of the implementation says."""


def fault_of(case: Case, found: Exchange) -> str | None:
    """Return what is wrong with what came back for a case; None: nothing."""
    if case.manner == "dropped":
        return None
    if found.is_late:
        return "neither an answer nor an end in time"
    if found.wrong:
        return f"no HTTP: {found.wrong}"
    if case.manner in {"call", "stream"} and not found.responses:
        return "closed without an answer"
    for response in found.responses:
        if fault := _fault_of(case, response):
            return f"{fault}: {response.status} {response.body[:600]!r}"
    return None


def _fault_of(  # noqa: PLR0911  one after the other
    case: Case, response: Response
) -> str | None:
    is_error = response.status >= 400
    answer: Any = None
    if response.media_type == "application/json" or response.media_type.endswith("+json"):
        if not response.body and case.method == "HEAD":
            return None
        try:
            answer = orjson.loads(response.body)
        except orjson.JSONDecodeError as error:
            return f"no JSON ({error})"
    if isinstance(answer, dict) and isinstance(answer.get("error"), dict):
        is_error = True
        if answer["error"].get("code") == _INTERNAL:
            return "an internal fault"
    if response.status >= 500:
        return "a status of 500 or more"
    if response.media_type == "text/event-stream":
        is_error = b'"error"' in response.body
        if b"-32603" in response.body:
            return "an internal fault in a stream"
    if is_error and (word := PYTHON.search(response.body)):
        return f"Python's own words ({word[0]!r})"
    return None


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
