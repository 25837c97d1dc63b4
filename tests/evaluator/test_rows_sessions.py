"""Rows of the acceptance page at an evaluator in one process: sessions, RESET, actions, frames."""

import asyncio
import random
from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID

import pytest
import pytest_asyncio
from support.evaluator.arc_client import CHECK, OTHER_KEY, ArcClient, okay
from support.evaluator.loop_evaluator import LoopEvaluator, evaluator_of, loop_evaluator

pytestmark = pytest.mark.asyncio(loop_scope="module")

Json = dict[str, Any]
SESSIONS = 12
"""How many play at once."""
BOTH_NAMES = {"score": "levels_completed", "win_score": "win_levels"}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def live() -> AsyncIterator[LoopEvaluator]:
    async with loop_evaluator(rooms=SESSIONS) as running:
        yield running


@pytest.fixture
def client(live: LoopEvaluator) -> ArcClient:
    return live.client()


def check_frame(frame: Json) -> None:
    """Check what holds of every answer of a session."""
    assert frame["state"] in {"NOT_FINISHED", "WIN", "GAME_OVER"}
    assert 0 <= frame["score"] <= frame["win_score"] <= 254
    assert all(frame[old] == frame[new] for old, new in BOTH_NAMES.items())
    assert 1 <= len(frame["frame"]) <= 64
    for grid in frame["frame"]:
        assert len(grid) == 64
        assert all(len(row) == 64 and set(row) <= set(range(16)) for row in grid)
    assert all(type(action) is int and 1 <= action <= 7 for action in frame["available_actions"])
    assert set(frame["action_input"]) == {"id", "data", "reasoning"}
    assert type(frame["full_reset"]) is bool


async def test_ev_01_02_a_session_begins_on_a_scorecard(client: ArcClient) -> None:
    """The answer has exactly the documented fields."""
    card = await client.open()
    assert str(UUID(card)) == card
    games = await client.games()
    frame = await client.begin("kuhn", card)
    check_frame(frame)
    assert {name: value for name, value in frame.items() if name not in {"guid", "frame"}} == {
        "game_id": games["kuhn"]["game_id"],
        "state": "NOT_FINISHED",
        "score": 0,
        "win_score": 3,
        "levels_completed": 0,
        "win_levels": 3,
        "action_input": {"id": 0, "data": {}, "reasoning": None},
        "available_actions": [2, 3, 6],
        "full_reset": False,
    }
    assert str(UUID(frame["guid"])) == frame["guid"]


async def test_ev_03_without_a_guid_each_reset_is_a_new_session(client: ArcClient) -> None:
    """Null and the empty text are no guid; all begin with the same deal."""
    card = await client.open()
    fields = {"game_id": "kuhn", "card_id": card}
    frames = [
        okay(await client.post("cmd/RESET", **fields, **guid))
        for guid in ({}, {"guid": None}, {"guid": ""})
    ]
    assert len({frame["guid"] for frame in frames}) == 3
    assert all(frame["frame"] == frames[0]["frame"] for frame in frames)


async def test_ev_04_to_07_and_09_what_a_reset_resets(client: ArcClient) -> None:
    """The level after an action in it, the whole game otherwise; with the same deals."""
    first = await client.begin("kuhn", await client.open())
    full = await client.reset(first)
    assert (full["full_reset"], full["frame"]) == (True, first["frame"])  # EV-09
    moved = await client.act(first, CHECK)
    assert moved["frame"][-1] != first["frame"][-1]
    again = await client.reset(first)  # EV-04
    assert (again["full_reset"], again["score"], again["guid"]) == (False, 0, first["guid"])
    assert again["frame"] == first["frame"]
    second = await client.check_until(first, 1)
    assert (second["score"], second["state"]) == (1, "NOT_FINISHED")
    full = await client.reset(first)  # EV-06
    assert (full["full_reset"], full["score"], full["frame"]) == (True, 0, first["frame"])
    second = await client.check_until(first, 1)
    await client.act(first, CHECK)
    again = await client.reset(first)  # EV-05
    assert (again["full_reset"], again["score"]) == (False, 1)
    assert again["frame"][-1] == second["frame"][-1]
    full = await client.reset(first)  # EV-07
    assert (full["full_reset"], full["score"], full["frame"]) == (True, 0, first["frame"])


