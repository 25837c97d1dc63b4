"""The README's bot is a real bot: it is copied out of the page, started, and plays."""

import asyncio
import json
import re
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from casino_agentkit.server import bind
from support.chromium import unavailable
from support.live import ENVIRONMENT, LiveCasino, live_casino

pytestmark = [pytest.mark.processes, pytest.mark.timeout(120)]

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()


def test_the_bot_of_the_readme_plays(tmp_path: Path) -> None:
    """Without any package, every decision its own."""
    found = re.search(r"```python\n(\"\"\"mybot.py.*?)```", README, re.DOTALL)
    assert found
    free = bind("127.0.0.1", 0)
    port = str(free.getsockname()[1])
    free.close()
    bot = tmp_path / "mybot.py"
    bot.write_text(found[1].replace("9000", port))
    with subprocess.Popen([sys.executable, "-I", str(bot)]) as process:
        try:
            up = subprocess.run(
                [sys.executable, "-m", "casino", "up", "--hands", "20", "--exit", "--json",
                 "--port", "0", "--players", "caller,random,tight",
                 "--seat", f"http://127.0.0.1:{port}/.well-known/agent-card.json"],
                env=ENVIRONMENT,
                capture_output=True,
                text=True,
                check=False,
            )  # fmt: skip
        finally:
            process.terminate()
    assert up.returncode == 0, up.stdout + up.stderr
    players = {one["name"]: one for one in json.loads(up.stdout.splitlines()[-1])["players"]}
    assert set(players["My bot"]["outcomes"]) == {"ok"}


@pytest.fixture
async def casino() -> AsyncIterator[LiveCasino]:
    """Run a lobby as it is on a laptop: without a key."""
    if shutil.which("curl") is None:
        unavailable("curl is not installed")
    async with live_casino() as running:
        yield running


def documents(text: str) -> Iterator[Any]:
    """Read JSON documents that stand one behind the other."""
    decoder, at = json.JSONDecoder(), 0
    while at < len(text):
        document, at = decoder.raw_decode(text, at)
        yield document


async def typed(lines: str, casino: LiveCasino, *players: str) -> list[Any]:
    """Type lines into a shell, word for word but for the ports; returns what they print."""
    script = lines.replace("localhost:4000", casino.lobby.url.replace("127.0.0.1", "localhost"))
    for address, player in zip(("127.0.0.1:9000", "127.0.0.1:4101"), players, strict=True):
        script = script.replace(f"http://{address}", player)
    shell = await asyncio.create_subprocess_exec(
        "bash", "-e", "-c", script, stdout=asyncio.subprocess.PIPE
    )
    printed, _ = await shell.communicate()
    assert shell.returncode == 0
    return list(documents(printed.decode()))


async def test_the_curl_lines_drive_a_room(casino: LiveCasino) -> None:
    """Without a key, and whatever type curl gives to what it sends."""
    found = re.search(r"## Driving rooms\n\n```sh\n(.*?)```", README, re.DOTALL)
    assert found
    assert "content-type" in found[1]
    assert found[1].count(" -d ") == 3
    bots = [(await casino.sample(style)).url for style in ("caller", "tight")]
    opened, first, second, room, page, closing = await typed(found[1], casino, *bots)
    assert opened["roomId"] == "green"
    assert [seat["seatNumber"] for seat in (first, second)] == [0, 1]
    assert len(room["summary"]["players"]) == 2
    assert page["events"][0]["tableId"] == "green"
    assert closing["summary"]["state"] in {"closing", "closed"}


def test_every_link_of_the_documentation_leads_somewhere() -> None:
    """Files that are named exist."""
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
