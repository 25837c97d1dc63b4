"""Holds every test to its tier by watching what it does, not how long it takes.

An unmarked test is of the tier `core`: it starts no process, sleeps never, connects to nothing but
itself, and its event loop has a virtual clock. CONTRIBUTING.md tells the tiers and the rules.
"""

import asyncio
import os
import re
import sys
import threading
import time
import uuid
import weakref
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import psutil
import pytest
from support.loops.virtual_loop import VirtualLoop, count_jobs_of_threads
from support.requirements import unavailable

from plugins.budget import COST, LOOP, yardstick

KINDS: Final = {
    "browser": "the system's chromium",
    "postgres": "a server of PostgreSQL",
    "docker": "a Docker engine",
    "foreign": "agents and clients of others, from `make foreign-agents`",
    "network": "root and network namespaces, or HAProxy",
}
"""Kinds of tests of the tier `full`, and what each needs."""
FOLDERS: Final = {
    "browser": "browser",
    "containers": "docker",
    "foreign": "foreign",
    "install": "full",
    "swarm": "docker",
}
"""Folders whose every test has one marker; `make test` does not even collect them."""
RUN: Final = "CASINO_TEST_WORKER"
"""Environment variable by which the processes of a worker are known."""

_TESTS: Final = Path(__file__).parents[1]
_OF_MAKE_TEST: Final = ("core", "system", "core or system")
_MARKED_FULL: Final = re.compile(
    rf"^pytestmark = (\[[^\]]*|.*)\bmark\.(full|{'|'.join(KINDS)})\b", re.MULTILINE
)
"""The mark of a whole module, which is read where the module cannot be imported."""
_LISTENS: Final = "0A"
"""How Linux writes the state of a socket that accepts connections."""
_ENDED: Final = psutil.STATUS_ZOMBIE
_HELPER: Final = re.compile(r"multiprocessing\.(forkserver|resource_tracker)")
"""Command lines of the two processes that multiprocessing keeps for the next block."""
_START_A_PROCESS: Final = ("subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn")
_HOW_TO_START: Final = (
    "core starts no process: prove it in one process, or mark the test `system` or `full`"
)
_HOW_TO_WAIT: Final = (
    "core never sleeps: wait for an event, or let the virtual loop pass the time (asyncio.sleep)"
)
_HOW_TO_CONNECT: Final = (
    "core connects to nothing beyond its own process: serve it here, or mark the test `full`"
)


def tier_of(item: pytest.Item) -> str:
    """Return the tier of a test: that of its markers, core without any."""
    names = {mark.name for mark in item.iter_markers()}
    if "long" in names:
        return "long"
    if "full" in names or names & KINDS.keys():
        return "full"
    return "system" if "system" in names else "core"


