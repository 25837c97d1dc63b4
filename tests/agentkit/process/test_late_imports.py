"""Imports that a running process makes."""

import asyncio
import sys

import pytest
from casino_agentkit.process.late_imports import import_late
from support.gated import GATE

SLOW = "support.gated.slow"


async def test_the_loop_goes_on_while_a_module_is_imported() -> None:
    """Others that need the module wait for its end, though it is in `sys.modules` before."""
    waiting = [asyncio.create_task(import_late(SLOW)) for _ in range(2)]
    while SLOW not in sys.modules:
        await asyncio.sleep(0)
    waiting.append(asyncio.create_task(import_late(SLOW)))
    for _ in range(100):
        await asyncio.sleep(0)
    assert not any(task.done() for task in waiting)
    GATE.set()
    await asyncio.gather(*waiting)
    assert sys.modules[SLOW].IS_DONE


async def test_a_missing_module_is_an_error_each_time() -> None:
    for _ in range(2):
        with pytest.raises(ImportError, match="no_such_module"):
            await import_late("no_such_module")
