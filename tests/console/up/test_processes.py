"""The processes of `casino up`: what is reported when the lobby does not answer."""

import asyncio

from casino.up.processes import Processes
from casino.up.report import Report


async def test_the_end_of_the_lobby_is_waited_for() -> None:
    """A failed request may be noticed before the end of the process."""
    stopping = asyncio.Event()
    processes = Processes(Report(as_json=True), stopping)
    asked = asyncio.create_task(processes.has_lost_needed_soon())
    await asyncio.sleep(0)
    assert not asked.done()
    processes.has_lost_needed = True  # as `_watch` does when the process has ended
    stopping.set()
    assert await asked


async def test_ctrl_c_is_no_end_of_the_lobby() -> None:
    """The casino stops, and its lobby runs."""
    stopping = asyncio.Event()
    stopping.set()
    assert not await Processes(Report(as_json=True), stopping).has_lost_needed_soon()