@dataclass
class _Watch:
    """What the running test is of, has done, and what sockets this process has bound."""

    test: pytest.Item | None = None
    faults: list[str] = field(default_factory=list)
    started: int = 0
    bound: "weakref.WeakSet[Any]" = field(default_factory=weakref.WeakSet)
    _times: tuple[float, ...] = ()
    _children: set[str] = field(default_factory=set)

    def begin(self, test: pytest.Item) -> None:
        """Begin with the next test."""
        self.test, self.started, self._times = test, 0, _times()
        self._children = _children()
        self.faults.clear()

    def processor_s(self) -> float:
        """Return the processor time since the test began, with that of children that ended.

        A core test has none: what ends then are those of a test before it.
        """
        used = [now - then for now, then in zip(_times(), self._times, strict=True)]
        return sum(used[:2] if self._is_core else used)

    def fail_for_faults(self) -> None:
        """Fail once for what the tier of the running test forbids."""
        if self._is_core and _children() - self._children:
            self.faults.append(_HOW_TO_START)  # by multiprocessing, which Python announces nowhere
        faults = list(dict.fromkeys(self.faults))
        self.faults.clear()
        if faults:
            pytest.fail("\n".join(faults), pytrace=False)

    def sees(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Count and judge what Python is about to do; raises RuntimeError for what core may not."""
        if event == "socket.bind":
            self.bound.add(arguments[0])
        if self.test is None:
            return
        if event in _START_A_PROCESS:
            self.started += 1
            self._refuse(_HOW_TO_START)
        elif event == "socket.connect" and self._is_core and not self._is_own(arguments[1]):
            self._refuse(_HOW_TO_CONNECT)  # the search is dear with a thousand connections

    def sleep(self, seconds: float) -> None:
        """Sleep as `time.sleep` does, but not where a core test would wait for it."""
        if seconds > 0 and threading.current_thread() is threading.main_thread():
            self._refuse(_HOW_TO_WAIT)
        _sleep(seconds)

    @property
    def _is_core(self) -> bool:
        return tier_of_running(self.test) == "core"

    def _refuse(self, fault: str) -> None:
        if self._is_core:
            self.faults.append(fault)
            raise RuntimeError(fault)

    def _is_own(self, address: Any) -> bool:
        if not isinstance(address, tuple):
            return True  # a socket of the file system, of a pair
        port = address[1]
        return port in {_port_of(one) for one in list(self.bound)} or not _is_foreign(port)


def tier_of_running(test: pytest.Item | None) -> str | None:
    """Return the tier of the running test, if one runs."""
    return None if test is None else tier_of(test)


def _children() -> set[str]:
    """Return the processes that this one has started and not reaped, where Linux tells them."""
    pids: set[str] = set()
    for children in Path("/proc/self/task").glob("*/children"):
        with suppress(OSError):  # the thread has ended meanwhile
            pids.update(children.read_text().split())
    return pids


def _times() -> tuple[float, ...]:
    """Return the processor time of this process, user and system, then that of ended children."""
    return tuple(os.times()[:4])


def _is_foreign(port: int) -> bool:
    """Return whether another process accepts connections at a port, where Linux tells it."""
    ours = set()
    for descriptor in Path("/proc/self/fd").glob("*"):
        with suppress(OSError):  # it was closed meanwhile
            ours.add(str(descriptor.readlink()))
    for table in Path("/proc/net").glob("tcp*"):
        for row in [line.split() for line in table.read_text().splitlines()[1:]]:
            is_here = row[3] == _LISTENS and int(row[1].rpartition(":")[2], 16) == port
            if is_here and f"socket:[{row[9]}]" not in ours:
                return True
    return False


def _port_of(bound: Any) -> int | None:
    try:
        name = bound.getsockname()
    except OSError:  # it is closed
        return None
    return name[1] if isinstance(name, tuple) else None


_watch = _Watch()
_sleep = time.sleep


def pytest_configure(config: pytest.Config) -> None:
    """Begin to watch this process, and give its children a name to be found by."""
    for name, need in KINDS.items():
        config.addinivalue_line("markers", f"{name}: of the tier full; needs {need}")
    worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
    os.environ[RUN] = f"{worker}-{uuid.uuid4().hex}"
    patch = pytest.MonkeyPatch()
    config.add_cleanup(patch.undo)
    count_jobs_of_threads(patch)
    patch.setattr(time, "sleep", _watch.sleep)  # Python announces it from 3.13 on only
    sys.addaudithook(_watch.sees)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Spare `make test` the folders of other tiers."""
    chosen = config.getoption("markexpr")
    is_apart = collection_path.parent == _TESTS and collection_path.name in FOLDERS
    return True if is_apart and chosen in _OF_MAKE_TEST else None


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Module:
    """Collect a module; those marked `full` may need packages that `make test` does not install."""
    module: pytest.Module = _Module.from_parent(parent, path=module_path)
    return module


class _Module(pytest.Module):
    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        try:
            return super().collect()
        except self.CollectError as error:
            missing = getattr(error.__cause__, "name", None)
            is_ours = missing is None or missing.startswith(("casino", "support"))
            if is_ours or not _MARKED_FULL.search(self.path.read_text()):
                raise
            if self.config.getoption("markexpr") in _OF_MAKE_TEST:
                pytest.skip(f"needs {missing}: `make full` installs it", allow_module_level=True)
            unavailable(f"needs {missing}: `make full` installs it")


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark a test with its tier, so that `-m core` and `-m full` choose by it."""
    of_folder = next((FOLDERS[one] for one in FOLDERS if _TESTS / one in item.path.parents), None)
    if of_folder is not None:
        item.add_marker(of_folder)
    tier = tier_of(item)
    if item.get_closest_marker(tier) is None:
        item.add_marker(tier)


def pytest_asyncio_loop_factories() -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    """Give core tests the virtual loop, all others asyncio's own."""
    return {"loop": _new_loop}


def _new_loop() -> asyncio.AbstractEventLoop:
    """Return the loop of the running test: marks of a parameter are not there at collection."""
    if _watch.test is not None and tier_of(_watch.test) != "core":
        return asyncio.SelectorEventLoop()
    return VirtualLoop()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Watch a test with its set-up and teardown."""
    _watch.begin(item)
    try:
        return (yield)
    finally:
        _watch.test = None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, object, object]:
    """Fail a test that its tier forbids, also if the product took the refusal for a failure."""
    result = yield
    _watch.fail_for_faults()
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> Generator[None, object, object]:
    """Fail a test whose set-up or teardown its tier forbids, and the last one for what is left."""
    result = yield
    _watch.fail_for_faults()
    if nextitem is None:
        fail_for_processes_left()
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add what a test cost to its last report, which goes to the process of the summary."""
    report = yield
    if call.when == "teardown":
        processor_s = round(_watch.processor_s(), 3)
        report.user_properties.append((COST, (tier_of(item), processor_s, _watch.started)))
        if (loop_s := yardstick.loop_s_after(processor_s)) is not None:
            report.user_properties.append((LOOP, loop_s))
    return report


def fail_for_processes_left() -> None:
    """Kill what the tests of this worker have started and left, and name it."""
    left = [one for one in psutil.process_iter() if _is_ours(one)]
    for one in left:
        one.kill()
    if left:
        pytest.fail("processes left by tests of this worker: " + "; ".join(map(_named, left)))


def _is_ours(process: psutil.Process) -> bool:
    if process.pid == os.getpid():
        return False
    try:
        if process.ppid() == os.getpid() and _HELPER.search(" ".join(process.cmdline())):
            return False  # it ends with this process; what it has started does not
        return process.environ().get(RUN) == os.environ[RUN] and process.status() != _ENDED
    except psutil.Error:
        return False


def _named(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())[:200]
    except psutil.Error:
        return str(process.pid)
