"""Programs of the invoke profile on the standard library of Node or Python alone."""

import asyncio
import shutil
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from support.free_port import free_port
from support.players.foreign import FOREIGN, running
from support.requirements import unavailable

_LONGEST_S = 90.0


def _command(program: str) -> list[str]:
    """Return the command of a program, without any installed package."""
    path = FOREIGN / "agents" / program
    if path.suffix == ".py":
        return [sys.executable, "-S", "-E", str(path)]
    node = shutil.which("node")
    if node is None:
        unavailable("Node is not installed")
    return [str(node), str(path)]


@asynccontextmanager
async def plain_player(program: str) -> AsyncIterator[str]:
    """Run a player on a free port; gives its card's URL once that is served."""
    port = free_port()
    async with running([*_command(program), str(port)], port) as url:
        yield url


async def printed_by(program: str, *arguments: str) -> str:
    """Run a program to its end; returns what it prints."""
    process = await asyncio.create_subprocess_exec(
        *_command(program), *arguments, stdout=PIPE, stderr=PIPE
    )
    try:
        async with asyncio.timeout(_LONGEST_S):
            printed, log = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode == 0, log.decode()
    return printed.decode()
