"""Bots that run as processes, as their authors start them."""

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from support.processes import reserved_port, wait_for
from support.requirements import unavailable


@dataclass(frozen=True)
class BotProcess:
    """A bot that listens; `log` is the file of what it prints."""

    port: int
    log: Path

    @property
    def card(self) -> str:
        return f"http://127.0.0.1:{self.port}/.well-known/agent-card.json"


def runtime(language: str) -> list[str]:
    """Return the command that runs a file of a language; skips where it is not installed."""
    if language == "python":
        return [sys.executable, "-I"]
    node = shutil.which("node")
    if node is None:
        unavailable("Node is not installed")
    return [node]


@contextmanager
def bot_process(
    command: Sequence[str], directory: Path, settings: Mapping[str, str] | None = None
) -> Iterator[BotProcess]:
    """Run a bot in a directory, at the port of its variable PORT, until the end of the block."""
    bot = BotProcess(reserved_port(), directory / "bot.log")
    environment = {**os.environ, "PORT": str(bot.port), **(settings or {})}
    with (
        bot.log.open("wb") as log,
        subprocess.Popen(
            command, cwd=directory, env=environment, stdout=log, stderr=subprocess.STDOUT
        ) as process,
    ):
        try:
            wait_for(lambda: _listens(process, bot))
            yield bot
        finally:
            process.terminate()


def _listens(process: subprocess.Popen[bytes], bot: BotProcess) -> bool:
    assert process.poll() is None, bot.log.read_text()
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", bot.port)) == 0
