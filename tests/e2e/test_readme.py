"""Commands and bots of README and docs work as printed, and the explained question is real."""

import asyncio
import json
import os
import re
import shutil
import types
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from casino_contracts import ActionRequest, ActionResponse
from support.author.bot_process import BotProcess, bot_process, runtime
from support.author.readme import (
    FILES,
    NAMES,
    explained_fields,
    readme_bot,
    readme_question,
)
from support.author.single_write import COUNTER, KEPT, answer_of, call, exchanged, posted, writes_of
from support.casino.casino import process_casino
from support.casino.commands import UP, finished, json_lines
from support.requirements import unavailable

ROOT = Path(__file__).parents[2]
QUESTION, REPLY = readme_question()
FIRST_ATTEMPT = {name: value for name, value in QUESTION.items() if name != "rejected"}
LANGUAGES = [
    pytest.param("python", marks=pytest.mark.system),
    pytest.param("javascript", marks=pytest.mark.full),
]


def documents(text: str) -> Iterator[Any]:
    """Read consecutive JSON documents."""
    decoder, at = json.JSONDecoder(), 0
    while at < len(text):
        document, at = decoder.raw_decode(text, at)
        yield document


@pytest.mark.full
async def test_the_curl_lines_drive_a_room() -> None:
    """Without a key, with the content type of curl; the room is the test's, and its ports."""
    if shutil.which("curl") is None:
        unavailable("curl is not installed")
    page = (ROOT / "docs/rest.md").read_text()
    found = re.search(r"## Driving rooms\n\n```sh\n(.*?)```", page, re.DOTALL)
    assert found
    assert "content-type" in found[1]
    assert found[1].count(" -d ") == 3
    async with process_casino() as casino:
        lobby = casino.lobby.url.replace("127.0.0.1", "localhost")
        script = found[1].replace("localhost:4000", lobby)
        for address, style in (("127.0.0.1:9000", "caller"), ("127.0.0.1:4101", "tight")):
            script = script.replace(f"http://{address}", (await casino.sample(style)).url)
        pipe = asyncio.subprocess.PIPE
        shell = await asyncio.create_subprocess_exec("bash", "-e", "-c", script, stdout=pipe)
        printed, _ = await shell.communicate()
        assert shell.returncode == 0
        opened, first, second, room, closing = documents(printed.decode())
        assert opened["roomId"] == "green"
        assert [seat["seatNumber"] for seat in (first, second)] == [0, 1]
        assert len(room["summary"]["players"]) == 2
        assert closing["summary"]["state"] in {"closing", "closed"}


def test_links_of_the_documentation_lead_to_files() -> None:
    """README and docs are checked."""
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_bot_plays_and_says_what_was_wrong(language: str, tmp_path: Path) -> None:
    """Without any package it makes every decision itself; its own mistakes are answered at once."""
    file = FILES[language]
    (tmp_path / file).write_text(readme_bot(language))
    with bot_process([*runtime(language), file], tmp_path) as bot:
        assert _outcomes_of(bot, NAMES[language]) == {"ok"}
        heard = bot.log.read_text()
        answers = list(exchanged(bot, call("act", FIRST_ATTEMPT), call("act", QUESTION)))
        assert [answer_of(answer)["action"] for answer in answers] == ["call", "call"]
        rejected = bot.log.read_text().removeprefix(heard)
        assert rejected == f"rejected: {QUESTION['rejected']['message']}\n"
        faulty = call("act", {"legalActions": ["fold"]})
        failed = [next(exchanged(bot, wrong)) for wrong in (faulty, posted(b"{"), posted(b"[]"))]
        assert [response.split()[1] for response in failed] == [b"500"] * 3
        (played,) = exchanged(bot, call("act", QUESTION))
        assert answer_of(played) == {"action": "call"}
        assert re.search(rf"{file}.*\bact\b|\bact\b.*{file}", bot.log.read_text())