async def test_ev_10_12_14_a_game_that_is_won(client: ArcClient) -> None:
    """The last action says WIN; then only RESET is taken, of the whole game."""
    first = await client.begin("kuhn", await client.open())
    won = await client.check_until(first)
    check_frame(won)
    assert (won["state"], won["score"], won["win_score"]) == ("WIN", 3, 3)
    refused = await client.try_to_act(won, 1)
    assert (refused.status_code, refused.json()) == (
        400,
        {
            "error": "GAME_NOT_STARTED_ERROR",
            "message": f"game {won['game_id']} is available but has not been started, send RESET"
            " to begin playing",
        },
    )
    again = await client.reset(won)
    assert (again["state"], again["score"], again["full_reset"]) == ("NOT_FINISHED", 0, True)
    assert again["frame"] == first["frame"]


async def test_ev_11_12_13_a_game_that_is_over(client: ArcClient) -> None:
    """The level can be reset, and the score stays."""
    over = await client.check_until(await client.begin("hard", await client.open()))
    check_frame(over)
    assert (over["state"], over["score"]) == ("GAME_OVER", 1)
    refused = await client.try_to_act(over, CHECK)
    assert (refused.status_code, refused.json()["error"]) == (400, "GAME_NOT_STARTED_ERROR")
    again = await client.reset(over)
    assert (again["state"], again["score"], again["full_reset"]) == ("NOT_FINISHED", 1, False)


async def test_ev_18_a_reset_needs_no_card(client: ArcClient) -> None:
    """If one is sent it must be that of the session."""
    card, other = await client.open(), await client.open()
    first = await client.begin("kuhn", card)
    named = {"game_id": first["game_id"], "guid": first["guid"]}
    for card_id, status in ((None, 200), ("", 200), (card, 200), (other, 400)):
        reply = await client.post("cmd/RESET", **named, card_id=card_id)
        assert reply.status_code == status, reply.text


async def test_ev_20_an_action_that_is_not_available(client: ArcClient) -> None:
    """It changes nothing, counts, and makes the next RESET one of the level."""
    card = await client.open()
    first = await client.begin("kuhn", card)
    assert 5 not in first["available_actions"]
    reply = await client.act(first, 5)
    assert reply["frame"] == first["frame"][-1:]
    assert reply["available_actions"] == first["available_actions"]
    assert (await client.card(card))["environments"][0]["actions"] == 1
    assert (await client.reset(first))["full_reset"] is False


@pytest.mark.parametrize("game", ["kuhn", "hold"])
async def test_ev_22_what_holds_of_every_answer(client: ArcClient, game: str) -> None:
    """Whatever is sent: clicks, actions that are not available, resets."""
    dice = random.Random(game)
    frame = await client.begin(game, await client.open())
    check_frame(frame)
    win_score, score = frame["win_score"], 0
    for _ in range(25):
        number = dice.choice((1, 2, 2, 2, 3, 4, 5, 6, 6, 7, 0))
        if number == 0 or frame["state"] != "NOT_FINISHED":
            frame = await client.reset(frame)
        else:
            click = {"x": dice.randrange(64), "y": dice.randrange(64)} if number == 6 else {}
            frame = await client.act(frame, number, **click)
        check_frame(frame)
        assert frame["win_score"] == win_score
        assert frame["score"] >= score or frame["full_reset"]
        score = frame["score"]


@pytest.mark.parametrize("reasoning", ["a text", {"an": ["object", 1]}, None])
async def test_ev_24_commands_are_echoed(client: ArcClient, reasoning: object) -> None:
    """Reasoning exactly as it was sent."""
    first = await client.begin("kuhn", await client.open())
    data = {"game_id": first["game_id"]}
    reply = await client.act(first, 5, reasoning=reasoning)
    assert reply["action_input"] == {"id": 5, "data": data, "reasoning": reasoning}
    reply = await client.act(first, 6, x=63, y=0, reasoning=reasoning)
    data = {**data, "x": 63, "y": 0}
    assert reply["action_input"] == {"id": 6, "data": data, "reasoning": reasoning}


