"""Which tests depend on the speed of a machine, as tools/test_rules.py finds them."""

import sys
from pathlib import Path
from textwrap import dedent, indent

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))

import test_rules as rules

MARKED = "pytestmark = [pytest.mark.system]\n"
CORE, HELPER = "test_this.py", "support/that.py"


def sentences(code: str, path: str = CORE) -> set[str]:
    """Return what is to be done about a module that begins with imports."""
    imports = (
        "import asyncio, gc, pytest, subprocess, threading, time\nfrom time import monotonic\n"
    )
    return {sentence for _, sentence in rules.offences({path: imports + code}).get(path, [])}


def function(body: str) -> str:
    return f"async def test_it(limit=3, *, other=None):\n{indent(dedent(body), '    ')}\n"


@pytest.mark.parametrize(
    "body",
    [
        "began = time.monotonic()\nrun()\nassert time.monotonic() - began < limit",
        "began = monotonic()\ntook = round(monotonic() - began)\nassert 1 < took",
        "loop = asyncio.get_running_loop()\nbegan = loop.time()\nassert loop.time() == began + 3",
        "began, n = time.perf_counter_ns(), 1\nassert min(time.perf_counter_ns() - began, 4) == n",
        "end = time.process_time() + 5\nwhile time.process_time() < end:\n    run()",
        "times = []\ntimes.append(time.monotonic())\nassert max(times) < 3",
        "self.at['a'] = time.monotonic()\nassert self.at['a'] > 7",
        "def now():\n    return monotonic()\n\nassert now() < 4",
        "began = time.monotonic()\nassert time.monotonic() == began  # virtual: real time it is",
    ],
)
def test_a_compared_duration_is_refused(body: str) -> None:
    assert sentences(function(body)) == {rules.DURATION}


@pytest.mark.parametrize(
    "line",
    [
        "async with asyncio.timeout(5): pass",
        "async with asyncio.timeout(limit): pass",
        "async with asyncio.timeout(LEASE_S + 0.5): pass",
        "async with asyncio.timeout_at(loop.time() + 2): pass",
        "async with asyncio.timeout(2 * PATIENCE_S): pass",
        "await asyncio.wait_for(task, SOON.total_seconds())",
        "await asyncio.wait([task], timeout=0.1)",
        "process.wait(30)",
        "thread.join(LEASE_S)",
        "queue.get(timeout=timedelta(seconds=1))",
        "subprocess.run(['ls'], timeout=10)",
        "wait_for(lambda: True, seconds=9)",
        "await expect(page).to_be_visible(timeout=5_000)",
        "httpx.AsyncClient(timeout=30)",
    ],
)
def test_a_limit_other_than_patience_is_refused(line: str) -> None:
    constants = "LEASE_S = 1.5\nSOON = timedelta(seconds=2)\n"
    assert sentences(constants + function(line)) == {rules.LIMIT}
    is_virtual = f"{line}  # virtual: the lease is the claim"
    assert sentences(constants + function(is_virtual)) == set()
    assert sentences(constants + MARKED + function(is_virtual)) == {rules.LIMIT}


def test_only_who_is_played_beside_the_tests_sleeps() -> None:
    sleep = "time.sleep(0.1)  # plays: a bot that thinks"
    for path, found in (("support/bot.py", set()), ("test_bot.py", {rules.SLEEP})):
        by_path = rules.offences({path: f"import time\n{sleep}\n"})
        assert {sentence for _, sentence in by_path.get(path, [])} == found


@pytest.mark.parametrize(
    "body", ["time.sleep(0.1)", "time.sleep(each)", "page.wait_for_timeout(9)"]
)
def test_a_sleep_in_real_time_is_refused(body: str) -> None:
    assert sentences(function(body)) == {rules.SLEEP}


