"""Waiting for other processes and tasks, with one patience."""

import asyncio
import time
from collections.abc import Awaitable, Callable

import psutil

PATIENCE_S = 60.0
"""How long anything is waited for before the test says that it hangs; no part of any claim."""


def wait_for(
    condition: Callable[[], bool], seconds: float = PATIENCE_S, every: float = 0.05
) -> None:
    """Wait for something that another process does; fails when it does not happen in time."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "did not happen in time"  # poll
        time.sleep(every)  # poll


async def eventually(
    condition: Callable[[], Awaitable[bool]], seconds: float = PATIENCE_S, every: float = 0.1
) -> None:
    """Wait for something that others do; raises TimeoutError when it does not happen in time."""
    async with asyncio.timeout(seconds):
        while not await condition():
            await asyncio.sleep(every)  # poll


async def run_until(condition: Callable[[], object], seconds: float = PATIENCE_S) -> None:
    """Let the tasks of this loop run until a condition holds; raises TimeoutError."""
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.001)  # poll


def is_gone(pid: int) -> bool:
    """Tell whether a process has ended (one that nobody has reaped yet has)."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True
