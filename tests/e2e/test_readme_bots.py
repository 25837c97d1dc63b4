"""The README's bots play as printed, and the question it explains is a real one."""

import json
import os
import re
import types
from collections.abc import Iterator
from pathlib import Path

import pytest
from casino_contracts import ActionRequest, ActionResponse
from support.author.bot_process import BotProcess, bot_process, runtime
from support.author.played_bot import outcomes_of
from support.author.readme import (
    FILES,
    NAMES,
    explained_fields,
    readme_bot,
    readme_question,
)
from support.author.single_write import COUNTER, KEPT, answer_of, call, exchanged, posted, writes_of

pytestmark = [pytest.mark.full, pytest.mark.timeout(180)]

LANGUAGES = tuple(FILES)
QUESTION, REPLY = readme_question()
FIRST_ATTEMPT = {name: value for name, value in QUESTION.items() if name != "rejected"}


@pytest.fixture(params=LANGUAGES)
def language(request: pytest.FixtureRequest) -> str:
    """Return the language of a bot."""
    return str(request.param)


@pytest.fixture
def bot(language: str, tmp_path: Path) -> Iterator[BotProcess]:
    """Start the README's bot without any package."""
    (tmp_path / FILES[language]).write_text(readme_bot(language))
    with bot_process([*runtime(language), FILES[language]], tmp_path) as running:
        yield running


def test_it_plays(bot: BotProcess, language: str) -> None:
    """The bot makes every decision itself."""
    assert set(outcomes_of(bot, NAMES[language])) == {"ok"}


def test_it_prints_why_it_was_refused(bot: BotProcess) -> None:
    """On the second attempt, and on no other; a connection serves both."""
    answers = list(exchanged(bot, call("act", FIRST_ATTEMPT), call("act", QUESTION)))
    assert [answer_of(answer)["action"] for answer in answers] == ["call", "call"]
    assert bot.log.read_text() == f"rejected: {QUESTION['rejected']['message']}\n"


def test_its_own_mistake_is_answered_at_once(bot: BotProcess, language: str) -> None:
    """With status 500 and the line in its log, also for a wrong call; then it plays on."""
    faulty = call("act", {"legalActions": ["fold"]})
    failed = [next(exchanged(bot, wrong)) for wrong in (faulty, posted(b"{"), posted(b"[]"))]
    assert [response.split()[1] for response in failed] == [b"500"] * 3
    (played,) = exchanged(bot, call("act", QUESTION))
    assert answer_of(played) == {"action": "call"}
    assert re.search(rf"{FILES[language]}.*\bact\b|\bact\b.*{FILES[language]}", bot.log.read_text())


def test_the_python_bot_replies_in_one_write() -> None:
    """Otherwise the body waits 40 ms for a delayed acknowledgement of the headers."""
    module = types.ModuleType("mybot")
    exec(compile(readme_bot(), "mybot.py", "exec"), vars(module))
    (written,) = writes_of(module.Bot, call("act", QUESTION))
    assert answer_of(written) == {"action": "call"}
    unbuffered = type("Bot", (module.Bot,), {"wbufsize": 0})
    assert len(writes_of(unbuffered, call("act", QUESTION))) == 2  # what the test would notice


def test_the_javascript_bot_replies_in_one_write(tmp_path: Path) -> None:
    """As the one in Python."""
    node = runtime("javascript")
    file, writes = FILES["javascript"], tmp_path / "writes"
    (tmp_path / file).write_text(readme_bot("javascript"))
    (tmp_path / "counter.cjs").write_text(COUNTER)
    settings = {**os.environ, "WRITES": str(writes)}
    with bot_process([*node, "--require", "./counter.cjs", file], tmp_path, settings) as running:
        answers = list(exchanged(running, *[call("act", QUESTION)] * 3))
    assert [answer_of(answer)["action"] for answer in answers] == ["call"] * 3
    assert writes.read_text().split() == ["write"] * 3
    assert all(KEPT in answer.lower() for answer in answers)


def test_both_bots_decide_alike(tmp_path: Path) -> None:
    """The twin is no other player."""
    questions = [
        FIRST_ATTEMPT
        | {
            "holeCards": [{"rank": first, "suit": "clubs"}, {"rank": second, "suit": "hearts"}],
            "legalActions": legal,
        }
        for first, second in ("AK", "A2", "27", "9T")
        for legal in (["fold", "call", "raise", "all-in"], ["fold", "call"], ["check", "bet"])
    ]
    calls = [call("act", question) for question in questions]
    decided = []
    for language in LANGUAGES:
        (tmp_path / FILES[language]).write_text(readme_bot(language))
        with bot_process([*runtime(language), FILES[language]], tmp_path) as running:
            decided.append([answer_of(response) for response in exchanged(running, *calls)])
    assert decided[0] == decided[1]
    assert {answer["action"] for answer in decided[0]} == {"fold", "check", "call", "raise"}


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
    }
    fields = list(schema["properties"])
    fields += [
        f"{at}.{name}" for at, kind in inner.items() for name in definitions[kind]["properties"]
    ]
    assert set(inner.values()) == set(definitions)
    explained = explained_fields()
    assert sorted(explained) == sorted(fields)
