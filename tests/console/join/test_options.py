"""The bot of a file or a model, its options, and their pages."""

import re
from dataclasses import fields
from pathlib import Path

import httpx
import pytest
from casino.__main__ import app
from casino.errors import DialFailed
from casino.join.bot_seating import door_of
from casino_gateway.bots.dialled_bot import BotLimits
from support.console_side import casino
from support.joined.joined_bot import written
from typer.main import get_command


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "give --room R, or --up for a casino of your own"),
        (("--room", "green", "--up"), "give --room R, or --up for a casino of your own"),
    ],
)
async def test_options_that_exclude_each_other(
    tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    ended = await casino("join", str(written(tmp_path)), *options)
    assert ended.exit_code == 2
    assert message in " ".join(ended.stderr.replace("│", " ").split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--up",), "give a file, or --model PROVIDER:NAME"),
        (("mybot.py", "--model", "openai:x", "--up"), "give a file, or --model PROVIDER:NAME"),
        (("mybot.py", "--up", "--name", " "), "Invalid value for --name: must hold at least one"),
    ],
)
async def test_a_file_or_a_model_decides(
    tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    bot = str(written(tmp_path))
    ended = await casino("join", *(word.replace("mybot.py", bot) for word in arguments))
    assert ended.exit_code == 2
    assert message in " ".join(ended.stderr.replace("│", " ").split())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ("--model", "anthropic:claude"),
            "ANTHROPIC_API_KEY: export ANTHROPIC_API_KEY=…, and then casino join --model anthropic",
        ),
        (("--model", "qwen3:8b"), "needs --base-url, or a provider before the model's name"),
        (("--model", "ollama:a", "--temperature", "9"), "--temperature: must be at most 2"),
        (("--model", "ollama:a", "--body", "{"), "--body: must be valid JSON"),
        (("--model", "ollama:a", "--prompt", "none.txt"), "--prompt: cannot be read"),
        (("--model", "ollama:a", "--budget-usd", "1"), "--budget-usd: the price of a is not known"),
    ],
)
async def test_a_model_whose_settings_are_wrong(options: tuple[str, ...], message: str) -> None:
    """In words of the command line; nothing is asked, and nothing starts."""
    ended = await casino("join", *options, "--up")
    assert ended.exit_code == 1
    assert message in ended.stderr


async def test_a_file_that_cannot_be_loaded(tmp_path: Path) -> None:
    bot = written(tmp_path, "def act(turn):\n    return {\n")
    ended = await casino("join", str(bot), "--room", "green")
    assert ended.exit_code == 1
    assert ended.stderr == f"casino join: {bot}, line 2: SyntaxError: '{{' was never closed\n"


@pytest.mark.parametrize(
    ("url", "door"),
    [
        ("wss://casino.example", "wss://casino.example/bots"),
        ("https://casino.example/at/", "wss://casino.example/at/bots"),
        ("http://127.0.0.1:4050/bots", "ws://127.0.0.1:4050/bots"),
    ],
)
def test_the_door_of_a_gateway(url: str, door: str) -> None:
    assert door_of(url) == door


@pytest.mark.parametrize("url", ["casino.example", "ftp://casino.example", "wss://"])
def test_what_is_no_address_of_a_gateway(url: str) -> None:
    with pytest.raises(DialFailed, match="a URL such as wss://casino.example"):
        door_of(url)


async def test_a_room_that_does_not_exist(tmp_path: Path) -> None:
    """Which rooms there are, and the command that makes it."""

    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/v1/rooms":
            return httpx.Response(200, json={"rooms": []})
        return httpx.Response(404, json={"title": "x", "reason": "ROOM_NOT_FOUND"})

    arguments = ("join", str(written(tmp_path)), "--room", "nowhere")
    ended = await casino(*arguments, to=httpx.MockTransport(answer))
    assert ended.exit_code == 1
    assert "there is no room nowhere at http://lobby." in ended.stderr
    assert "casino room create nowhere --lobby http://lobby" in ended.stderr


ROOT = Path(__file__).parents[3]
BOTS = (ROOT / "docs/bots.md").read_text()
PAGE = BOTS.partition("\n## Join with a function\n")[2].partition("\n## ")[0]
OF_MODELS = (ROOT / "docs/llm-player.md").read_text()


def test_every_option_is_described() -> None:
    command = get_command(app).commands["join"].implementation()  # type: ignore[attr-defined]
    options = {
        option
        for parameter in command.params
        for option in (*parameter.opts, *parameter.secondary_opts)
        if option[:2] == "--"
    }
    described = set(re.findall(r"--[a-z][a-z-]+", PAGE + OF_MODELS)) - {
        "--seats",
        "--experimental-websocket",
    }
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
