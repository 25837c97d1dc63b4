"""Rows of the acceptance page in one process: what is refused, and what everybody sees."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from support.evaluator.arc_client import CHECK, KEY, OTHER_KEY, ArcClient, okay
from support.evaluator.loop_evaluator import LoopEvaluator, loop_evaluator

pytestmark = pytest.mark.asyncio(loop_scope="module")

Json = dict[str, Any]
UNKNOWN = "00000000-0000-4000-8000-000000000000"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def live() -> AsyncIterator[LoopEvaluator]:
    async with loop_evaluator(rooms=6) as running:
        yield running


@pytest.fixture
def client(live: LoopEvaluator) -> ArcClient:
    return live.client()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def first(live: LoopEvaluator) -> Json:
    """Return the first frame of a session in which no test plays."""
    client = live.client()
    return await client.begin("kuhn", await client.open())


def commands(frame: Json) -> dict[str, Json]:
    """Return the fields of every command of a session, by path."""
    named = {"game_id": frame["game_id"], "guid": frame["guid"]}
    paths = ("cmd/RESET", *(f"cmd/ACTION{number}" for number in range(1, 8)))
    return {path: {**named, "x": 1, "y": 1} for path in paths}


@pytest.mark.parametrize("key", ["", "not-the-key-of-anybody"])
async def test_ev_15_everything_needs_a_key(live: LoopEvaluator, first: Json, key: str) -> None:
    """All but the anonymous key and the health check."""
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
        ("ACTION1", {"reasoning": "x" * 200_000}, "the body"),
        ("ACTION1", {"game_id": 7}, "game_id"),
        ("ACTION1", {"guid": ["a"]}, "guid"),
        ("RESET", {"card_id": {}}, "card_id"),
        ("RESET", {"guid": "g" * 129}, "guid"),
    ],
)
async def test_ev_19_wrong_fields_are_named(
    client: ArcClient, first: Json, path: str, fields: Json, named: str
) -> None:
    """And nothing changes."""
    body = {"game_id": first["game_id"], "guid": first["guid"], **fields}
    reply = await client.post(f"cmd/{path}", **body)
    assert (reply.status_code, reply.json()["error"]) == (400, "VALIDATION_ERROR")
    assert reply.json()["message"].startswith(f"{named}: ")
    assert okay(await client.get("replay/" + first["guid"]))["commands_total"] == 1


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
@pytest.mark.parametrize("path", ["cmd/RESET", "cmd/ACTION6", "scorecard/close"])
async def test_ev_19_bodies_that_cannot_be_read(
    live: LoopEvaluator, path: str, body: bytes
) -> None:
    """Each is 400, never 500."""
    reply = await live.http.post(f"/api/{path}", content=body, headers={"x-api-key": KEY})
    assert (reply.status_code, reply.json()["error"]) == (400, "VALIDATION_ERROR"), reply.text


@pytest.mark.parametrize(
    "fields",
    [
        {"tags": "agent"},
        {"tags": [1]},
        {"source_url": 1},
        {"competition_mode": "yes"},
        {"opaque": "x" * 17_000},
        {"seed": 7},
    ],
)
async def test_a_card_with_wrong_fields_is_not_opened(client: ArcClient, fields: Json) -> None:
    """The message names the field."""
    reply = await client.post("scorecard/open", **fields)
    assert (reply.status_code, reply.json()["error"]) == (400, "VALIDATION_ERROR")
    assert next(iter(fields)) in reply.json()["message"]


async def test_ev_25_26_a_card_is_closed_once_and_stays_readable(
    live: LoopEvaluator, client: ArcClient
) -> None:
    """Its sessions take no command any more."""
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
