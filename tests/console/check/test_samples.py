"""Sample players and the README's function pass the check without a warning."""

from pathlib import Path

import pytest
from casino.check.findings import Verdict
from casino.testing.table import checked
from casino_player_example.app import build_app
from casino_player_example.settings import PlayerSettings
from casino_player_example.style_catalogue import STYLES
from support.author.readme import readme_bot
from support.served import serving


@pytest.mark.parametrize("style", [*STYLES, "generic"])
async def test_a_sample_player_is_ready_without_a_warning(style: str) -> None:
    """It refuses callers without its key; one of any game is asked other games."""
    settings = {"CASINO_PLAYER_KEY": "the-key-of-the-sample"}
    service = build_app(PlayerSettings.load(settings, style=style), "http://127.0.0.1")
    with serving(service.asgi(), service) as url:
        findings = await checked(f"{url}/t/the-key-of-the-sample/")
    verdicts = {each.check: each.verdict for each in findings}
    # The time of an answer depends on the machine; everything else does not.
    assert Verdict.FAULT not in {verdicts.pop("concurrency"), verdicts.pop("speed")}
    other_games = verdicts.pop("other-games")
    assert other_games is (Verdict.OK if style == "generic" else Verdict.SKIPPED)
    assert set(verdicts.values()) == {Verdict.OK}, findings


async def test_the_readme_s_function_is_ready(tmp_path: Path) -> None:
    file = tmp_path / "mybot.py"
    file.write_text(readme_bot())
    verdicts = {each.check: each.verdict for each in await checked(f"{file}:act")}
    assert Verdict.FAULT not in verdicts.values()
    assert verdicts["questions"] is Verdict.OK
