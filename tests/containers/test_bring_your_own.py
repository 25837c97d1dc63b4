"""The README's bot plays in the demo room, as a container and as a process."""

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
from support.author.readme import readme_bot
from support.casino.docker import ENVIRONMENT, ROOT, run
from support.processes import reserved_port

from .compose import Project, checked_score, project

pytestmark = [pytest.mark.docker, pytest.mark.timeout(600)]

FILES = ("docker-compose.yml", "docker-compose.override.example.yml")
EXAMPLES = ["Ruth", "Emil", "Wanda", "Viktor", "Mina", "Otto"]
BOTH = [*EXAMPLES[:5], "My bot"]


def documented_commands() -> list[list[str]]:
    page = (ROOT / "docs/operations.md").read_text()
    section = page.partition("\n## In containers\n")[2].partition("\n## ")[0]
    return [block.splitlines() for block in re.findall(r"```sh\n(.*?)```", section, re.DOTALL)]


def typed(casino: Project, command: str) -> str:
    """Run a command line in the project's directory; returns its output.

    Only the published port is another one, so that the test may run anywhere.
    """
    line = command.replace("localhost:4000", f"localhost:{casino.settings['CASINO_PORT']}")
    if "logs -f" in line:  # until Ctrl-C
        with subprocess.Popen(
            ["bash", "-c", f"exec {line}"],
            env={**ENVIRONMENT, **casino.environment},
            cwd=casino.directory,
            stdout=subprocess.PIPE,
            text=True,
        ) as following:
            assert following.stdout
            opened = next(line for line in following.stdout if "room_opened" in line)
            following.terminate()
        return opened
    ran = run("bash", "-c", line, environment=casino.environment, cwd=casino.directory)
    assert ran.returncode == 0, f"{command}: {ran.stdout}{ran.stderr}"
    return ran.stdout


def seats(casino: Project) -> list[str]:
    """Return the names at the demo table by seat."""
    with casino.rest() as rest:
        summary = rest.room().summary
    assert summary is not None
    return [player.display_name for player in summary.players]


def test_the_documented_commands_in_their_order(images: dict[str, str], tmp_path: Path) -> None:
    """First the casino, then the bot in the same directory; then back, and again while it plays."""
    assert images
    for file in FILES:
        shutil.copy(ROOT / file, tmp_path)
    first, second = documented_commands()
    bring = next(line for line in second if line.startswith("cp "))
    start = next(line for line in second if line.startswith("docker compose up"))
    with project(tmp_path, CASINO_PORT=str(reserved_port())) as casino:
        said = {command: typed(casino, command) for command in first}
        (key,) = [text for command, text in said.items() if "/run/keys/operator" in command]
        assert len(key.strip()) == 43
        (tmp_path / "mybot.py").write_text(readme_bot())
        said = {command: typed(casino, command) for command in second}
        (room,) = [text for command, text in said.items() if command.startswith("curl")]
        assert "My bot" in room
        assert seats(casino) == BOTH
        (tmp_path / "docker-compose.override.yml").unlink()
        typed(casino, f"{start.partition('#')[0]} --remove-orphans")
        assert seats(casino) == EXAMPLES
        typed(casino, bring)
        typed(casino, start)
        assert seats(casino) == BOTH
        with casino.rest() as rest:
            rest.until_hands(rest.hands() + 3)
            score = checked_score(rest.all_events())
        dealer = typed(casino, "docker compose logs dealer")
    outcomes = {one.name: set(one.outcomes) for one in score.players.values()}
    assert outcomes["My bot"] == {"ok"}
    assert dealer.count("player_seated") >= len(BOTH)
    assert "was used for another" not in dealer


@contextmanager
def bot_on_this_machine(directory: Path) -> Iterator[str]:
    """Start the README's bot where containers can reach it; yields its address for them."""
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
    """By the example's steps: copied beside the Compose file, extra_hosts switched on."""
    assert images
    shutil.copy(ROOT / "docker-compose.yml", tmp_path)
    example = (ROOT / "docker-compose.override.example.yml").read_text()
    switched_on, count = re.subn(r"# (lobby:|  extra_hosts:|extra_hosts:)", r"\1", example)
    assert count == 3
    (tmp_path / "docker-compose.override.yml").write_text(switched_on)
    (tmp_path / "mybot.py").write_text(readme_bot())
    with bot_on_this_machine(tmp_path) as address, project(tmp_path) as casino:
        casino.settings["CASINO_DEALER_SEAT"] = f"http://mybot:9000,{address}"
        casino.up()
        with casino.rest() as rest:
            rest.until_hands(10)
            score = checked_score(rest.all_events())
    outcomes = {one.name: set(one.outcomes) for one in score.players.values()}
    assert outcomes["My bot"] == outcomes["Host bot"] == {"ok"}
    assert len(outcomes) == 6