def _outcomes_of(bot: BotProcess, name: str) -> set[str]:
    """Play six hands with a bot among sample players; returns the outcomes of its decisions."""
    players = ("--players", "caller,random,tight", "--seat", bot.card)
    up = finished(*UP, "--hands", "6", "--exit", *players)
    assert up.returncode == 0, up.stdout + up.stderr
    results = {one["name"]: one for one in json_lines(up.stdout)[-1]["players"]}
    return set(results[name]["outcomes"])


def test_the_python_bot_replies_in_one_write() -> None:
    """Otherwise the body waits 40 ms for a delayed acknowledgement of the headers."""
    module = types.ModuleType("mybot")
    exec(compile(readme_bot(), "mybot.py", "exec"), vars(module))
    (written,) = writes_of(module.Bot, call("act", QUESTION))
    assert answer_of(written) == {"action": "call"}
    unbuffered = type("Bot", (module.Bot,), {"wbufsize": 0})
    assert len(writes_of(unbuffered, call("act", QUESTION))) == 2  # what the test would notice


@pytest.mark.full
def test_the_javascript_bot_replies_in_one_write_and_as_its_twin(tmp_path: Path) -> None:
    """It is no other player than the one in Python."""
    node = runtime("javascript")
    questions = [
        FIRST_ATTEMPT
        | {
            "holeCards": [{"rank": first, "suit": "clubs"}, {"rank": second, "suit": "hearts"}],
            "legalActions": legal,
        }
        for first, second in ("AK", "A2", "27", "9T")
        for legal in (["fold", "call", "raise", "all-in"], ["fold", "call"], ["check", "bet"])
    ]
    for file, language in ((FILES[language], language) for language in FILES):
        (tmp_path / file).write_text(readme_bot(language))
    (tmp_path / "counter.cjs").write_text(COUNTER)
    writes = tmp_path / "writes"
    commands = (
        [*runtime("python"), FILES["python"]],
        [*node, "--require", "./counter.cjs", FILES["javascript"]],
    )
    with ExitStack() as stack:
        environment = {**os.environ, "WRITES": str(writes)}
        decided = []
        for command in commands:
            bot = stack.enter_context(bot_process(command, tmp_path, environment))
            replies = list(exchanged(bot, *(call("act", question) for question in questions)))
            decided.append([answer_of(reply) for reply in replies])
        assert decided[0] == decided[1]
        assert {answer["action"] for answer in decided[0]} == {"fold", "check", "call", "raise"}
        assert writes.read_text().split() == ["write"] * len(questions)
        assert all(KEPT in reply.lower() for reply in replies)


def test_the_explained_question_is_a_real_one() -> None:
    """It is an ActionRequest without unknown fields, and the reply to it is legal."""
    request = ActionRequest.model_validate(QUESTION)
    assert json.loads(request.wire()) == QUESTION
    reply = ActionResponse.model_validate(REPLY)
    assert json.loads(reply.wire()) == REPLY
    assert reply.action in request.legal_actions
    assert request.min_raise_to is not None
    assert request.max_raise_to is not None
    assert reply.amount is not None
    assert request.min_raise_to <= reply.amount <= request.max_raise_to
    assert request.min_raise_to == request.current_bet + request.minimum_raise


def test_every_field_of_a_question_is_explained_once() -> None:
    """The table has those of the schema and no others."""
    schema = ActionRequest.model_json_schema(by_alias=True)
    definitions = schema["$defs"]
    inner = {
        "holeCards[]": "Card",
        "communityCards[]": "Card",
        "players[]": "PlayerView",
        "history[]": "PastAction",
        "rejected": "Rejection",
        "proof": "CardProof",
    }
    fields = list(schema["properties"])
    fields += [
        f"{at}.{name}" for at, kind in inner.items() for name in definitions[kind]["properties"]
    ]
    assert set(inner.values()) == set(definitions)
    assert sorted(explained_fields()) == sorted(fields)
