"""docs/join.md is what the code does."""

import re
from dataclasses import fields
from pathlib import Path

from casino.__main__ import app
from casino_gateway.bots.limits import BotLimits
from typer.main import get_command

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/join.md").read_text()


def test_the_javascript_bot_is_the_tested_one() -> None:
    (example,) = re.findall(r"```js\n(.*?)```", PAGE, re.DOTALL)
    assert example == (ROOT / "tests/gateway/bots/dialling.mjs").read_text()


def test_every_option_is_described() -> None:
    command = get_command(app).commands["join"].implementation()  # type: ignore[attr-defined]
    options = {
        option for parameter in command.params for option in parameter.opts if option[:2] == "--"
    }
    described = set(re.findall(r"--[a-z][a-z-]+", PAGE)) - {"--seats", "--experimental-websocket"}
    assert options == described


def test_the_limits_are_those_of_the_gateway() -> None:
    limits = BotLimits()
    for text in (
        f"{limits.levels} levels",
        f"within {limits.hello:.0f} s",
        f"{limits.pending} for each bot",
        f"at most {limits.longest_call / 60:.0f} minutes; {limits.call:.0f} s where",
        f"| {limits.own_requests} | `BUSY`",
        f"{limits.frames_per_second:.0f} a second",
        f"{limits.connections_per_minute:.0f} a minute",
        f"`CASINO_GATEWAY_BOTS` ({limits.connections};",
        f"`CASINO_GATEWAY_BOTS_PER_ADDRESS` ({limits.per_address})",
    ):
        assert text in PAGE, text
    assert len(fields(limits)) == 12
