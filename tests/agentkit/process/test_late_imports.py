"""Imports that a running process makes."""

import asyncio
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
from casino_agentkit.process.late_imports import import_late


async def test_the_loop_goes_on_while_a_module_is_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others that need the module wait for its end, though it is in `sys.modules` before."""
    gate = threading.Event()
    monkeypatch.setitem(sys.modules, "gate_of_slow", SimpleNamespace(gate=gate))
    (tmp_path / "slow_module.py").write_text(
        "from gate_of_slow import gate\nIS_DONE = gate.wait()\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    waiting = [asyncio.create_task(import_late("slow_module")) for _ in range(2)]
    while "slow_module" not in sys.modules:
        await asyncio.sleep(0)
    waiting.append(asyncio.create_task(import_late("slow_module")))
    for _ in range(100):
        await asyncio.sleep(0)
    assert not any(task.done() for task in waiting)
    gate.set()
    await asyncio.gather(*waiting)
    assert sys.modules.pop("slow_module").IS_DONE


async def test_a_missing_module_is_an_error_each_time() -> None:
    for _ in range(2):
        with pytest.raises(ImportError, match="no_such_module"):
            await import_late("no_such_module")
