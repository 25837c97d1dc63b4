"""Garbage collection for every so many bytes that a process takes in.

The collector of Python counts objects. A few objects in a reference cycle may keep a body each, so
that bodies would fill the memory long before objects are many.
"""

import gc
from collections.abc import Callable
from typing import Final

EVERY_BYTES: Final = 8 * 1024 * 1024


def _collect_young() -> None:
    # Not the oldest generation: walking over everything that a process keeps would stop it.
    gc.collect(1)


class Collection:
    """Calls `collect` whenever `every_bytes` more were taken in."""

    def __init__(
        self, collect: Callable[[], object] = _collect_young, every_bytes: int = EVERY_BYTES
    ) -> None:
        self._collect = collect
        self._every_bytes = self._left = every_bytes

    def take(self, size: int) -> None:
        """Count bytes that were received."""
        self._left -= size
        if self._left <= 0:
            self._left = self._every_bytes
            self._collect()
