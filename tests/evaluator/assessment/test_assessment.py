"""Assessments from the request to the result, over A2A, with scripted levels."""

import copy
import json
from hashlib import sha256
from typing import Any

import pytest
from casino_evaluator.assessment.assessment_agent import AssessmentLimits
from casino_games.shuffle import derive_seed
from evaluator.assessment.assessing import (
    ALWAYS_LOST,
    IS_GONE,
    KEY,
    KUHN,
    LEDUC,
    LOSES,
    LOST_ONCE,
    SEED,
    WINS,
    assessing,
)


def request(config: dict[str, Any] | None = None, **participants: str) -> dict[str, Any]:
    return {"participants": participants, "config": config or {}}


async def test_an_assessment_ends_with_result_and_scorecards() -> None:
    """The winner has the best card; a level that fails ends its game."""
    async with assessing() as caller:
        answer = await caller.ask(request(alice=WINS, bob=LOSES))
    assert answer.states[-1] == "COMPLETED"
    assert set(answer.states[:-1]) == {"WORKING"}
    assert answer.result["winner"] == "alice"
    alice, bob = (answer.result["detail"]["participants"][role] for role in ("alice", "bob"))
    assert {one["state"] for one in alice["games"].values()} == {"WIN"}
    kuhn = bob["games"][KUHN.game_id]
    assert (kuhn["state"], kuhn["levels_completed"], kuhn["not_own_actions"]) == ("GAME_OVER", 1, 1)
    assert kuhn["opponent_defaults"] == 2
    assert kuhn["hands"] == KUHN.levels[0].hands + KUHN.levels[1].hands
    card = answer.artifacts["scorecard bob"]
    assert (card["card_id"], card["tags"]) == (bob["card_id"], ["assessment", "bob"])
    assert (card["total_levels"], card["total_levels_completed"]) == (5, 2)
    assert [one["id"] for one in card["environments"]] == sorted((KUHN.game_id, LEDUC.game_id))


async def test_each_level_is_reported() -> None:
    async with assessing() as caller:
        answer = await caller.ask(request({"games": ["kuhn"]}, bob=LOSES))
    assert answer.messages[0] == "bob play KUHN"
    first, second = answer.messages[1:3]
    assert first.startswith("bob: KUHN, level 1 of 3: completed, ")
    assert second.startswith("bob: KUHN, level 2 of 3: failed, ")
    defaults = "1 of its decisions by default; 2 of the opponent's decisions by default"
    assert second.endswith(f" hands; {defaults}")
    assert answer.messages[-1].startswith("Winner: bob. Scores of 100: bob ")


async def test_all_get_the_same_cards() -> None:
    """Those that a session with this seed gets; identical agents get identical scorecards."""
    config = {"games": ["kuhn"], "seed": "7", "action_timeout_ms": 900}
    async with assessing() as caller:
        answer = await caller.ask(request(config, alice=WINS, bob=WINS))
        asked = {role: [] for role in ("alice", "bob")}  # type: dict[str, list[Any]]
        for role, *call in caller.runs.asked:
            asked[role].append(call)
    assert (
        asked["alice"]
        == asked["bob"]
        == [
            ["kuhn", level, derive_seed(SEED, "7", KUHN.game_id, str(level)), 900]
            for level in (1, 2, 3)
        ]
    )
    assert answer.result["winner"] == "draw"
    cards = [_without_ids(answer.artifacts[f"scorecard {role}"]) for role in ("alice", "bob")]
    # protobuf does not keep the order of keys.
    assert json.dumps(cards[0], sort_keys=True) == json.dumps(cards[1], sort_keys=True)


def _without_ids(card: Any) -> Any:
    """Return a scorecard without ids, times and the role."""
    card = copy.deepcopy(card)
    for name in ("card_id", "open_at", "last_update", "closed_at", "tags"):
        del card[name]
    for environment in card["environments"]:
        for run in environment["runs"]:
            del run["guid"]
    for game in card["cards"].values():
        del game["guids"]
    return card


async def test_one_participants_fault_is_not_anothers() -> None:
    """One that is gone, or whose rooms are lost, gets a result that says so."""
    config = {"games": [LEDUC.game_id]}
    async with assessing() as caller:
        answer = await caller.ask(
            request(config, gone=IS_GONE, lost=ALWAYS_LOST, lucky=LOST_ONCE, bob=LOSES)
        )
    assert answer.states[-1] == "COMPLETED"
    assert answer.result["winner"] == "lucky"
    games = {
        role: one["games"][LEDUC.game_id]
        for role, one in answer.result["detail"]["participants"].items()
    }
    assert set(games) == {"gone", "lost", "lucky", "bob"}
    assert (games["gone"]["message"], games["gone"]["actions"]) == ("its card cannot be read", 0)
    assert games["lost"]["message"] == "the table is gone"
    assert "message" not in games["lucky"]


async def test_levels_may_be_limited() -> None:
    async with assessing() as caller:
        answer = await caller.ask(request({"games": ["kuhn"], "levels": 1}, alice=WINS))
    game = answer.result["detail"]["participants"]["alice"]["games"][KUHN.game_id]
    assert (game["state"], game["levels_completed"], game["levels"]) == ("NOT_FINISHED", 1, 3)


async def test_rooms_are_bounded() -> None:
    async with assessing(limits=AssessmentLimits(rooms=3)) as caller:
        many = {f"agent {number}": WINS for number in range(16)}
        answer = await caller.ask(request({"games": ["kuhn"]}, **many))
        assert (caller.runs.most_rooms, caller.runs.rooms) == (3, 0)
    assert answer.states[-1] == "COMPLETED"


@pytest.mark.parametrize("header", ["authorization", "x-api-key"])
async def test_cards_are_kept_for_a_callers_key(header: str) -> None:
    value = KEY if header == "x-api-key" else f"Bearer {KEY}"
    async with assessing(key=KEY, headers={header: value}) as caller:
        answer = await caller.ask(request(alice=WINS, bob=LOSES))
        kept = caller.cards.kept
    participants = answer.result["detail"]["participants"]
    assert set(kept) == {participants[role]["card_id"] for role in ("alice", "bob")}
    assert {card.key for card in kept.values()} == {sha256(KEY.encode()).hexdigest()}
