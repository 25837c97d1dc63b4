"""AGENTS.md and the skill lead to a bot at a table: every step works as it is written."""

import asyncio
import os
import re
import signal
import sys
from contextlib import suppress
from pathlib import Path

import pytest
import yaml
from support.casino.casino import ProcessCasino
from support.casino.members import ENVIRONMENT
from support.processes import PATIENCE_S

from .conftest import KEY

ROOT = Path(__file__).parents[2]
AGENTS = ROOT / "AGENTS.md"
MOST_LINES = 199
"""Of AGENTS.md and the skill's folder, which an agent reads first."""
LONGEST_DESCRIPTION = 1_024
STEP = re.compile(
    r"(?:`(?P<file>[\w.]+)`:\n\n)?```(?P<kind>sh|python)\n(?P<text>.*?)```", re.DOTALL
)


def skill() -> Path:
    """Return the skill that AGENTS.md names for bots."""
    found = re.search(r"\]\(([^)]*SKILL\.md)\)", AGENTS.read_text())
    assert found
    return ROOT / found[1]


def test_the_skill_has_the_open_form_and_hosts_find_it() -> None:
    """Its folder has its name, below the folders that hosts search."""
    front, text = skill().read_text().removeprefix("---\n").split("\n---\n", 1)
    fields = yaml.safe_load(front)
    assert fields["name"] == skill().parent.name == "casino-bot"
    assert 0 < len(fields["description"]) <= LONGEST_DESCRIPTION
    assert text.lstrip().startswith("# ")
    for host in (".agents", ".claude"):
        assert (ROOT / host / "skills/casino-bot/SKILL.md").samefile(skill())


def test_an_agent_reads_few_lines() -> None:
    read = [AGENTS, *(path for path in skill().parent.rglob("*") if path.is_file())]
    assert sum(len(path.read_text().splitlines()) for path in read) <= MOST_LINES


@pytest.mark.system
@pytest.mark.timeout(180)
@pytest.mark.asyncio(loop_scope="session")
async def test_the_steps_as_written_seat_a_bot_that_plays(
    casino: ProcessCasino, tmp_path: Path
) -> None:
    """In an empty directory, by the installed command and one shell, in the order of the text."""
    texts, work = tmp_path / "texts", tmp_path / "work"
    texts.mkdir()
    work.mkdir()
    script = []
    for step in STEP.finditer(skill().read_text()):
        if step["kind"] == "python":
            (texts / step["file"]).write_text(step["text"])
            script.append(f"cp {texts / step['file']} .\n")
        else:
            script.append(step["text"])
    written, code = await _run("".join(script), work, casino.lobby.url)
    assert code == 0, written
    assert "ready for a table" in written
    assert written.count("room casino-bot-trial was closed") == 2  # each bot has ended by itself
    standings = (await casino.http.get("/v1/rooms/casino-bot-trial/standings")).json()
    assert {player["displayName"] for player in standings["players"]} == {"first", "second"}
    for player in standings["players"]:
        assert player["hands"] >= 3
        assert player["faults"] == {}


async def _run(script: str, directory: Path, lobby: str) -> tuple[str, int]:
    """Run a script until it ends or fails; return what it wrote, and its exit code."""
    commands = Path(sys.executable).parent
    environment = {
        **ENVIRONMENT,
        "PATH": os.pathsep.join((str(commands), "/usr/bin", "/bin")),
        "CASINO_CONSOLE_LOBBY_URL": lobby,
        "CASINO_OPERATOR_TOKEN": KEY,
    }
    log = directory.with_suffix(".log")
    with log.open("wb") as output:
        shell = await asyncio.create_subprocess_exec(
            *("bash", "-e", "-c", script),
            cwd=directory,
            env=environment,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    try:
        async with asyncio.timeout(PATIENCE_S):
            code = await shell.wait()
    finally:
        with suppress(ProcessLookupError):  # bots in the background of a script that failed
            os.killpg(shell.pid, signal.SIGKILL)
    return log.read_text(), code
