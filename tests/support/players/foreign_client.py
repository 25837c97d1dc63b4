"""Clients of the gateway that were written from the protocols' documents, as processes."""

import asyncio
import json
import shutil
from asyncio.subprocess import PIPE
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any

from support.players.foreign import FOREIGN, program
from support.requirements import unavailable

Json = dict[str, Any]


class ForeignClient:
    """A client's command; `run` starts it, and gives what it has counted at its end."""

    def __init__(self, command: list[str], dump: Path | None = None) -> None:
        self._command = command
        self.dump = dump

    async def run(self, within_s: float = 240) -> Json:
        """Run it to its end; raises AssertionError where it fails, with what it has written."""
        process = await asyncio.create_subprocess_exec(*self._command, stdout=PIPE, stderr=PIPE)
        try:
            async with asyncio.timeout(within_s):
                printed, log = await process.communicate()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        assert process.returncode == 0, (printed.decode()[-4000:], log.decode()[-4000:])
        counted: Json = json.loads(printed)
        return counted

    async def beside(self, *others: Coroutine[Any, Any, object]) -> Json:
        """Run it while others do their part; the failure of one ends all."""
        async with asyncio.TaskGroup() as group:
            counting = group.create_task(self.run())
            for other in others:
                group.create_task(other)
        return counting.result()

    def messages(self, direction: str = "in") -> Iterator[Json]:
        """Yield what went over its socket in one direction."""
        for line in self.texts(direction):
            yield json.loads(line)

    def texts(self, direction: str = "in", *, via: str = "ws") -> Iterator[str]:
        """Yield the bytes of each message, as text."""
        assert self.dump is not None
        with self.dump.open() as lines:
            for line in lines:
                entry = json.loads(line)
                if entry["direction"] == direction and entry["via"] == via:
                    yield entry["text"]


def a2g_client(
    url: str, name: str, *rooms: str, dump: Path | None, **options: object
) -> ForeignClient:
    """Return an A2G client in Node that plays in these rooms."""
    arguments = ["--url", url, "--name", name]
    for room in rooms:
        arguments += ["--room", room]
    return ForeignClient(
        [*program("a2g_client", "client"), *arguments, *_options(dump, options)], dump
    )


def boardgame_client(
    url: str, name: str, match: str, game: str, *, dump: Path | None, **options: object
) -> ForeignClient:
    """Return a Boardgame Protocol client in Node that plays by push."""
    arguments = ["--url", url, "--name", name, "--match", match, "--game", game]
    command = [*program("boardgame_client", "client"), *arguments, *_options(dump, options)]
    return ForeignClient(command, dump)


def bash_bot(url: str, name: str, match: str, game: str, dump: Path) -> ForeignClient:
    """Return a Boardgame Protocol bot of bash, curl and jq that plays by polling."""
    for tool in ("bash", "curl", "jq"):
        if shutil.which(tool) is None:
            unavailable(f"{tool} is not installed")
    bot = FOREIGN / "bash_bot" / "bot.sh"
    return ForeignClient(["bash", str(bot), url, match, game, name, str(dump)], dump)


def _options(dump: Path | None, options: dict[str, object]) -> list[str]:
    named = {**options, **({} if dump is None else {"dump": dump})}
    arguments: list[str] = []
    for name, value in named.items():
        option = "--" + name.replace("_", "-")
        arguments += [option] if value is True else [option, str(value)]
    return arguments
