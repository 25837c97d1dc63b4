"""Rows of the acceptance page at an evaluator in one process: sessions, actions, refusals."""

import asyncio
import random
from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID

import pytest
import pytest_asyncio
from support.evaluator.arc_client import CHECK, KEY, OTHER_KEY, ArcClient, okay
from support.evaluator.live_evaluator import LoopEvaluator, loop_evaluator

pytestmark = pytest.mark.asyncio(loop_scope="module")

Json = dict[str, Any]
UNKNOWN = "00000000-0000-4000-8000-000000000000"
SESSIONS = 6
"""How many play at once."""
BOTH_NAMES = {"score": "levels_completed", "win_score": "win_levels"}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def live() -> AsyncIterator[LoopEvaluator]:
    async with loop_evaluator(rooms=SESSIONS) as running:
        yield running


@pytest.fixture
def client(live: LoopEvaluator) -> ArcClient:
    return live.client()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def first(live: LoopEvaluator) -> Json:
    """Return the first frame of a session in which no test plays."""
    client = live.client()
    return await client.begin("kuhn", await client.open())


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


async def test_ev_05_to_14_levels_are_completed_failed_and_reset(client: ArcClient) -> None:
    """A game that is won begins anew, a failed level alone; the deals are those of before."""
    first = await client.begin("kuhn", await client.open())
    second = await client.check_until(first, 1)
    assert (second["score"], second["state"]) == (1, "NOT_FINISHED")
    await client.act(first, CHECK)
    again = await client.reset(first)
    assert (again["full_reset"], again["score"]) == (False, 1)
    assert again["frame"][-1] == second["frame"][-1]
    won = await client.check_until(first)
    check_frame(won)
    assert (won["state"], won["score"], won["win_score"]) == ("WIN", 3, 3)
    full = await client.reset(won)
    assert (full["full_reset"], full["score"], full["frame"]) == (True, 0, first["frame"])
    over = await client.check_until(await client.begin("hard", await client.open()))
    assert (over["state"], over["score"]) == ("GAME_OVER", 1)
    refused = await client.try_to_act(over, CHECK)
    assert (refused.status_code, refused.json()) == (
        400,
        {
            "error": "GAME_NOT_STARTED_ERROR",
            "message": f"game {over['game_id']} is available but has not been started, send RESET"
            " to begin playing",
        },
    )
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


async def test_ev_20_24_an_action_that_is_not_available(client: ArcClient) -> None:
    """It changes nothing, is echoed, counts, and makes the next RESET one of the level."""
    card = await client.open()
    first = await client.begin("kuhn", card)
    assert 5 not in first["available_actions"]
    reasoning = {"an": ["object", 1]}
    for number, click in ((5, {}), (6, {"x": 63, "y": 0})):
        reply = await client.act(first, number, reasoning=reasoning, **click)
        assert reply["frame"] == first["frame"][-1:]
        assert reply["available_actions"] == first["available_actions"]
        data = {"game_id": first["game_id"], **click}
        assert reply["action_input"] == {"id": number, "data": data, "reasoning": reasoning}
    assert (await client.card(card))["environments"][0]["actions"] == 2
    assert (await client.reset(first))["full_reset"] is False


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
        check_frame(frame)
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


def commands(frame: Json) -> dict[str, Json]:
    """Return the fields of every command of a session, by path."""
    named = {"game_id": frame["game_id"], "guid": frame["guid"]}
    paths = ("cmd/RESET", *(f"cmd/ACTION{number}" for number in range(1, 8)))
    return {path: {**named, "x": 1, "y": 1} for path in paths}


