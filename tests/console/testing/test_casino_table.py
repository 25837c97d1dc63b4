"""`casino.testing`: the questions, the table and the verdicts that a bot's own tests get."""

import asyncio
from typing import Any

import pytest
from casino.testing.plugin import casino_table
from casino.testing.table import CasinoTable, Question
from casino_contracts import ActionRequest, GameActionRequest
from casino_match.domain.plan import Rules
from casino_match.errors import PlayerFailed
from support.author.broken_bots import Json, sound

__all__ = ["casino_table"]  # the fixture, also where the plugin is not installed


def raises_one(turn: Json) -> Json:
    """Raise by one chip, which is never legal."""
    return {"action": "raise", "amount": turn["currentBet"] + 1} if "rejected" not in turn else {}


def test_questions_are_those_of_casino_check(casino_table: CasinoTable) -> None:
    """Every round and set of legal actions; the same again; others for another seed."""
    asked = casino_table.questions()
    assert len(asked) == 60
    assert asked == casino_table.questions() != casino_table.questions(seed=2)
    assert {one.turn["bettingRound"] for one in asked} == {"preflop", "flop", "turn", "river"}
    assert {action for one in asked for action in one.turn["legalActions"]} == {
        "fold", "check", "call", "bet", "raise", "all-in",
    }  # fmt: skip
    assert all(isinstance(one.message, ActionRequest) for one in asked)


def test_a_question_is_found_by_words(casino_table: CasinoTable) -> None:
    """One that is not there is answered by those that are."""
    one = casino_table.question("river", "check")
    assert one.turn["bettingRound"] == "river"
    assert "check" in one.turn["legalActions"]
    with pytest.raises(LookupError, match=r"no question has all of river, omaha; there are\n.*"):
        casino_table.question("river", "omaha")


def test_a_bot_of_any_game_is_asked_as_the_specifications_say(casino_table: CasinoTable) -> None:
    games = {one.turn["gameType"] for one in casino_table.questions(any_game=True)}
    assert games == {"texas-holdem", "leduc_poker", "kuhn_poker"}
    kuhn = casino_table.question("Kuhn", any_game=True)
    assert isinstance(kuhn.message, GameActionRequest)
    assert kuhn.answer_of(lambda turn: {"action": turn["availableActions"][0]})
    assert kuhn.objection({"action": {"action_type": "dance"}})


def test_a_question_can_be_changed(casino_table: CasinoTable) -> None:
    """The one that it was made of stays as it is."""
    one = casino_table.question("flop", "bet")
    richer = one.changed(pot=9_000)
    assert richer.turn == one.turn | {"pot": 9_000}
    assert one.turn["pot"] != 9_000
    with pytest.raises(ValueError, match="pot"):
        one.changed(pot="much")


def test_a_bot_changes_only_its_own_copy(casino_table: CasinoTable) -> None:
    one = casino_table.question("river")
    before = one.sent

    def act(turn: Json) -> Any:
        answer = sound(turn)
        turn.clear()
        return answer

    assert one.answer_of(act) == one.answer_of(act)
    assert one.sent == before


@pytest.mark.parametrize(
    ("answer", "objection"),
    [
        ({"action": "check"}, "check is not possible now; legal are fold, call"),
        ({"action": "raise"}, "raise needs amount"),
        ({"action": "dance"}, 'action: must be "fold"'),
        (None, "the answer is null"),
        ({"action": "raise", "amount": float("nan")}, "the answer is no JSON"),
    ],
)
def test_an_answer_is_refused_with_the_table_s_reason(
    casino_table: CasinoTable, answer: Any, objection: str
) -> None:
    one: Question = casino_table.question("preflop", "raise")
    with pytest.raises(AssertionError, match=objection):
        one.answer_of(lambda _: answer)


def test_an_asynchronous_function_is_awaited(casino_table: CasinoTable) -> None:
    async def act(turn: Json) -> Json:
        await asyncio.sleep(0)
        return sound(turn)

    assert casino_table.question("turn").answer_of(act)
    assert not casino_table.faults(act)
    assert not casino_table.play(act, hands=10).faults


def test_the_faults_of_a_function_are_those_of_casino_check(casino_table: CasinoTable) -> None:
    (fault,) = casino_table.faults(lambda _: {"action": "check"})
    assert (fault.check, fault.name) == ("questions", "illegal-action")
    assert fault.fix


def test_hands_are_played_and_the_chips_add_up(casino_table: CasinoTable) -> None:
    """The same seed plays the same; every player has each seat equally often."""
    first, again, other = (
        casino_table.play(sound, "tight", sound, hands=100, seed=seed) for seed in ("a", "a", "b")
    )
    assert first == again
    assert first.nets != other.nets
    assert first.hands == 102
    assert sum(first.nets) == 0
    assert set(first.outcomes) == {"ok"}
    assert first.faults == ()


def test_every_fault_has_its_hand_its_outcome_and_the_reason(casino_table: CasinoTable) -> None:
    def act(turn: Json) -> Any:
        if turn["handNumber"] == 1:
            return raises_one(turn)
        return turn["absent"] if turn["handNumber"] == 2 else sound(turn)

    played = casino_table.play(act, hands=8, rules=Rules(stack=50))
    faults = {one.hand: one for one in played.faults}
    assert set(faults) == {1, 2, 3, 4}
    assert faults[1].outcome == "malformed"
    assert faults[1].reason == "action: is required"
    assert faults[1].turn["playerStack"] in range(47, 51)
    assert "test_casino_table.py, line" in faults[3].reason
    assert faults[3].reason.endswith("KeyError: 'absent'")
    assert sum(played.nets) == 0


def test_a_second_answer_that_is_legal_is_a_fault_too(casino_table: CasinoTable) -> None:
    def act(turn: Json) -> Json:
        return sound(turn) if "rejected" in turn else {"action": "dance"}

    played = casino_table.play(act, hands=2)
    assert set(played.outcomes) == {"retried"}
    assert 'action: must be "fold"' in played.faults[0].reason


def test_a_default_of_the_bot_is_no_decision_of_it(casino_table: CasinoTable) -> None:
    why = {"reason": "model_failed", "detail": "401: no such key"}

    def act(turn: Json) -> Json:
        return {**sound(turn), "defaulted": why}

    played = casino_table.play(act, hands=2)
    assert set(played.outcomes) == {"defaulted"}
    assert played.faults[0].reason == "model_failed: 401: no such key"


def test_a_late_answer_is_named(casino_table: CasinoTable) -> None:
    async def act(_turn: Json) -> Json:
        await asyncio.Event().wait()
        return {}

    played = casino_table.play(act, hands=2, rules=Rules.model_validate({"clock": 0.001}))
    assert set(played.outcomes) == {"timeout"}
    assert played.faults[0].reason == "no answer within 0.001 s"


def test_an_unknown_style_is_named(casino_table: CasinoTable) -> None:
    with pytest.raises(PlayerFailed, match="there is no style shark; there are aggressive"):
        casino_table.play(sound, "shark")
