"""A core test that does what its tier forbids fails with a sentence that says what to do."""

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]

pytestmark = pytest.mark.full

OF_CORE = """
import asyncio, multiprocessing, socket, subprocess, sys, time
import pytest

def test_starts():
    with pytest.raises(RuntimeError):  # also where the product takes it for a failure
        subprocess.run([sys.executable, "-c", ""])

def test_forks():
    multiprocessing.get_context("fork").Process(target=time.monotonic).start()

def test_sleeps():
    time.sleep(0.01)

def test_connects():
    socket.create_connection(("127.0.0.1", PORT))

async def test_waits_for_an_hour():
    began = time.monotonic()
    await asyncio.sleep(3600)
    assert time.monotonic() - began < 60

async def test_waits_for_nothing():
    await asyncio.Event().wait()

async def test_waits_for_ever():
    while True:
        await asyncio.sleep(60)

async def test_waits_for_this_moment():
    loop = asyncio.get_running_loop()
    def again():
        loop.call_later(0, again)
    again()
    await asyncio.sleep(1)

def test_reaches_itself():
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname()).close()
"""
LEAVING = """
import subprocess, sys
import pytest

@pytest.mark.full
def test_leaves_a_process():
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
"""
NEEDING_MORE = """
import pytest
import of_make_full

pytestmark = [pytest.mark.asyncio, pytest.mark.postgres]
"""


def ran(source: str, folder: Path, *arguments: str) -> str:
    """Run tests with the plugin in a process of their own; returns what it printed."""
    (folder / "test_them.py").write_text(source)
    (folder / "pytest.ini").write_text("[pytest]\nasyncio_mode = auto\n")
    command = ["-m", "pytest", "-p", "plugins.tiers", "-p", "no:randomly", "-rA", "-q", *arguments]
    done = subprocess.run(
        [sys.executable, *command, "--rootdir", str(folder), str(folder)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path])},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


def test_core_is_held_to_its_rules(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as of_another_process:
        port = str(of_another_process.getsockname()[1])
        printed = ran(OF_CORE.replace("PORT", port), tmp_path)
    assert "core starts no process: prove it in one process" in printed
    assert "core never sleeps: wait for an event" in printed
    assert "core connects to nothing beyond its own process: serve it here" in printed
    assert "everything waits for something else" in printed
    assert "a day has passed on the virtual clock" in printed
    assert "a call sets itself again for this moment" in printed
    failing = ("waits_for_nothing", "waits_for_ever", "waits_for_this_moment")
    for name in ("starts", "forks", "sleeps", "connects", *failing):
        assert re.search(f"FAILED .*::test_{name}\\b", printed), printed
    for name in ("waits_for_an_hour", "reaches_itself"):
        assert re.search(f"PASSED .*::test_{name}\\b", printed), printed


def test_a_process_that_is_left_is_named_and_ended(tmp_path: Path) -> None:
    printed = ran(LEAVING, tmp_path)
    assert "processes left by tests of this worker" in printed
    assert re.search("ERROR .*::test_leaves_a_process", printed), printed


def test_only_a_module_of_full_may_need_what_make_test_does_not_install(tmp_path: Path) -> None:
    of_make_test = ("-m", "core or system")
    assert "needs of_make_full: `make full` installs it" in ran(
        NEEDING_MORE, tmp_path, *of_make_test
    )
    printed = ran(NEEDING_MORE.replace("mark.postgres", "mark.system"), tmp_path, *of_make_test)
    assert "No module named 'of_make_full'" in printed
    assert "1 error" in printed