@pytest.mark.parametrize("key", ["", "not-the-key-of-anybody"])
async def test_ev_15_everything_needs_a_key(live: LoopEvaluator, first: Json, key: str) -> None:
    client = ArcClient(live.http, key)
    if not key:
        client.headers = {}
    guid = first["guid"]
    posts = {
        **commands(first),
        "scorecard/open": {},
        "scorecard/close": {"card_id": UNKNOWN},
        f"scorecard/{UNKNOWN}/heartbeat": {},
    }
    gets = (
        "games",
        "games/kuhn",
        f"cmd/{guid}/observation",
        f"scorecard/{UNKNOWN}",
        f"scorecard/{UNKNOWN}/kuhn",
        "scorecards",
        f"replay/{guid}",
    )
    replies = [await client.post(path, **body) for path, body in posts.items()]
    replies += [await client.get(path) for path in gets]
    replies.append(await client.delete(f"scorecard/{UNKNOWN}"))
    for reply in replies:
        assert reply.status_code == 401, reply.request.url
        assert reply.json()["error"] == "VALIDATION_ERROR"
        assert "X-API-Key" in reply.json()["message"]
    assert (await client.get("healthcheck")).text == "okay"
    assert okay(await client.get("games/anonkey"))["api_key"]


async def test_ev_16_what_a_reset_must_name(live: LoopEvaluator, client: ArcClient) -> None:
    """A game, and a scorecard of the key that is open."""
    card, closed = await client.open(), await client.open()
    others = await live.client(OTHER_KEY).open()
    await client.post("scorecard/close", card_id=closed)
    for fields, status, code, message in (
        ({"card_id": card}, 400, "VALIDATION_ERROR", "missing `game_id` in action data"),
        ({"game_id": "x", "card_id": card}, 400, "SERVER_ERROR", "game x not found"),
        ({"game_id": "kuhn"}, 400, "SERVER_ERROR", "game kuhn not found"),
        ({"game_id": "kuhn", "card_id": UNKNOWN}, 400, "SERVER_ERROR", "not found"),
        ({"game_id": "kuhn", "card_id": closed}, 400, "SERVER_ERROR", "not found"),
        ({"game_id": "kuhn", "card_id": others}, 404, "SERVER_ERROR", "not found"),
    ):
        reply = await client.post("cmd/RESET", **fields)
        assert (reply.status_code, reply.json()["error"]) == (status, code), reply.text
        assert message in reply.json()["message"]


async def test_ev_17_a_session_is_its_keys(live: LoopEvaluator, client: ArcClient) -> None:
    """Nothing of it is shown to others, or changed by them."""
    card = await client.open()
    frame = await client.begin("kuhn", card)
    other = live.client(OTHER_KEY)
    for path, fields in commands(frame).items():
        for sender, named, code in (
            (other, {}, "VALIDATION_ERROR"),
            (client, {"guid": UNKNOWN}, "SERVER_ERROR"),
            (client, {"guid": None}, "SERVER_ERROR"),
            (client, {"game_id": "hard"}, "VALIDATION_ERROR"),
        ):
            reply = await sender.post(path, **{**fields, **named})
            assert (reply.status_code, reply.json()["error"]) == (400, code), reply.text
            assert set(reply.json()) == {"error", "message"}
    for path in (f"cmd/{frame['guid']}/observation", f"replay/{frame['guid']}"):
        assert (await other.get(path)).status_code in {400, 404}
    assert (await client.card(card))["environments"][0]["actions"] == 0


@pytest.mark.parametrize(
    ("path", "fields", "named"),
    [
        ("ACTION6", {}, "x"),
        ("ACTION6", {"x": 1}, "y"),
        ("ACTION6", {"x": 64, "y": 1}, "x"),
        ("ACTION6", {"x": 1, "y": -1}, "y"),
        ("ACTION6", {"x": 1.5, "y": 1}, "x"),
        ("ACTION6", {"x": True, "y": 1}, "x"),
        ("ACTION6", {"x": 10**300, "y": 1}, "x"),
        ("ACTION1", {"reasoning": "x" * 17 * 1024}, "reasoning"),
        ("ACTION1", {"game_id": 7}, "game_id"),
        ("ACTION1", {"guid": ["a"]}, "guid"),
        ("RESET", {"card_id": {}}, "card_id"),
        ("RESET", {"guid": "g" * 129}, "guid"),
    ],
)
async def test_ev_19_wrong_fields_are_named(
    client: ArcClient, first: Json, path: str, fields: Json, named: str
) -> None:
    body = {"game_id": first["game_id"], "guid": first["guid"], **fields}
    reply = await client.post(f"cmd/{path}", **body)
    assert (reply.status_code, reply.json()["error"]) == (400, "VALIDATION_ERROR")
    assert reply.json()["message"].startswith(f"{named}: ")
    assert okay(await client.get("replay/" + first["guid"]))["commands_total"] == 1


