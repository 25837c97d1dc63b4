"""The `casino` command as a user runs it: to its end, or line by line until a signal."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil

from support.casino.members import ENVIRONMENT
from support.processes import PATIENCE_S, is_gone, wait_for

WITH_PARENT = (
    sys.executable,
    "-I",
    "-S",
    str(Path(__file__).parents[1] / "joined" / "with_parent.py"),
)
"""Starts a command that does not outlive this process; Python's arguments follow."""
CASINO = (*WITH_PARENT, "-m", "casino")
UP = ("up", "--json", "--port", "0")


def finished(
    *arguments: str, cwd: Path | None = None, settings: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the command to its end."""
    return subprocess.run(
        [*CASINO, *arguments],
        cwd=cwd,
        env={**ENVIRONMENT, **(settings or {})},
        capture_output=True,
        text=True,
        check=False,
    )


async def finished_beside(
    *arguments: str, settings: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the command to its end while this loop goes on; it is killed when the test is given up.

    The guard of a test ends no thread that waits for a command.
    """
    pipe, environment = subprocess.PIPE, {**ENVIRONMENT, **(settings or {})}
    process = await asyncio.create_subprocess_exec(
        *CASINO, *arguments, env=environment, stdout=pipe, stderr=pipe
    )
    try:
        output, errors = await process.communicate()
    finally:
        with suppress(ProcessLookupError):
            process.kill()
    assert process.returncode is not None
    return subprocess.CompletedProcess(
        arguments, process.returncode, output.decode(), errors.decode()
    )


def json_lines(output: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines()]


class Command:
    """A command that writes JSON lines, in a process group of its own as in a shell."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process
        self.lines: list[dict[str, Any]] = []
        """All that were read so far."""

    def line(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        text = self.process.stdout.readline()
        assert text, f"it ended: {self.lines[-5:]} {self._errors()}"
        self.lines.append(json.loads(text))
        return self.lines[-1]

    def until(self, text: str) -> dict[str, Any]:
        while text not in json.dumps(self.line()):
            pass
        return self.lines[-1]

    def until_hand(self, number: int) -> None:
        """Read until that hand of the main room is over."""
        while self.line()["event"] != "hand" or self.lines[-1]["hand"] < number:
            pass

    def rest(self) -> list[dict[str, Any]]:
        """Return the lines until it ends."""
        assert self.process.stdout is not None
        rest = json_lines(self.process.stdout.read())
        self.lines += rest
        return rest

    def address(self, what: str) -> str:
        (url,) = {line["url"] for line in self.lines if line.get("text", "").startswith(what)}
        return str(url)

    def pid_of(self, text: str) -> int:
        """Return the process id of a line that has a text."""
        (pid,) = [one["pid"] for one in self.lines if "pid" in one and text in one["text"]]
        return int(pid)

    def processes(self) -> list[psutil.Process]:
        parent = psutil.Process(self.process.pid)
        return [parent, *parent.children(recursive=True)]

    def signal(self, how: signal.Signals, *, is_group: bool = False) -> None:
        """Send it a signal, or to its whole group, as a terminal does."""
        (os.killpg if is_group else os.kill)(self.process.pid, how)

    def ended(self) -> int:
        """Wait for its end; return the exit code."""
        return self.process.wait(PATIENCE_S)

    def _errors(self) -> str:
        return self.process.stderr.read() if self.process.stderr else ""


@contextmanager
def started(
    *arguments: str, cwd: Path | None = None, settings: Mapping[str, str] | None = None
) -> Iterator[Command]:
    """Run the command; one that has not ended by itself is killed."""
    with subprocess.Popen(
        [*CASINO, *arguments],
        cwd=cwd,
        env={**ENVIRONMENT, **(settings or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            yield Command(process)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def all_end(processes: list[psutil.Process]) -> None:
    """Wait until none of these runs any more."""
    wait_for(lambda: all(is_gone(process.pid) for process in processes))
