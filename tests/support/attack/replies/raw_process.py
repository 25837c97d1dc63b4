"""The hostile agents of `support.attack.replies.raw_agent` as a process."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from support.casino.live import ENVIRONMENT


@contextmanager
def raw_agents(module: str = "raw_agent") -> Iterator[str]:
    """Run the agents of a module; yields their address."""
    command = [sys.executable, "-m", f"support.attack.replies.{module}"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ENVIRONMENT
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        try:
            yield str(json.loads(process.stdout.readline())["url"])
        finally:
            process.kill()  # it may be busy
