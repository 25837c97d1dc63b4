"""Read the agent card and specifications of launched tables without serving a room."""

import asyncio
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Mapping

from casino_agentkit import CommandRefused
from casino_contracts import Reason

from casino_lobby.tables.launcher import TABLE_MODULE, environment_of_tables

_TIMEOUT_S = 20.0


class TableProbe:
    """Runs a table process to completion and returns its output."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment_of_tables(environment)

    async def __call__(self, *arguments: str) -> str:
        """Return the standard output for some arguments; raises CommandRefused: NO_TABLE."""
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
            async with asyncio.timeout(_TIMEOUT_S):
                output, log = await process.communicate()
        except TimeoutError:
            raise CommandRefused(
                Reason.NO_TABLE, f"A table process printed nothing within {_TIMEOUT_S:.0f} s."
            ) from None
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        if process.returncode:
            last = log.decode(errors="replace").strip().rpartition("\n")[2]
            raise CommandRefused(Reason.NO_TABLE, f"A table process did not start: {last}")
        return output.decode()
