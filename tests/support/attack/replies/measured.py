"""What a block costs others: how late it ends, how long it computes, how much memory it uses."""

import asyncio
import contextlib
import ctypes
import gc
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

MOST_LATE_S = 0.05
MOST_STALL_S = 0.05
MOST_MEMORY = 8 * 2**20


class Watch:
    """Measures how long the event loop's thread computes without a pause.

    Processor time is measured, not time: what other processes take does not count.
    """

    def __init__(self) -> None:
        self.stall_s = 0.0

    @asynccontextmanager
    async def watching(self) -> AsyncIterator[None]:
        """Measure the block."""
        task = asyncio.create_task(self._watch())
        await asyncio.sleep(0)
        try:
            yield
        finally:
            await asyncio.sleep(0.002)
            task.cancel()

    async def _watch(self) -> None:
        before = time.thread_time()
        while True:
            await asyncio.sleep(0.001)
            now = time.thread_time()
            self.stall_s = max(self.stall_s, now - before)
            before = now


@dataclass
class Measured:
    """The cost of a block."""

    late_s: float = 0.0
    """Beyond its limit; what a timer of the same length was late is not counted."""
    stall_s: float = 0.0
    """The longest time that the event loop's thread computed without a pause."""
    busy_s: float = 0.0
    """All the time that it computed."""
    memory: int = 0
    """Bytes by which the most that the process used at a time grew."""
    kept: int = 0
    """Bytes that the process uses more afterwards."""

    @property
    def is_bearable(self) -> bool:
        """Whether the cost for others is negligible."""
        return (
            self.late_s <= MOST_LATE_S
            and self.stall_s <= MOST_STALL_S
            and self.memory <= MOST_MEMORY
        )


@asynccontextmanager
async def measuring(limit: timedelta) -> AsyncIterator[Measured]:
    """Measure a block that has to end within a limit."""
    measured, watch = Measured(), Watch()
    loop, seconds = asyncio.get_running_loop(), limit.total_seconds()
    gc.collect()
    gc.freeze()  # what the test process holds is nobody's to walk through, this time and later
    base = _memory("VmRSS")  # with what the allocator holds in reserve: it is used first
    _give_back()
    resting = _memory("VmRSS")
    _forget_peak()
    async with watch.watching():
        timer = asyncio.create_task(_after(seconds))
        began, computed = loop.time(), time.thread_time()
        yield measured
        ended, measured.busy_s = loop.time(), time.thread_time() - computed
    if ended - began > seconds:
        measured.late_s = ended - max(began + seconds, await timer)
    else:
        timer.cancel()
    measured.stall_s, measured.memory = watch.stall_s, _memory("VmHWM") - base
    gc.collect()
    _give_back()
    measured.kept = _memory("VmRSS") - resting


async def _after(seconds: float) -> float:
    await asyncio.sleep(seconds)
    return asyncio.get_running_loop().time()


_CLEAR_REFS, _STATUS = Path("/proc/self/clear_refs"), Path("/proc/self/status")


def _give_back() -> None:
    """Return freed memory to the system, so that the allocator's reserve is not counted."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):  # another C library than glibc
            ctypes.CDLL("libc.so.6").malloc_trim(0)


def _forget_peak() -> None:
    """Reset the kernel's peak of this process's memory."""
    if _CLEAR_REFS.exists():
        _CLEAR_REFS.write_text("5")


def _memory(name: str) -> int:
    """Return the bytes in use (VmRSS), or the most since the last peak (VmHWM); 0 off Linux."""
    if not _CLEAR_REFS.exists():
        return 0
    values = (line.split() for line in _STATUS.read_text().splitlines())
    return next(int(value[1]) * 1024 for value in values if value[0] == f"{name}:")
