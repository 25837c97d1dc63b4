"""A stranger's bot at the demo room: the README's, as a container and as a process."""

import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.containers import ROOT, checked_score, project

pytestmark = [pytest.mark.containers, pytest.mark.timeout(300)]


def readme_bot() -> str:
    """Return the README's bot."""
    page = (ROOT / "README.md").read_text()
    found = re.search(r"```python\n(\"\"\"mybot.py.*?)```", page, re.DOTALL)
    assert found
    return found[1]


@contextmanager
def bot_on_this_machine(directory: Path) -> Iterator[str]:
    """Start the README's bot where containers can reach it; gives the address that they use."""
    with socket.socket() as probe:
        probe.bind(("0.0.0.0", 0))
        port = str(probe.getsockname()[1])
    bot = directory / "hostbot.py"
    bot.write_text(readme_bot().replace("9000", port).replace("My bot", "Host bot"))
    environment = {**os.environ, "HOST": "0.0.0.0"}
    with subprocess.Popen([sys.executable, "-I", str(bot)], env=environment) as process:
        try:
            yield f"http://host.docker.internal:{port}"
        finally:
            process.terminate()


def test_a_bot_plays_as_a_service_and_as_a_process_of_the_host(
    images: dict[str, str], tmp_path: Path
) -> None:
    """By the example's steps: copied beside the Compose file, nothing else changed."""
    assert images
    shutil.copy(ROOT / "docker-compose.yml", tmp_path)
    example = ROOT / "docker-compose.override.example.yml"
    shutil.copy(example, tmp_path / "docker-compose.override.yml")
    (tmp_path / "mybot.py").write_text(readme_bot())
    with bot_on_this_machine(tmp_path) as address, project(tmp_path) as casino:
        casino.settings["CASINO_DEALER_SEAT"] = f"http://mybot:9000,{address}"
        casino.up()
        with casino.rest() as rest:
            rest.until_hands(10)
            score = checked_score(rest.events())
    outcomes = {one.name: set(one.outcomes) for one in score.players.values()}
    assert outcomes["My bot"] == outcomes["Host bot"] == {"ok"}
    assert len(outcomes) == 6
