"""The README's commands work as printed; its bots are tested in test_readme_bots.py."""

import asyncio
import json
import re
import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from support.casino.live import ProcessCasino, live_casino
from support.requirements import unavailable

pytestmark = [pytest.mark.full, pytest.mark.timeout(120)]

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()


@pytest.fixture
async def casino() -> AsyncIterator[ProcessCasino]:
    """Run a lobby without a key."""
    if shutil.which("curl") is None:
        unavailable("curl is not installed")
    async with live_casino() as running:
        yield running


def documents(text: str) -> Iterator[Any]:
    """Read consecutive JSON documents."""
    decoder, at = json.JSONDecoder(), 0
    while at < len(text):
        document, at = decoder.raw_decode(text, at)
        yield document


async def typed(lines: str, casino: ProcessCasino, *players: str) -> list[Any]:
    """Run shell lines, with the test's ports; returns the JSON that they print."""
    script = lines.replace("localhost:4000", casino.lobby.url.replace("127.0.0.1", "localhost"))
    for address, player in zip(("127.0.0.1:9000", "127.0.0.1:4101"), players, strict=True):
        script = script.replace(f"http://{address}", player)
    shell = await asyncio.create_subprocess_exec(
        "bash", "-e", "-c", script, stdout=asyncio.subprocess.PIPE
    )
    printed, _ = await shell.communicate()
    assert shell.returncode == 0
    return list(documents(printed.decode()))


async def test_the_readme_s_curl_lines_drive_a_room(casino: ProcessCasino) -> None:
    """Without a key, with the content type of curl."""
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


def test_links_of_the_documentation_lead_to_files() -> None:
    """README and docs are checked."""
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
