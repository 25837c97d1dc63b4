"""Each fault of a bot's server is found by name, and the sound bot has none."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from http.server import HTTPServer

import pytest
from casino.check.findings import Verdict
from casino.testing.table import checked
from casino_agentkit.canonical_json import encoded
from casino_agentkit.fair_deal import commitment_to
from support.author.broken_bots import (
    CARD_ABSENT,
    CARD_AT_DEAD_PORT,
    CARD_OF_03,
    CARD_OF_ANOTHER_SHAPE,
    CARD_OF_HTML,
    CARD_OF_TLS,
    CLOSES,
    ENVELOPE_FORGOTTEN,
    HANGS,
    OTHER_ID,
    SIGNUP_WITHOUT_NAME,
    Bot,
    Json,
    Reply,
    hang,
    named,
    of,
    replying,
    served,
    sound,
    turn_of,
    with_text,
)
from support.processes import reserved_port

NAGLE_S = 0.044
"""So long a body waits for the delayed acknowledgement of its head."""


def without_interface(card: Json) -> Json:
    return {key: value for key, value in card.items() if key != "supportedInterfaces"}


def refused(_invitation: Json) -> Json:
    raise LookupError


def refused_again(turn: Json) -> Json:
    return refused(turn) if "rejected" in turn else sound(turn)


def one_table_only() -> Bot:
    tables: set[str] = set()

    def signup(invitation: Json) -> Json:
        tables.add(invitation["tableId"])
        return named(invitation) if len(tables) == 1 else {}

    return Bot(signup=signup)


def silent_at_redelivery(bot: Bot, call: Json) -> Reply:
    asked = [turn["requestId"] for turn in bot.turns]
    return bot.reply(call) if asked.count(turn_of(call)["requestId"]) == 1 else None


ENTROPY = bytes(32)
PART = {"commitment": commitment_to(ENTROPY)}
BYTES = {"entropy": encoded(ENTROPY)}


def contributing(*answers: Json) -> Bot:
    """Return a bot that has these answers, in their order, and then refuses."""
    left = list(answers)
    return Bot(contribute=lambda _: left.pop(0) if left else refused({}))


def dead(bot: Bot) -> Reply:
    bot.is_dead = True
    return None


FAULTS: list[tuple[str, str, Callable[[], Bot]]] = [
    ("card", "card-not-json", CARD_OF_HTML),
    ("card", "card-status", CARD_ABSENT),
    ("card", "card-invalid", CARD_OF_ANOTHER_SHAPE),
    ("card", "card-without-interface", partial(Bot, card=without_interface)),
    ("card", "card-dead-address", CARD_AT_DEAD_PORT),
    ("card", "https-for-http", CARD_OF_TLS),
    ("signup", "no-signup", partial(Bot, signup=refused)),
    ("signup", "display-name-missing", SIGNUP_WITHOUT_NAME),
    ("signup", "buy-in-out-of-range", partial(Bot, signup=lambda it: named(it) | {"buyIn": 4000})),
    ("signup", "second-table", one_table_only),
    ("questions", "http-status", replying(b"Internal Server Error", 500)),
    ("questions", "closed-without-answer", CLOSES),
    ("questions", "envelope-missing", ENVELOPE_FORGOTTEN),
    ("questions", "other-id", OTHER_ID),
    ("questions", "prose", with_text("I think that I will call.")),
    ("redelivery", "closed-without-answer", partial(Bot, asked=silent_at_redelivery)),
    ("second-attempt", "refused", partial(Bot, act=refused_again)),
    ("contribute", "no-commitment", partial(contributing, {})),
    ("contribute", "another-commitment", partial(contributing, PART, {"commitment": "A" * 43})),
    ("contribute", "no-entropy", partial(contributing, PART, PART, {"entropy": "A" * 42 + "E"})),
    ("contribute", "contributes-twice", partial(contributing, PART, PART, BYTES, BYTES)),
    ("bad-input", "dead-afterwards", partial(Bot, garbage=dead)),
]
SLOW_FAULTS: list[tuple[str, str, Callable[[], Bot]]] = [
    ("questions", "no-answer-in-time", HANGS),
    ("concurrency", "one-at-a-time", partial(Bot, server=HTTPServer)),
    ("bad-input", "hangs-on-bad-input", partial(Bot, garbage=hang)),
]
WARNINGS: list[tuple[str, str, Callable[[], Bot]]] = [
    ("card", "card-0.3", CARD_OF_03),
    ("card", "skills-missing", partial(Bot, card=lambda card: card | {"skills": []})),
    ("connection", "two-writes", partial(Bot, pause_s=NAGLE_S)),
    ("connection", "no-keep-alive", partial(Bot, protocol="HTTP/1.0")),
    ("bad-input", "closes-on-bad-input", partial(Bot, garbage=lambda _bot: None)),
]


@pytest.mark.parametrize(("check", "name", "made"), FAULTS)
async def test_a_fault_is_found_by_name(check: str, name: str, made: Callable[[], Bot]) -> None:
    """It is the only fault, and it comes with what helps."""
    with served(made()) as url:
        findings = await checked(url)
    assert of(Verdict.FAULT, findings) == [(check, name)], findings
    (fault,) = [each for each in findings if each.verdict is Verdict.FAULT]
    assert fault.text
    assert fault.fix


@pytest.mark.full
@pytest.mark.parametrize(("check", "name", "made"), SLOW_FAULTS)
async def test_a_bot_that_does_not_answer_is_found_by_name(
    check: str, name: str, made: Callable[[], Bot]
) -> None:
    """The clock is short, so that the test is: other calls may be late on a busy machine."""
    with served(made()) as url:
        findings = await checked(url, clock=timedelta(seconds=2))
    assert (check, name) in of(Verdict.FAULT, findings), findings


@pytest.mark.parametrize(("check", "name", "made"), WARNINGS)
async def test_a_weakness_is_found_by_name(check: str, name: str, made: Callable[[], Bot]) -> None:
    """It is a warning: the bot can play."""
    with served(made()) as url:
        findings = await checked(url)
    assert (check, name) in of(Verdict.WARNING, findings), findings


async def test_a_sound_bot_has_no_fault() -> None:
    """Every check was run, except those of other games."""
    with served(contributing(PART, PART, BYTES)) as url:
        findings = await checked(url)
    assert not of(Verdict.FAULT, findings)
    assert ("contribute", Verdict.OK) in [(each.check, each.verdict) for each in findings]
    assert [each.check for each in findings if each.verdict is Verdict.SKIPPED] == ["other-games"]
    texts = {each.check: each.text for each in findings}
    assert texts["questions"] == "60 legal answers to 60 questions"


async def test_a_card_of_another_version_than_the_replies_is_named() -> None:
    """The bot of README with a card of A2A 0.3."""
    with served(CARD_OF_03()) as url:
        findings = await checked(url)
    assert of(Verdict.FAULT, findings) == [
        ("signup", "other-version"),
        ("questions", "other-version"),
    ]


async def test_a_bot_that_is_not_there_is_named() -> None:
    """Nothing listens; the other checks are skipped with the reason."""
    findings = await checked(f"http://127.0.0.1:{reserved_port()}")
    assert of(Verdict.FAULT, findings) == [("card", "card-unreachable")]
    reasons = {each.text for each in findings if each.verdict is Verdict.SKIPPED}
    assert reasons == {"the bot cannot be called, see card"}
