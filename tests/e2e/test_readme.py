"""The README's bot and commands work as printed."""

import asyncio
import json
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from casino_agentkit.server.server import bind
from support.casino.live import ENVIRONMENT, ProcessCasino, live_casino
from support.processes import wait_for
from support.requirements import unavailable

pytestmark = [pytest.mark.processes, pytest.mark.timeout(120)]

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()


ACT = {
    "jsonrpc": "2.0",
    "id": "1",
    "method": "SendMessage",
    "params": {
        "message": {
            "metadata": {"urn:a2a-casino:typed-entrypoints:v1": {"skill": "act"}},
            "parts": [
                {
                    "data": {
                        "legalActions": ["fold", "call", "raise", "all-in"],
                        "holeCards": [{"rank": "A"}, {"rank": "K"}],
                        "minRaiseTo": 24,
                    }
                }
            ],
        }
    },
}


@pytest.fixture
def bot(tmp_path: Path) -> Iterator[int]:
    """Start the README's bot without any package; gives its port."""
    found = re.search(r"```python\n(\"\"\"mybot.py.*?)```", README, re.DOTALL)
    assert found
    free = bind("127.0.0.1", 0)
    port = int(free.getsockname()[1])
    free.close()
    file = tmp_path / "mybot.py"
    file.write_text(found[1].replace("9000", str(port)))
    with subprocess.Popen([sys.executable, "-I", str(file)]) as process:
        try:
            wait_for(lambda: listens(port))
            yield port
        finally:
            process.terminate()


def listens(port: int) -> bool:
    """Return whether a port of this machine accepts connections."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_the_readme_s_bot_plays(bot: int) -> None:
    """The bot makes every decision itself."""
    up = subprocess.run(
        [sys.executable, "-m", "casino", "up", "--hands", "20", "--exit", "--json",
         "--port", "0", "--players", "caller,random,tight",
         "--seat", f"http://127.0.0.1:{bot}/.well-known/agent-card.json"],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    assert up.returncode == 0, up.stdout + up.stderr
    players = {one["name"]: one for one in json.loads(up.stdout.splitlines()[-1])["players"]}
    assert set(players["My bot"]["outcomes"]) == {"ok"}


def test_the_readme_s_bot_answers_in_one_segment(bot: int) -> None:
    """Otherwise the body waits 40 ms for a delayed acknowledgement of the headers."""
    body = json.dumps(ACT).encode()
    head = f"POST /rpc HTTP/1.1\r\nHost: bot\r\nContent-Length: {len(body)}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", bot), timeout=10) as connection:
        for _ in range(20):
            connection.sendall(head.encode() + body)
            _headers, _, answer = connection.recv(65_536).partition(b"\r\n\r\n")
            (part,) = json.loads(answer)["result"]["message"]["parts"]
            assert part["data"] == {"action": "raise", "amount": 24}


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
