"""Waiting for other processes and tasks, with one patience, and ports for them."""

import asyncio
import socket
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final, TypeVar

import psutil
import pytest

T = TypeVar("T")
PATIENCE_S = 60.0
"""How long anything is waited for before the test says that it hangs; no part of any claim."""
_TURNS: Final = 100

_reserved: list[socket.socket] = []

LEAVES_A_WAITING_THREAD: Final = pytest.mark.skipif(
    sys.gettrace() is not None,
    reason="while a thread waits for an exception, CPython 3.11 never enters a traced function",
)
"""Of a test that raises an exception in a waiting thread: under coverage it would hang."""


def wait_for(
    condition: Callable[[], bool], seconds: float = PATIENCE_S, every: float = 0.05
) -> None:
    """Wait for something that another process does; fails when it does not happen in time."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "did not happen in time"  # poll
        time.sleep(every)  # poll


async def eventually(
    condition: Callable[[], Awaitable[T]], seconds: float = PATIENCE_S, every: float = 0.1
) -> T:
    """Wait for something that others do, and return it; raises TimeoutError."""
    async with asyncio.timeout(seconds):
        while not (found := await condition()):
            await asyncio.sleep(every)  # poll
    return found


async def run_until(condition: Callable[[], object], seconds: float = PATIENCE_S) -> None:
    """Let the tasks of this loop run until a condition holds; raises TimeoutError.

    It looks after every turn of the loop; while nothing comes of many, ever more time passes.
    """
    async with asyncio.timeout(seconds):
        turns = 0
        while not condition():
            turns += 1
            await asyncio.sleep(0 if turns % _TURNS else turns / _TURNS / 1000)  # poll


def is_gone(pid: int) -> bool:
    """Tell whether a process has ended (one that nobody has reaped yet has)."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def reserved_port() -> int:
    """Return a port on which nobody listens, and that nobody else gets until this process ends.

    A socket holds it that is bound and does not listen: beside it, a service may listen there
    (`SO_REUSEADDR`), again and again, and the kernel gives the port to nobody else.
    """
    return _reserve(0)


def two_reserved_ports() -> tuple[int, int]:
    """Return two neighbouring ports, reserved as by `reserved_port`."""
    first = reserved_base(1)
    return first, first + 1


def reserved_base(*offsets: int) -> int:
    """Return a port that is reserved together with those at these offsets from it."""
    while True:
        base = reserved_port()
        with suppress(OSError, OverflowError):  # one of them is somebody's, or none: another base
            for offset in offsets:
                _reserve(base + offset)
            return base


def _reserve(port: int) -> int:
    bound = socket.socket()
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind(("127.0.0.1", port))
    except OSError:
        bound.close()
        raise
    _reserved.append(bound)
    reserved: int = bound.getsockname()[1]
    return reserved
