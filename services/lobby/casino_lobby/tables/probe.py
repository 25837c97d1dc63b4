"""What a table of the lobby's own would say of itself, without being launched for a room."""

import asyncio
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Mapping

from casino_agentkit import CommandRefused

from casino_lobby.tables.launcher import TABLE_MODULE, environment_of_tables

_SLOWEST_S = 20.0


class TableProbe:
    """Runs a table process that prints something and ends."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment_of_tables(environment)

    async def __call__(self, *arguments: str) -> str:
        """Return what it prints; raises CommandRefused: NO_TABLE."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            TABLE_MODULE,
            *arguments,
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=PIPE,
            env=self._environment,
        )
        try:
            async with asyncio.timeout(_SLOWEST_S):
                output, log = await process.communicate()
        except TimeoutError:
            raise CommandRefused(
                "NO_TABLE", "A table process took too long to say anything."
            ) from None
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        if process.returncode:
            last = log.decode(errors="replace").strip().rpartition("\n")[2]
            raise CommandRefused("NO_TABLE", f"A table process did not start: {last}")
        return output.decode()