def test_a_virtual_sleep_is_refused_only_where_time_is_real() -> None:
    sleep = function("await asyncio.sleep(75)")
    assert sentences(sleep) == set()
    assert sentences(MARKED + sleep) == {rules.SLEEP}
    assert sentences(f"@pytest.mark.browser\n{sleep}") == {rules.SLEEP}
    in_class = f"@pytest.mark.long\nclass TestAll:\n{indent(sleep, '    ')}"
    assert sentences(in_class) == {rules.SLEEP}
    assert sentences(sleep, HELPER) == {rules.SLEEP}


def test_only_the_waiting_functions_look_again_and_again() -> None:
    body = "while time.monotonic() < limit:  # poll\n    time.sleep(every)  # poll"
    assert sentences(function(body), rules.PROCESSES) == set()
    assert sentences(function(body), HELPER) == {rules.SLEEP, rules.DURATION}


@pytest.mark.parametrize(
    "code",
    [
        function("while True:\n    try:\n        run()\n    except AssertionError:\n        pass"),
        function("for n in every:\n    with suppress(AssertionError):\n        run()"),
        function("for _ in range(3):\n    if run():\n        break\nassert found"),
        "@pytest.mark.flaky(reruns=2)\n" + function("run()"),
        "import tenacity",
    ],
)
def test_a_second_try_is_refused(code: str) -> None:
    assert sentences(code) == {rules.RETRY}


def test_a_port_without_a_socket_is_refused() -> None:
    assert sentences("from support.free_port import free_port") == {rules.PORT}
    assert sentences("from support import free_port") == {rules.PORT}


@pytest.mark.parametrize(
    "code",
    [
        "import tracemalloc",
        function("assert psutil.Process().memory_info().rss < 3"),
        function("gc.get_objects()"),
    ],
)
def test_memory_is_not_measured_among_other_tests(code: str) -> None:
    assert sentences(code) == {rules.MEMORY}
    assert sentences(MARKED + code) == set()


@pytest.mark.parametrize(
    "body",
    [
        "async with asyncio.timeout(PATIENCE_S): pass",
        "async with asyncio.timeout(other): pass",
        "await asyncio.wait_for(task, PATIENCE_S)",
        "process.wait(timeout=PATIENCE_S)",
        "await page.wait_for_selector('p', timeout=1000 * PATIENCE_S)",
        "queue.get(timeout=0)",
        "', '.join(names)",
        "await asyncio.sleep(0)\ntime.sleep(0)",
        "await agent.call(limit, timeout=timedelta(seconds=1))",
        "began = loop.time()\nassert loop.time() - began == 9  # virtual: the lease",
        "took = time.monotonic() - began\nprint(took)",
        "for n in range(3):\n    try:\n        run(n)\n    except AssertionError:\n        raise",
        "for _ in range(100):\n    if run():\n        break",
        "gc.collect()",
    ],
)
def test_what_no_machine_changes_is_allowed(body: str) -> None:
    imports = "from support.processes import PATIENCE_S\n"
    assert sentences(imports + function(body)) == set()


def test_constants_are_followed_from_file_to_file() -> None:
    used = "from support.that import SOON_S as S\nimport asyncio\nasyncio.timeout(S)\n"
    texts = {HELPER: "SOON_S = 4\n", CORE: used}
    assert rules.offences(texts) == {CORE: [(3, rules.LIMIT)]}
    assert rules.offences({**texts, HELPER: "SOON_S = given()\n"}) == {}


def test_the_numbers_of_allowed_offences_only_fall() -> None:
    found = {"a.py": [(1, "x"), (2, "x")], "b.py": [(3, "y")]}
    assert list(rules.complaints(found, {"a.py": 2, "b.py": 1})) == []
    assert list(rules.complaints(found, {"a.py": 1, "b.py": 3})) == [
        "tests/a.py:1: x",
        "tests/a.py:2: x",
        "tests/b.py: 1 offences, 3 are allowed: lower the number",
    ]
    assert rules.lowered(found, {}) == {"a.py": 2, "b.py": 1}
    assert rules.lowered(found, {"a.py": 5, "c.py": 1}) == {"a.py": 2}
