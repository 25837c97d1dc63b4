"""A function is asked as at a table, and its answers count as there."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from casino_contracts import Defaulted, Usage
from casino_match.domain.plan import Entrant, Rules, deck_of
from casino_match.errors import MatchSuspended, PlayerFailed, PlayerWrong
from casino_match.play.match_hand import deal_hand, names_of
from casino_match.players.function_player import FunctionPlayer
from casino_match.players.match_player import Decided, HandPlace
from casino_play.hand_questions import HandQuestions
from support.match.plans import CALLER, FOLDER, bot, plan_of

PLAN = plan_of(["style:caller", "style:caller"])


def first_question(stack: int = 200) -> HandQuestions:
    """Return the first question of a hand: 1 to call, a raise from 4."""
    hand = deal_hand(Rules(stack=stack), deck_of("a seed", 0, 2), 2)
    return HandQuestions(hand, names_of(PLAN, 0))


def player(spec: str, arguments: dict[str, Any] | None = None, **options: Any) -> FunctionPlayer:
    """Return the player of a file, in its first hand."""
    entrant = Entrant(name="mine", player=spec, arguments=arguments or {})
    made = FunctionPlayer(entrant, timedelta(seconds=10), **options)
    made.begin_block(2)
    made.begin_hand(HandPlace(17, 1))
    return made


def decided(spec: str, **options: Any) -> Decided:
    """Return what a function decides first, without its time and the reason of a fault."""
    made = player(spec, **options)
    try:
        return made.decide(first_question())._replace(latency_ms=0, reason=None)
    finally:
        made.end_block()


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("{'action': 'call'}", Decided("call")),
        ("{'action': 'raise', 'amount': 5}", Decided("raise", 5)),
        ("{'action': 'raise', 'amount': 5.0}", Decided("raise", 5)),
        ("{'action': 'all-in', 'amount': 3}", Decided("all-in")),
        ("{'action': 'fold', 'reasoning': 'why not', 'more': [1]}", Decided("fold")),
        ("{'result': {'action': 'call'}}", Decided("call")),
        (
            "{'action': 'call', 'away': True}",
            Decided("fold", outcome="away", defaulted=Defaulted(reason="away")),
        ),
        (
            "{'action': 'call', 'defaulted': {'reason': 'budget', 'detail': 'spent'}}",
            Decided(
                "fold",
                outcome="defaulted",
                defaulted=Defaulted(reason="budget", detail="spent"),
            ),
        ),
        (
            "{'action': 'call', 'usage': {'inputTokens': 7}}",
            Decided("call", usage=Usage(input_tokens=7)),
        ),
        ("{'action': 'check'}", Decided("fold", outcome="illegal")),
        ("{'action': 'raise', 'amount': 3}", Decided("fold", outcome="illegal")),
        ("{'action': 'raise'}", Decided("fold", outcome="illegal")),
        ("{'action': 'bet', 'amount': 6}", Decided("fold", outcome="illegal")),
        ("{'action': 'dance'}", Decided("fold", outcome="malformed")),
        ("{'action': 'raise', 'amount': float('nan')}", Decided("fold", outcome="malformed")),
        ("{'action': 'raise', 'amount': True}", Decided("fold", outcome="malformed")),
        ("'call'", Decided("fold", outcome="malformed")),
        ("None", Decided("fold", outcome="malformed")),
        ("{1, 2}", Decided("fold", outcome="malformed")),
        ("1 / 0", Decided("fold", outcome="malformed")),
        ("exit(1)", Decided("fold", outcome="malformed")),
        ("(_ for _ in ()).throw(BaseException)", Decided("fold", outcome="malformed")),
        ("__import__('casino_contracts').ActionResponse(action='call')", Decided("call")),
    ],
)
def test_answers_count_as_at_a_table(tmp_path: Path, answer: str, expected: Decided) -> None:
    """Two wrong answers are a fault, and the hand goes on with the default action."""
    assert decided(bot(tmp_path, f"return {answer}")) == expected


def test_a_wrong_answer_is_asked_for_once_more(tmp_path: Path) -> None:
    """With the reason and the answer, as a table sends them."""
    body = (
        "if 'rejected' not in turn:\n    return {'action': 'raise', 'amount': 2}\n"
        "assert turn['rejected']['reason'] == 'illegal'\n"
        "assert 'did you mean 4?' in turn['rejected']['message']\n"
        "assert turn['rejected']['answer'] == {'action': 'raise', 'amount': 2}\n"
        "assert turn['requestId'].endswith(':1:2')\n"
        "return {'action': 'raise', 'amount': 5}"
    )
    assert decided(bot(tmp_path, body)) == Decided("raise", 5, "retried")


DEFAULTS_UNTIL = (
    "usage = {'model': 'small', 'inputTokens': 7, 'costUsd': 0.5}\n"
    "asked.append(turn.pop('requestId'))\n"
    "if len(asked) < of:\n"
    "    why = {'reason': 'model_failed', 'detail': '401 no key'}\n"
    "    return {'action': 'call', 'defaulted': why, 'usage': usage}\n"
    "return {'action': 'raise', 'amount': 5, 'usage': usage}"
)


class Sleeping:
    """A clock that moves when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0
        self.pauses: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds


