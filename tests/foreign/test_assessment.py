"""A client of a2a-sdk 0.3 has two sample players and a stock-SDK player assessed, all processes."""

import json
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest
import pytest_asyncio
from casino_agentkit.protocol import REST_PATH
from casino_seats.lobby_client import LobbyClient
from support.evaluator.arc_client import KEY, okay
from support.evaluator.live_evaluator import LiveEvaluator, live_evaluator
from support.http_json import VERSION, message
from support.players.foreign import foreign_agent, output_of, some_are_prepared
from support.processes import eventually

pytestmark = [
    pytest.mark.foreign,
    pytest.mark.full,
    pytest.mark.asyncio(loop_scope="module"),
]

CONFIG = {"games": ["hold"], "seed": "of the test"}
HANDS = 8
"""Of both levels."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def live() -> AsyncIterator[LiveEvaluator]:
    """Run a casino with an evaluator."""
    some_are_prepared()
    async with live_evaluator(tables=8) as live:
        yield live


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def answer(live: LiveEvaluator) -> AsyncIterator[dict[str, Any]]:
    """Assess two callers, a folder of another SDK, and one who is not there."""
    sample = [(await live.casino.sample("caller")).cards[0] for _ in range(2)]
    async with foreign_agent("sdk_0_3", "task") as stock:
        participants = {
            "first": sample[0],
            "second": sample[1],
            "stock": stock,
            "gone": "http://127.0.0.1:9/",
        }
        request = json.dumps({"participants": participants, "config": CONFIG})
        yield json.loads(await output_of("sdk_0_3", "assess", live.url, request, KEY))


async def test_the_task_is_completed_with_a_result(answer: dict[str, Any]) -> None:
    """Updates and artifacts are streamed; the one who is not there gets a result, too."""
    assert answer["state"] == "completed", answer["messages"]
    assert any(text.startswith("stock: HOLD, level 1 of 2: ") for text in answer["messages"])
    result = answer["artifacts"]["EvalResult"]
    roles = {"first", "second", "stock", "gone"}
    assert set(answer["streamed"]) == {"EvalResult", *(f"scorecard {role}" for role in roles)}
    assert result["winner"] in roles | {"draw"}
    participants = result["detail"]["participants"]
    assert set(participants) == roles
    for role in roles - {"gone"}:
        (game,) = participants[role]["games"].values()
        assert game["actions"] >= 1, (role, game)
        assert game["not_own_actions"] == 0, (role, game)
        assert game["hands"] >= 1, (role, game)
        assert "message" not in game
    (game,) = participants["gone"]["games"].values()
    assert (game["actions"], game["hands"]) == (0, 0)
    assert game["message"]


async def test_identical_agents_have_identical_scorecards(
    live: LiveEvaluator, answer: dict[str, Any]
) -> None:
    """Byte for byte, apart from ids, times and the tag with the role; also as they are kept."""
    participants = answer["artifacts"]["EvalResult"]["detail"]["participants"]
    client = live.client()
    kept = {role: await client.card(participants[role]["card_id"]) for role in ("first", "second")}
    for role, card in kept.items():
        assert card["tags"] == ["assessment", role]
        assert card == answer["artifacts"][f"scorecard {role}"]
    first, second = (json.dumps(_without_ids(card)) for card in kept.values())
    assert first == second


async def test_a_wrong_request_is_rejected(live: LiveEvaluator) -> None:
    """In words that name the field."""
    request = json.dumps({"participants": {"a": "no address"}})
    answer = json.loads(await output_of("sdk_0_3", "assess", live.url, request, KEY))
    assert answer["state"] == "rejected"
    assert answer["messages"][0].startswith("participants.a: must be an absolute http or https URL")


async def test_cancel_closes_the_rooms(live: LiveEvaluator) -> None:
    """At the lobby, too; opponents that think for long keep the level going until then."""
    await live.stop()
    await live.start(CASINO_EVALUATOR_OPPONENT_PAUSE="2s")
    caller = (await live.casino.sample("caller")).cards[0]
    request = {"participants": {"caller": caller}, "config": CONFIG}
    body = {
        "message": message(parts=[{"data": request}]),
        "configuration": {"returnImmediately": True},
    }
    headers = {**VERSION, "x-api-key": KEY}
    tasks = REST_PATH + "/tasks/"

    lobby = LobbyClient(live.casino.http, seating=timedelta(seconds=20))
    rooms: set[str] = set()

    async def is_playing() -> bool:
        rooms.update({room.room_id for room in await lobby.rooms()} - before)
        return bool(rooms)

    async def is_closed() -> bool:
        return not rooms & {room.room_id for room in await lobby.rooms()}

    before = {room.room_id for room in await lobby.rooms()}
    sent = await live.http.post(REST_PATH + "/message:send", json=body, headers=headers)
    task_id = okay(sent)["task"]["id"]
    await eventually(is_playing)
    cancelled = await live.http.post(f"{tasks}{task_id}:cancel", headers=headers)
    assert okay(cancelled)["status"]["state"] == "TASK_STATE_CANCELED"
    await eventually(is_closed)
    read = await live.http.get(tasks + task_id, headers=headers)
    assert okay(read)["status"]["state"] == "TASK_STATE_CANCELED"


def _without_ids(card: dict[str, Any]) -> dict[str, Any]:
    left_out = {"card_id", "guid", "guids", "open_at", "last_update", "closed_at", "tags"}

    def cleaned(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: cleaned(one) for key, one in value.items() if key not in left_out}
        return [cleaned(one) for one in value] if isinstance(value, list) else value

    content: dict[str, Any] = cleaned(card)
    return content