async def test_the_same_actions_give_the_same_frames(client: ArcClient) -> None:
    """In another session, on another card of another key; another seed deals otherwise."""
    plays = []
    for card in (await client.open(seed="one"), await client.open(seed="one"), await client.open()):
        frame = await client.begin("hold", card)
        shown = [*frame["frame"]]
        for number in (CHECK, 3, CHECK, CHECK, CHECK, 3, CHECK):
            frame = await client.act(frame, number)
            shown += frame["frame"]
        plays.append(shown)
    assert plays[0] == plays[1]
    assert plays[0] != plays[2]


async def test_a_text_agent_reads_the_same_moment(client: ArcClient) -> None:
    """With what each number does; reading changes nothing."""
    first = await client.begin("hold", await client.open())
    path = f"cmd/{first['guid']}/observation"
    seen = okay(await client.get(path))
    assert seen["available_actions"] == first["available_actions"]
    assert (seen["state"], seen["score"], seen["level"]) == ("NOT_FINISHED", 0, 1)
    numbers = [action["number"] for action in seen["moment"]["actions"] if "number" in action]
    assert set(numbers) <= set(first["available_actions"])
    assert okay(await client.get(path)) == seen
    assert okay(await client.get("replay/" + first["guid"]))["commands_total"] == 1


async def _play_at_random(client: ArcClient, card: str, game: str, seed: int) -> Json:
    """Send any action, as the official random agent does; returns the last frame."""
    dice = random.Random(seed)
    frame = await client.begin(game, card)
    for _ in range(12):
        if frame["state"] != "NOT_FINISHED":
            break
        number = dice.choice(frame["available_actions"])
        click = {"x": dice.randrange(64), "y": dice.randrange(64)} if number == 6 else {}
        frame = await client.act(frame, number, reasoning={"seed": seed}, **click)
    return frame


async def test_ev_27_29_many_sessions_at_once(live: LoopEvaluator) -> None:
    """They stay apart, none fails, and the totals equal the log of commands."""
    client = live.client()
    card = await client.open()
    frames = await asyncio.gather(
        *(
            _play_at_random(client, card, ("kuhn", "hold", "hard")[seed % 3], seed)
            for seed in range(SESSIONS)
        )
    )
    assert len({frame["guid"] for frame in frames}) == SESSIONS
    summary = await client.card(card)
    runs = {run["guid"]: run for game in summary["environments"] for run in game["runs"]}
    actions = 0
    for seed, frame in enumerate(frames):
        replay = okay(await client.get(f"replay/{frame['guid']}"))
        taken = [one["action_input"] for one in replay["commands"] if one["action_input"]["id"]]
        assert all(one["reasoning"] == {"seed": seed} for one in taken)
        run = runs[frame["guid"]]
        assert (run["actions"], run["state"]) == (len(taken), frame["state"])
        assert run["levels_completed"] == frame["score"]
        actions += len(taken)
    assert summary["total_actions"] == actions
    okay(await client.post("scorecard/close", card_id=card))


async def test_ev_21_31_slow_opponents_and_too_many_requests(live: LoopEvaluator) -> None:
    """An opponent costs its clock at most; a key has so many requests, another has its own."""
    async with evaluator_of(
        live.casino, "http://slow", opponent_pause="60s", requests_per_minute=20
    ) as slow:
        client = slow.client()
        frame = await client.begin("hold", await client.open())
        frame = await client.act(frame, CHECK)
        assert len(frame["frame"]) >= 2
        assert CHECK in frame["available_actions"]
        newest = (await live.casino.http.get("/v1/rooms")).json()["rooms"][-1]["roomId"]
        taken = await live.casino.payloads(newest, "action_taken")
        assert "timeout" in {payload["outcome"] for payload in taken}
        other = slow.client(OTHER_KEY)
        replies = [await other.get("games") for _ in range(30)]
        assert [reply.status_code for reply in replies[:20]] == [200] * 20
        assert (replies[-1].status_code, replies[-1].json()) == (
            429,
            {"error": "RATE_LIMIT_EXCEEDED", "message": "rate limit has been exceeded"},
        )
        assert (await client.get("games")).status_code == 200
