"""Practice poses every kind of question and judges answers with the table's own rules."""

import json
import subprocess
import sys
from collections import Counter
from typing import Any

import pytest
from casino_contracts import ActionRequest, GameActionRequest
from casino_table.practice.practice_judge import HOLDEM_TABLES, PracticeJudge, chosen

ALL_LEGAL = {
    ("check", "bet", "all-in"),
    ("check", "raise", "all-in"),
    ("check", "all-in"),
    ("fold", "call", "raise", "all-in"),
    ("fold", "call", "all-in"),
    ("fold", "call"),
}


def ordered(judge: PracticeJudge, **order: Any) -> dict[str, Any]:
    return judge.reply(json.dumps(order).encode())


def dealt(count: int = 60, **options: Any) -> tuple[PracticeJudge, list[dict[str, Any]]]:
    judge = PracticeJudge()
    player = {"tableId": "t1", "playerId": "player-7", "displayName": "Mine"}
    questions = ordered(judge, do="deal", seed=1, count=count, **player, **options)["questions"]
    return judge, [
        json.loads(ordered(judge, do="ask", question=at, clockMs=10_000)["request"])
        for at in range(len(questions))
    ]


@pytest.mark.parametrize("seed", [0, 1, 2, 77])
def test_every_kind_of_question_is_among_sixty(seed: int) -> None:
    """Every set of legal actions, every round at every table, whatever the seed."""
    spots = chosen(HOLDEM_TABLES, seed, 60)
    assert len(spots) == 60
    assert {spot.legal for spot in spots} == ALL_LEGAL
    stages = {(spot.setup.label, spot.stage) for spot in spots}
    rounds = ("preflop", "flop", "turn", "river")
    assert stages == {(scene.label, stage) for scene in HOLDEM_TABLES for stage in rounds}


def test_the_questions_are_those_of_a_table() -> None:
    """Each conforms to its schema, is the examinee's own, and has an id of its own."""
    _, requests = dealt()
    read = [ActionRequest.model_validate(request) for request in requests]
    assert {request.player_id for request in read} == {"player-7"}
    assert len({request.request_id for request in read}) == 60
    assert max(len(request.players or ()) for request in read) == 9
    assert any(request.pot != int(request.pot) for request in read)
    assert max(request.player_stack for request in read) > 10**12
    for request in read:
        (mine,) = [one for one in request.players or () if one.player_id == request.player_id]
        assert mine.stack == request.player_stack


def test_a_player_of_any_game_gets_other_games_too() -> None:
    _, requests = dealt(count=10, otherGames=12, playsAnyGame=True)
    games = Counter(GameActionRequest.model_validate(one).game_type for one in requests)
    assert games["texas-holdem"] == 10
    assert games["leduc_poker"] + games["kuhn_poker"] == 12
    assert games["kuhn_poker"] > 0
    assert len({request["requestId"] for request in requests}) == 22


def test_answers_are_judged_as_at_a_table() -> None:
    judge, requests = dealt()
    facing = next(i for i, one in enumerate(requests) if "raise" in one["legalActions"])
    least = requests[facing]["minRaiseTo"]
    good = ordered(judge, do="judge", question=facing, answer={"action": "raise", "amount": least})
    assert good["action"]["action_type"] == "raise"
    bad = ordered(judge, do="judge", question=facing, answer={"action": "raise"})
    assert bad["illegal"].startswith("raise needs amount, a total for this betting round; legal")
    assert bad["answer"] == {"action": "raise"}


def test_a_second_attempt_carries_the_reason() -> None:
    judge, (first, *_) = dealt(count=1)
    rejected = {"reason": "illegal", "message": "no", "answer": {"action": "dance"}}
    order = {"do": "ask", "question": 0, "attempt": 2, "clockMs": 5, "rejected": rejected}
    second = json.loads(ordered(judge, **order)["request"])
    assert second["rejected"] == rejected
    assert second["requestId"] == first["requestId"].removesuffix(":1") + ":2"
    assert second["deadlineMs"] == 5


@pytest.mark.full
def test_an_invalid_order_is_answered() -> None:
    lines = b'{"do": "ask", "question": 3, "clockMs": 1}\nno JSON\n'
    process = [sys.executable, "-m", "casino_table.practice"]
    written = subprocess.run(process, input=lines, capture_output=True, check=True).stdout
    first, second = map(json.loads, written.splitlines())
    assert set(first) == set(second) == {"invalid"}
