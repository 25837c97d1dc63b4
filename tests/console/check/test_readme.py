"""The README's bot passes the check, as a server and as a function."""

import re
import sys
from pathlib import Path

import pytest
from casino.check.finding import Verdict
from casino.testing.checking import checked
from support.author.broken_bots import of
from support.players.foreign import running
from support.processes import reserved_port

ROOT = Path(__file__).parents[3]


@pytest.fixture
def source() -> str:
    """Return the README's bot in Python."""
    found = re.search(
        r"```python\n(\"\"\"mybot.py.*?)```", (ROOT / "README.md").read_text(), re.DOTALL
    )
    assert found
    return found[1]


@pytest.mark.full
async def test_the_readme_s_bot_is_ready(source: str, tmp_path: Path) -> None:
    """It has no fault, and its replies are not held back."""
    port = reserved_port()
    file = tmp_path / "mybot.py"
    file.write_text(source.replace("9000", str(port)))
    async with running([sys.executable, "-I", str(file)], port) as url:
        findings = await checked(url)
    assert not of(Verdict.FAULT, findings), findings
    assert ("connection", "two-writes") not in of(Verdict.WARNING, findings)
    assert ("questions", "") in of(Verdict.OK, findings)


async def test_the_readme_s_function_is_ready(source: str, tmp_path: Path) -> None:
    """Its server is not started."""
    file = tmp_path / "mybot.py"
    file.write_text(source)
    findings = await checked(f"{file}:act")
    assert not of(Verdict.FAULT, findings), findings
    assert ("questions", "") in of(Verdict.OK, findings)
