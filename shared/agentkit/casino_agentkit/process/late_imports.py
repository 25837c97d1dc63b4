"""Imports that a running process makes when it needs a module first, without stopping its loop.

Importing the SDK takes half a second or more, in which the loop would answer nobody.
"""

import asyncio
import os
from importlib import import_module
from typing import Final

_imported: Final[set[str]] = set()
"""Completely imported modules; `sys.modules` also has those that another thread is importing."""


def forgo_tracing() -> None:
    """Have the SDK make no spans, which cost 0.5 ms a call; before its first import."""
    os.environ.setdefault("OTEL_INSTRUMENTATION_A2A_SDK_ENABLED", "false")


async def import_late(*names: str) -> None:
    """Import modules in a worker thread, unless this was done before. Raises ImportError."""
    if not _imported.issuperset(names):
        await asyncio.to_thread(lambda: [import_module(name) for name in names])
        _imported.update(names)