async def test_ev_19_a_large_body_is_refused_unread(client: ArcClient, first: Json) -> None:
    body = {"game_id": first["game_id"], "guid": first["guid"], "reasoning": "x" * 200_000}
    reply = await client.post("cmd/ACTION1", **body)
    assert (reply.status_code, reply.json()["error"]) == (413, "VALIDATION_ERROR")
    assert reply.json()["message"].startswith("the body: ")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b'"text"',
        b"null",
        b"\xff\xfe",
        b'{"reasoning": NaN}',
        b'{"guid": "a", "guid": "b"}',
        b'{"guid": "\\ud800"}',
        b'{"reasoning": ' + b"[" * 5_000 + b"]" * 5_000 + b"}",
        b'{"x": ' + b"9" * 5_000 + b', "game_id": null}',
    ],
)
@pytest.mark.parametrize("path", ["cmd/ACTION6", "scorecard/close"])
async def test_ev_19_bodies_that_cannot_be_read(
    live: LoopEvaluator, path: str, body: bytes
) -> None:
    reply = await live.http.post(f"/api/{path}", content=body, headers={"x-api-key": KEY})
    assert (reply.status_code, reply.json()["error"]) == (400, "VALIDATION_ERROR"), reply.text


async def test_ev_25_26_a_card_is_closed_once_and_stays_readable(
    live: LoopEvaluator, client: ArcClient
) -> None:
    card = await client.open(tags=["agent"])
    frame = await client.act(await client.begin("kuhn", card), CHECK)
    opened = await client.card(card)
    closed = okay(await client.post("scorecard/close", card_id=card))
    assert closed["environments"] == opened["environments"]
    assert await client.card(card) == closed
    assert okay(await client.get(f"scorecard/{card}/kuhn"))["cards"]
    again = await client.post("scorecard/close", card_id=card)
    assert (again.status_code, again.json()["error"]) == (404, "VALIDATION_ERROR")
    for path, fields in commands(frame).items():
        reply = await client.post(path, **fields)
        assert (reply.status_code, reply.json()["error"]) == (400, "SERVER_ERROR"), reply.text
    other = live.client(OTHER_KEY)
    for reply in (await other.get(f"scorecard/{card}"), await other.delete(f"scorecard/{card}")):
        assert (reply.status_code, reply.json()["error"]) == (404, "SERVER_ERROR")
    assert (await client.delete(f"scorecard/{card}")).status_code in {200, 204}
    assert (await client.get(f"scorecard/{card}")).status_code == 404


async def test_games_are_listed_by_title(live: LoopEvaluator, client: ArcClient) -> None:
    """One is found by its id or the four letters in front of it; header names have no case."""
    listed = (await client.get("games")).json()
    assert [game["title"] for game in listed] == ["HARD", "HOLD", "KUHN"]
    for name in ("kuhn", listed[2]["game_id"]):
        assert okay(await client.get(f"games/{name}")) == listed[2]
    unknown = await client.get("games/zzzz")
    assert (unknown.status_code, unknown.json()) == (
        404,
        {"error": "SERVER_ERROR", "message": "game zzzz not found"},
    )
    shouted = await live.http.get("/api/games", headers={"X-API-KEY": KEY})
    assert shouted.json() == listed
