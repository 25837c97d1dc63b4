"""The README's bot is a real bot: it is copied out of the page, started, and plays."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from casino_agentkit.server import bind
from support.live import ENVIRONMENT

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


def test_every_link_of_the_documentation_leads_somewhere() -> None:
    """Files that are named exist."""
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
