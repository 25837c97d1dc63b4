"""Each broken bot's fault is found by name, and the sound bot has none."""

import pytest
from casino.check.finding import Verdict
from support.players.broken import cards, replies, servers
from support.players.broken.bot import Bot, served
from support.players.broken.checking import checked, of
from support.processes import reserved_port

FAULTS: list[tuple[type[Bot], str, str]] = [
    (cards.CardOfHtml, "card", "card-not-json"),
    (cards.CardAbsent, "card", "card-status"),
    (cards.CardOfAnotherShape, "card", "card-invalid"),
    (cards.CardWithoutInterface, "card", "card-without-interface"),
    (cards.CardAtDeadPort, "card", "card-dead-address"),
    (cards.CardOfTls, "card", "https-for-http"),
    (cards.SignupRefused, "signup", "no-signup"),
    (cards.SignupWithoutName, "signup", "display-name-missing"),
    (cards.SignupWithAllChips, "signup", "buy-in-out-of-range"),
    (cards.OneTableOnly, "signup", "second-table"),
    (replies.ServerError, "questions", "http-status"),
    (replies.Closes, "questions", "closed-without-answer"),
    (replies.EnvelopeForgotten, "questions", "envelope-missing"),
    (replies.OtherId, "questions", "other-id"),
    (replies.Prose, "questions", "prose"),
    (replies.NullAnswer, "questions", "null-answer"),
    (replies.NotANumber, "questions", "nan"),
    (replies.UnknownAction, "questions", "unknown-action"),
    (replies.Increment, "questions", "amount-as-increment"),
    (replies.AmountForgotten, "questions", "amount-missing"),
    (replies.AmountTooLarge, "questions", "amount-out-of-range"),
    (replies.OffUnit, "questions", "amount-off-unit"),
    (replies.AlwaysChecks, "questions", "illegal-action"),
    (replies.TooLarge, "questions", "too-large"),
    (servers.DiesAtRedelivery, "redelivery", "closed-without-answer"),
    (servers.RefusesSecondAttempt, "second-attempt", "refused"),
    (servers.StrictFields, "unknown-fields", "refused"),
    (servers.FailsUnderLoad, "concurrency", "fails-under-load"),
    (servers.DiesOnGarbage, "bad-input", "dead-afterwards"),
]
SLOW_FAULTS: list[tuple[type[Bot], str, str]] = [
    (replies.Hangs, "questions", "no-answer-in-time"),
    (servers.OneConnection, "concurrency", "one-at-a-time"),
    (servers.HangsOnGarbage, "bad-input", "hangs-on-bad-input"),
]
WARNINGS: list[tuple[type[Bot], str, str]] = [
    (cards.CardOf03, "card", "card-0.3"),
    (cards.CardWithoutSkills, "card", "skills-missing"),
    (replies.Large, "reply-size", "large-reply"),
    (servers.AnotherAnswer, "redelivery", "another-answer"),
    (servers.TwoWrites, "connection", "two-writes"),
    (servers.OneAtATime, "concurrency", "one-at-a-time"),
    (servers.OldHttp, "connection", "no-keep-alive"),
    (servers.ClosesOnGarbage, "bad-input", "closes-on-bad-input"),
]


def names(value: object) -> str | None:
    return value.__name__ if isinstance(value, type) else None


@pytest.mark.parametrize(("bot", "check", "name"), FAULTS, ids=names)
async def test_a_fault_is_found_by_name(bot: type[Bot], check: str, name: str) -> None:
    """It is the only fault, and it comes with what helps."""
    with served(bot()) as url:
        findings = await checked(url)
    assert of(Verdict.FAULT, findings) == [(check, name)], findings
    (fault,) = [each for each in findings if each.verdict is Verdict.FAULT]
    assert fault.text
    assert fault.fix


@pytest.mark.full
@pytest.mark.parametrize(("bot", "check", "name"), SLOW_FAULTS, ids=names)
async def test_a_bot_that_does_not_answer_is_found_by_name(
    bot: type[Bot], check: str, name: str
) -> None:
    """The clock is short, so that the test is: other calls may be late on a busy machine."""
    with served(bot()) as url:
        findings = await checked(url, clock_s=2.0)
    assert (check, name) in of(Verdict.FAULT, findings), findings


@pytest.mark.parametrize(("bot", "check", "name"), WARNINGS, ids=names)
async def test_a_weakness_is_found_by_name(bot: type[Bot], check: str, name: str) -> None:
    with served(bot()) as url:
        findings = await checked(url)
    assert (check, name) in of(Verdict.WARNING, findings), findings


async def test_a_sound_bot_has_no_fault() -> None:
    with served(Bot()) as url:
        findings = await checked(url)
    assert not of(Verdict.FAULT, findings)
    assert [each.check for each in findings if each.verdict is Verdict.SKIPPED] == ["other-games"]
    texts = {each.check: each.text for each in findings}
    assert texts["questions"] == "60 legal answers to 60 questions"


async def test_a_card_of_another_version_than_the_replies_is_named() -> None:
    """The bot of README with a card of A2A 0.3."""
    with served(cards.CardOf03()) as url:
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


@pytest.mark.full
async def test_a_bot_that_thinks_for_long_is_named() -> None:
    with served(servers.Slow()) as url:
        findings = await checked(url, clock_s=4.0)
    assert ("speed", "slow") in of(Verdict.WARNING, findings), findings