def patient(folder: Path, of: int) -> tuple[FunctionPlayer, Sleeping]:
    """Return a function that decides itself at the time `of` it is asked."""
    clock = Sleeping()
    spec = bot(folder, DEFAULTS_UNTIL, head="def act(turn, asked, of):")
    arguments = {"asked": [], "of": of}
    made = player(
        spec,
        arguments,
        patience=timedelta(seconds=60),
        now=lambda: clock.now,
        sleep=clock.sleep,
    )
    return made, clock


def test_a_function_is_asked_again_until_it_decides_itself(tmp_path: Path) -> None:
    """All that was asked counts in the cost; while it waits it is not busy."""
    made, clock = patient(tmp_path, of=3)
    usage = Usage(model="small", input_tokens=21, cost_usd=1.5)
    assert made.decide(first_question()) == Decided("raise", 5, usage=usage)
    assert clock.pauses == [0.25, 0.5]


def test_each_time_the_question_has_another_id(tmp_path: Path) -> None:
    """So that a memory, as of an agent, does not repeat the default; the rest is the same."""
    body = (
        "told = {key: turn[key] for key in turn if key != 'requestId'}\n"
        "seen.append((turn['requestId'], told))\n"
        "if len(seen) < 3:\n    return {'action': 'call', 'away': True}\n"
        "assert [told for _, told in seen] == [told] * 3\n"
        "assert [name[-2:] for name, _ in seen] == [':1', ':3', ':5']\n" + CALLER
    )
    made = player(
        bot(tmp_path, body, head="def act(turn, seen):"),
        {"seen": []},
        patience=timedelta(seconds=60),
        sleep=lambda _: None,
    )
    assert made.decide(first_question()).outcome == "ok"


def test_a_function_that_never_decides_itself_suspends_the_match(tmp_path: Path) -> None:
    """With what its program says, within the patience."""
    made, clock = patient(tmp_path, of=1_000)
    with pytest.raises(MatchSuspended, match=r"mine at .*bot\.py:act .*model_failed: 401 no key"):
        made.decide(first_question())
    assert 50 < sum(clock.pauses) <= 60


def test_an_error_is_reported_with_its_line(tmp_path: Path) -> None:
    """The function reads of it itself at the second attempt."""
    body = (
        "if 'rejected' not in turn:\n    return turn['absent']\n"
        "assert turn['rejected'] == {'reason': 'malformed',"
        " 'message': \"bot.py, line 3: KeyError: 'absent'\"}\n" + CALLER
    )
    assert decided(bot(tmp_path, body)) == Decided("call", outcome="retried")


def test_a_match_can_stop_at_a_wrong_answer(tmp_path: Path) -> None:
    """The message has the player, the reason, the place, and how to play it again."""
    spec = bot(tmp_path, "return {'action': 'check'}")
    message = (
        r"mine answered wrongly twice in deck 17, seating 1, decision 1: check is not possible now;"
        r" legal are fold, call, raise \(amount 4 to 200\), all-in\. Mend .*bot\.py:act .*"
        r"play_hand\(plan, Place\(17, 1\), players\)"
    )
    with pytest.raises(PlayerWrong, match=message):
        decided(spec, stops=True)


