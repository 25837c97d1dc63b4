"""Programs that others could have written, each in an environment of its own below `.foreign`.

`tools/foreign-agents` prepares the environments; without them tests skip, in CI they fail.
"""

import asyncio
import contextlib
import os
import shutil
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryFile

import httpx

from support.free_port import free_port
from support.requirements import unavailable

ROOT = Path(__file__).parents[3]
FOREIGN = ROOT / "tests" / "foreign"
ENVIRONMENTS = ROOT / ".foreign"
_CARD = "/.well-known/agent-card.json"
_START_S = 60.0
_END_S = 10.0


def some_are_prepared() -> None:
    """Skip where no environment was ever prepared, before a casino is started for nothing."""
    if not ENVIRONMENTS.exists():
        unavailable("no foreign agent is prepared: make foreign-agents")


def program(agent: str, name: str) -> list[str]:
    """Return the command of an agent's program, such as `agent`; skips where it is not prepared."""
    source = next(one for one in (FOREIGN / "agents" / agent, FOREIGN / agent) if one.exists())
    environment = ENVIRONMENTS / agent
    is_script = (source / "package.json").exists()
    requirements = source / ("package.json" if is_script else "requirements.txt")
    prepared = environment / "ready"
    if not prepared.exists() or prepared.read_text() != requirements.read_text():
        oldest = source / ".python-version"
        needs = f", which needs Python {oldest.read_text().strip()}" if oldest.exists() else ""
        unavailable(f"{agent} is not prepared: make foreign-agents{needs}")
    if not is_script:
        return [str(environment / "bin" / "python"), str(source / f"{name}.py")]
    node = shutil.which("node")
    if node is None:
        unavailable("Node is not installed")
    # Node looks for packages beside the program.
    for file in (*source.glob("*.mjs"), *source.glob("*.json")):
        _copied(file, environment / file.name)
    return [node, str(environment / f"{name}.mjs")]


@asynccontextmanager
async def foreign_agent(agent: str, *arguments: str) -> AsyncIterator[str]:
    """Run an agent on a free port; gives its card's URL once that is served."""
    port = free_port()
    async with running([*program(agent, "agent"), str(port), *arguments], port) as url:
        yield url


@asynccontextmanager
async def served_by(agent: str, name: str, path: str, *arguments: str) -> AsyncIterator[str]:
    """Run one of an agent's programs on a free port; gives its URL once `path` is served."""
    port = free_port()
    async with running([*program(agent, name), str(port), *arguments], port, path) as url:
        yield url.removesuffix(path)


@asynccontextmanager
async def running(command: list[str], port: int, path: str = _CARD) -> AsyncIterator[str]:
    """Run a command; gives the URL of `path`, an agent's card, once that is served at the port.

    What it writes is printed at its end, and so stands in the report of a test that fails.
    """
    with TemporaryFile() as log:
        process = await asyncio.create_subprocess_exec(*command, stdout=log, stderr=log)
        try:
            url = f"http://127.0.0.1:{port}{path}"
            await _until_served(process, url)
            yield url
        finally:
            await _end(process)
            log.seek(0)
            sys.stdout.write(log.read().decode())


async def output_of(agent: str, name: str, *arguments: str, within_s: float = _START_S) -> str:
    """Run one of an agent's programs to its end; returns what it prints."""
    command = program(agent, name)
    process = await asyncio.create_subprocess_exec(*command, *arguments, stdout=PIPE, stderr=PIPE)
    try:
        async with asyncio.timeout(within_s):
            printed, log = await process.communicate()
    finally:
        await _end(process)
    assert process.returncode == 0, log.decode()
    return printed.decode()


def _copied(file: Path, to: Path) -> None:
    """Copy a file whole or not at all: another test may be reading it."""
    if to.exists() and to.read_bytes() == file.read_bytes():
        return
    part = to.with_suffix(f".{os.getpid()}")
    shutil.copy(file, part)
    part.replace(to)


async def _until_served(process: Process, url: str) -> None:
    async with asyncio.timeout(_START_S), httpx.AsyncClient(trust_env=False) as http:
        while process.returncode is None:
            with contextlib.suppress(httpx.TransportError):
                if (await http.get(url)).is_success:
                    return
            await asyncio.sleep(0.05)
    raise AssertionError(f"it ended with code {process.returncode}")


async def _end(process: Process) -> None:
    """Ask it to end, and kill it when it does not."""
    if process.returncode is None:
        process.terminate()
    try:
        async with asyncio.timeout(_END_S):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()
