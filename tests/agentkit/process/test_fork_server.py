"""Copies of a process that has imported a service: as processes of their own, and independent."""

import asyncio
import os
import signal
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from casino_agentkit import Child, ChildFailed
from casino_agentkit.process.fork_server import UNSEEN_END, ForkServer
from support.on_uvloop import on_uvloop

pytestmark = pytest.mark.full

SERVICE = """
import json, os, sys

imported_by = os.getpid()

def warm_up():
    if "BROKEN" in os.environ:
        sys.exit("no such game")

def main():
    if sys.argv[-1] == "crash":
        sys.exit("cannot start")
    about = [os.environ["NAME"], str(imported_by != os.getpid()), *sys.argv]
    print("reads", file=sys.stderr, flush=True)
    print(json.dumps({"url": "", "cards": about}), flush=True)
    os.read(0, 1)
    sys.exit(3)
"""


class Forks:
    """A server of the service above, in a folder of the test."""

    def __init__(self, folder: Path, **environment: str) -> None:
        package = folder / "forked"
        package.mkdir()
        (package / "__init__.py").touch()
        (package / "__main__.py").write_text(SERVICE)
        path = os.pathsep.join((str(folder), os.environ.get("PYTHONPATH", "")))
        self.environment = {**os.environ, "PYTHONPATH": path, **environment}
        self.server = ForkServer("forked", self.environment)
        self.log: list[str] = []

    async def start(self, name: str, *arguments: str) -> Child:
        environment = {**self.environment, "NAME": name}
        with socket.socket() as listener:
            return await self.server.start(
                name, arguments, environment=environment, listener=listener, on_log=self.log.append
            )


@pytest.fixture
async def forks(tmp_path: Path) -> AsyncIterator[Forks]:
    forks = Forks(tmp_path)
    yield forks
    await forks.server.close()


async def test_copies_have_what_was_imported_once_and_arguments_and_variables_of_their_own(
    forks: Forks,
) -> None:
    first, second = await asyncio.gather(forks.start("a", "--x"), forks.start("b"))
    name, was_copied, module, supervised, *more = first.cards
    assert (name, was_copied, module, supervised) == ("a", "True", "forked", "--supervised")
    assert more[0] == "--listener"
    assert more[2:] == ["--x"]
    assert second.cards[:2] == ("b", "True")
    os.kill(first.pid, signal.SIGKILL)
    assert await first.wait() == -signal.SIGKILL
    assert second.exit_code is None
    second._process.terminate()
    assert await second.wait() == -signal.SIGTERM
    assert forks.log == ["reads", "reads"]


async def test_a_copy_that_does_not_start_says_why(forks: Forks) -> None:
    with pytest.raises(ChildFailed, match="a: ended with code 1 before it was ready") as failed:
        await forks.start("a", "crash")
    assert failed.value.log == ("cannot start",)


async def test_a_server_that_cannot_start_says_why(tmp_path: Path) -> None:
    forks = Forks(tmp_path, BROKEN="")
    with pytest.raises(ChildFailed, match="a: its fork server did not start: no such game"):
        await forks.start("a")


async def test_copies_outlive_their_server_and_their_end_is_seen(tmp_path: Path) -> None:
    forks = Forks(tmp_path)
    first = await forks.start("a")
    await forks.server.close()
    second = await forks.start("b")
    assert first.exit_code is None
    codes = []
    for child in (first, second):
        child._process.kill()
        codes.append(await child.wait())
    assert codes == [UNSEEN_END, -signal.SIGKILL]
    await forks.server.close()


test_copies_outlive_their_server_on_uvloop = on_uvloop(
    test_copies_outlive_their_server_and_their_end_is_seen
)
