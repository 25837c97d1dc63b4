"""Programs that others could have written, most in an environment of its own below `.foreign`.

`tools/foreign-agents` prepares the environments; without them tests skip, in CI they fail.
"""

import asyncio
import contextlib
import json
import os
import shutil
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import httpx

from support.processes import PATIENCE_S, eventually, reserved_port
from support.requirements import unavailable

Json = dict[str, Any]
ROOT = Path(__file__).parents[3]
FOREIGN = ROOT / "tests" / "foreign"
ENVIRONMENTS = ROOT / ".foreign"
_CARD = "/.well-known/agent-card.json"
_A_GAME_S = 240.0
"""How long a client may play."""


def some_are_prepared() -> None:
    """Skip where no environment was ever prepared, before a casino is started for nothing."""
    if not ENVIRONMENTS.exists():
        unavailable("no foreign agent is prepared: make foreign-agents")


def program(agent: str, name: str) -> list[str]:
    """Return the command of an agent's program, such as `agent`; skips where it is not prepared.

    In Node it may also be a command of one of its packages.
    """
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
    if (command := environment / "node_modules" / ".bin" / name).exists():
        return [_installed("node"), str(command)]
    # Node looks for packages beside the program.
    for file in (*source.glob("*.mjs"), *source.glob("*.json")):
        _copied(file, environment / file.name)
    return [_installed("node"), str(environment / f"{name}.mjs")]


def plain_program(path: str) -> list[str]:
    """Return the command of an agent's program that needs no installed package."""
    file = FOREIGN / "agents" / path
    runner = [sys.executable, "-S", "-E"] if file.suffix == ".py" else [_installed("node")]
    return [*runner, str(file)]


@asynccontextmanager
async def foreign_agent(agent: str, *arguments: str) -> AsyncIterator[str]:
    """Run an agent on a free port; gives its card's URL once that is served."""
    port = reserved_port()
    async with running([*program(agent, "agent"), str(port), *arguments], port) as url:
        yield url


@asynccontextmanager
async def served_by(agent: str, name: str, path: str) -> AsyncIterator[str]:
    """Run one of an agent's programs on a free port; gives its URL once `path` is served."""
    port = reserved_port()
    async with running([*program(agent, name), str(port)], port, path) as url:
        yield url.removesuffix(path)


@asynccontextmanager
async def plain_player(path: str) -> AsyncIterator[str]:
    """Run a player that needs no installed package; gives its card's URL."""
    port = reserved_port()
    async with running([*plain_program(path), str(port)], port) as url:
        yield url


@asynccontextmanager
async def running(command: list[str], port: int, path: str = _CARD) -> AsyncIterator[str]:
    """Run a command; gives the URL of `path`, an agent's card, once that is served at the port.

    What it writes is printed at its end, and so stands in the report of a test that fails.
    """
    url = f"http://127.0.0.1:{port}{path}"
    with TemporaryFile() as log:
        process = await asyncio.create_subprocess_exec(*command, stdout=log, stderr=log)

        async def is_served() -> bool:
            assert process.returncode is None, f"it ended with code {process.returncode}"
            with contextlib.suppress(httpx.TransportError):
                return (await http.get(url)).is_success
            return False

        try:
            async with httpx.AsyncClient(trust_env=False) as http:
                await eventually(is_served)
            yield url
        finally:
            await _end(process)
            log.seek(0)
            sys.stdout.write(log.read().decode())


async def output_of(command: list[str], *arguments: str, within_s: float = _A_GAME_S) -> str:
    """Run a program to its end; returns what it prints."""
    process = await asyncio.create_subprocess_exec(*command, *arguments, stdout=PIPE, stderr=PIPE)
    try:
        async with asyncio.timeout(within_s):
            printed, log = await process.communicate()
    finally:
        await _end(process)
    assert process.returncode == 0, f"{printed.decode()[-4000:]}\n{log.decode()[-4000:]}"
    return printed.decode()


class ForeignClient:
    """The command of a client of the gateway; `run` gives what it has counted at its end."""

    def __init__(self, command: list[str], dump: Path) -> None:
        self._command = command
        self._dump = dump

    async def run(self) -> Json:
        counted: Json = json.loads(await output_of(self._command))
        return counted

    async def beside(self, *others: Coroutine[Any, Any, object]) -> Json:
        """Run it while others do their part; the failure of one ends all."""
        async with asyncio.TaskGroup() as group:
            counting = group.create_task(self.run())
            for other in others:
                group.create_task(other)
        return counting.result()

    def messages(self) -> Iterator[Json]:
        """Yield what went over its socket, in both directions."""
        with self._dump.open() as lines:
            for line in lines:
                entry = json.loads(line)
                if entry["via"] == "ws":
                    yield json.loads(entry["text"])


def a2g_client(url: str, name: str, *rooms: str, dump: Path, **options: object) -> ForeignClient:
    """Return an A2G client in Node that plays in these rooms."""
    arguments = _options(url=url, name=name, dump=dump, **options)
    for room in rooms:
        arguments += _options(room=room)
    return ForeignClient([*program("a2g_client", "client"), *arguments], dump)


def boardgame_client(
    url: str, name: str, match: str, game: str, *, dump: Path, **options: object
) -> ForeignClient:
    """Return a Boardgame Protocol client in Node that plays by push."""
    arguments = _options(url=url, name=name, match=match, game=game, dump=dump, **options)
    return ForeignClient([*program("boardgame_client", "client"), *arguments], dump)


def bash_bot(url: str, name: str, match: str, game: str, dump: Path) -> ForeignClient:
    """Return a Boardgame Protocol bot of bash, curl and jq that plays by polling."""
    for tool in ("curl", "jq"):
        _installed(tool)
    bot = FOREIGN / "bash_bot" / "bot.sh"
    return ForeignClient([_installed("bash"), str(bot), url, match, game, name, str(dump)], dump)


def _options(**options: object) -> list[str]:
    arguments: list[str] = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        arguments += [option] if value is True else [option, str(value)]
    return arguments


def _installed(tool: str) -> str:
    found = shutil.which(tool)
    if found is None:
        unavailable(f"{tool} is not installed")
    return found


def _copied(file: Path, to: Path) -> None:
    """Copy a file whole or not at all: another test may be reading it."""
    if to.exists() and to.read_bytes() == file.read_bytes():
        return
    part = to.with_suffix(f".{os.getpid()}")
    shutil.copy(file, part)
    part.replace(to)


async def _end(process: Process) -> None:
    """Ask it to end, and kill it when it does not."""
    if process.returncode is None:
        process.terminate()
    try:
        async with asyncio.timeout(PATIENCE_S):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()
