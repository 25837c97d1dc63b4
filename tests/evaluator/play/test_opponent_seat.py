"""An opponent decides each question once, with the dice of the level's seed."""

import asyncio
from datetime import timedelta
from random import Random
from typing import Any

import pytest
from casino_contracts import Defaulted, GameActionRequest
from casino_evaluator.play.level_seats import OpponentSeat, decisions_before, dice_of

Json = dict[str, Any]
OFFERS = ({"action_type": "CHECK"}, {"action_type": "BET", "min": 1, "max": 9})


def question(number: int = 3, attempt: int = 1, **fields: Any) -> GameActionRequest:
    """Return a question of hand 7: its `number`-th decision."""
    values: dict[str, Any] = {
        "table_id": "room",
        "game_type": "kuhn_poker",
        "spec_version": "1.0.0",
        "request_id": f"room/7:{number}:{attempt}",
        "player_id": "player-2",
        "state": {"public": {"current_player": "player-2"}, "private": {"card": "K"}},
        "available_actions": OFFERS,
        "deadline_ms": 3_000,
        "hand_id": "room/7",
        "hand_number": 7,
        **fields,
    }
    return GameActionRequest(**values)


class Opponent:
    """Records what it is asked, and bets what the dice say."""

    def __init__(self) -> None:
        self.states: list[Json] = []

    def __call__(self, state: Json, _offers: tuple[Json, ...], dice: Random) -> Json:
        self.states.append(state)
        return {"action_type": "BET", "amount": dice.randint(1, 9)}


def seat(opponent: Any, seed: str = "seed", pause_s: float = 0) -> OpponentSeat:
    return OpponentSeat(
        opponent,
        seed,
        timedelta(seconds=pause_s),
        recorder=None,
        ids={"player-1": "candidate", "player-2": "opponent"},
        changed=lambda: None,
    )


async def test_a_question_that_comes_again_gets_the_same_answer() -> None:
    """It is decided once, from a state without ids of the lobby."""
    opponent = Opponent()
    asked = seat(opponent)
    first, again = await asyncio.gather(asked.ask(question()), asked.ask(question()))
    assert first == again == await asked.ask(question())
    assert opponent.states == [{"public": {"current_player": "opponent"}, "private": {"card": "K"}}]


async def test_the_dice_follow_from_seed_hand_and_decisions() -> None:
    """In every process the same, and others at every decision."""
    expected = dice_of("seed", 7, 2).randint(1, 9)
    for _ in range(2):
        response = await seat(Opponent()).ask(question())
        assert response.action == {"action_type": "BET", "amount": expected}
    thrown = {dice_of("seed", 7, n).random() for n in range(50)}
    assert len(thrown) == 50
    assert dice_of("other", 7, 2).random() not in thrown


@pytest.mark.parametrize(
    ("request_id", "decisions"),
    [("room/7:1:1", 0), ("room/7:12:2", 11), ("anything", 0), ("room/7:x", 0), ("room/8:3:1", 0)],
)
def test_a_question_s_id_tells_the_decisions_before(request_id: str, decisions: int) -> None:
    assert decisions_before(question(request_id=request_id)) == decisions


@pytest.mark.parametrize(
    "decision", [{"action_type": "FOLD"}, {"action_type": "BET", "amount": 99}, None, "a fault"]
)
async def test_a_wrong_decision_is_the_default_action(decision: Any) -> None:
    def decide(_state: Json, _offers: tuple[Json, ...], _dice: Random) -> Any:
        if decision == "a fault":
            raise RuntimeError(decision)
        return decision

    asked = seat(decide)
    response = await asked.ask(question())
    assert response.action == {"action_type": "CHECK"}
    assert response.defaulted is not None
    assert (response.defaulted.reason, asked.defaults) == ("failed", 1)


async def test_a_pause_ends_with_the_attempt() -> None:
    """Then it decides by default, at once; so does every later question."""
    opponent = Opponent()
    waiting = seat(opponent, pause_s=3_600)
    answers = [asyncio.create_task(waiting.ask(question(number))) for number in (1, 3)]
    done, _ = await asyncio.wait(answers, return_when=asyncio.FIRST_COMPLETED)
    assert done == {answers[0]}, "the table asks one question at a time: the earlier one is over"
    waiting.end()
    for response in (await answers[1], await waiting.ask(question(5))):
        assert response.action == {"action_type": "CHECK"}
        assert response.defaulted == Defaulted(reason="closing")
    assert not opponent.states
    assert waiting.defaults == 1, "the one that another question overtook"
