"""A service process that can be asked which modules it has imported."""

import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from support.casino.casino import process
from support.casino.members import Process
from support.processes import eventually


class ReportingService:
    """A running service process; `child` has its addresses."""

    def __init__(self, child: Process, file: Path) -> None:
        self.child = child
        self._file = file

    async def modules(self) -> set[str]:
        """Return the names of the modules that the process has imported by now."""
        self._file.unlink(missing_ok=True)
        os.kill(self.child.pid, signal.SIGUSR1)

        async def is_written() -> bool:
            return self._file.exists()

        await eventually(is_written)
        return set(self._file.read_text().split())

    async def imported(self, packages: set[str]) -> set[str]:
        """Return which of these packages it has imported by now."""
        modules = await self.modules()
        return {name for name in packages if name in modules}


@asynccontextmanager
async def reporting_service(
    module: str, *arguments: str, **settings: str
) -> AsyncIterator[ReportingService]:
    """Run a service on a free port; `settings` are added to its environment."""
    with TemporaryDirectory() as directory:
        file = Path(directory) / "modules"
        command = [str(file), module, *arguments, "--port", "0"]
        running = process(module, "support.casino.module_report", command, settings=settings)
        async with running as child:
            yield ReportingService(child, file)