def test_a_function_gets_its_arguments(tmp_path: Path) -> None:
    spec = bot(tmp_path, "return {'action': word}", head="def act(turn, word, *, unused=1):")
    assert decided(spec, arguments={"word": "call"}) == Decided("call")


def test_arguments_are_new_in_each_block(tmp_path: Path) -> None:
    """A function that changes them changes nothing else, so blocks do not depend on each other."""
    body = f"assert not seen\nseen.append(1)\n{CALLER}"
    made = player(bot(tmp_path, body, head="def act(turn, seen):"), {"seen": []})
    for _ in range(2):
        made.begin_block(2)
        for seating in range(2):
            made.begin_hand(HandPlace(0, seating))
            assert made.decide(first_question()).outcome == "ok"


def test_a_function_that_cannot_be_called_is_named(tmp_path: Path) -> None:
    with pytest.raises(PlayerFailed, match=r"mine: act in .* with the turn and word"):
        decided(bot(tmp_path, CALLER), arguments={"word": "call"})
    with pytest.raises(PlayerFailed, match=r"mine: there is no file .*none\.py"):
        decided(f"{tmp_path / 'none.py'}:act")


def test_a_file_may_not_change_in_a_match(tmp_path: Path) -> None:
    spec = bot(tmp_path, CALLER)
    made = player(spec)
    bot(tmp_path, FOLDER)
    with pytest.raises(PlayerFailed, match=r"mine: .*bot\.py has changed since the match began"):
        made.begin_block(2)
    bot(tmp_path, CALLER)
    made.begin_block(2)
    (tmp_path / "bot.py").unlink()
    with pytest.raises(PlayerFailed, match="has changed since the match began"):
        made.begin_block(2)


def test_files_are_relative_to_a_folder(tmp_path: Path) -> None:
    bot(tmp_path, CALLER)
    assert decided("bot.py:act", folder=tmp_path) == Decided("call")


def test_an_answer_after_the_clock_does_not_count(tmp_path: Path) -> None:
    times: Iterator[float] = iter([5.0, 15.1])
    made = player(bot(tmp_path, CALLER), now=lambda: next(times))
    assert made.decide(first_question()) == Decided(
        "fold", 0, "timeout", 10_100, "no answer within 10 s"
    )
    assert made.busy_since is None


def test_an_asynchronous_function_is_awaited(tmp_path: Path) -> None:
    body = "await asyncio.sleep(0)\n" + CALLER
    spec = bot(tmp_path, body, head="import asyncio\nasync def act(turn):")
    assert decided(spec) == Decided("call")


def test_a_late_asynchronous_function_is_cancelled(tmp_path: Path) -> None:
    """At the end of the clock; a TimeoutError of its own is its error."""
    waiting = bot(
        tmp_path, "await asyncio.Event().wait()", head="import asyncio\nasync def act(turn):"
    )
    entrant = Entrant(name="mine", player=waiting)
    late = FunctionPlayer(entrant, timedelta(seconds=0.05))
    late.begin_block(1)
    late.begin_hand(HandPlace(0, 0))
    answer = late.decide(first_question())
    late.end_block()
    assert (answer.kind, answer.outcome) == ("fold", "timeout")
    raising = bot(tmp_path, "raise TimeoutError", name="own", head="async def act(turn):")
    assert decided(raising) == Decided("fold", outcome="malformed")


def test_a_question_can_be_changed_without_effect(tmp_path: Path) -> None:
    body = (
        "legal = list(turn['legalActions'])\n"
        "for part in turn['players'] + turn['history']:\n    part.clear()\n"
        "turn['players'].clear()\nturn['legalActions'].clear()\nturn.clear()\n"
        "return {'action': 'check' if 'check' in legal else 'call'}"
    )
    question = first_question()
    before = question.values(10_000)
    made = player(bot(tmp_path, body))
    assert made.decide(question).kind == "call"
    assert question.values(10_000) == before
