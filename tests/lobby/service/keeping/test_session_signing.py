"""Results of sessions: signed once with the lobby's key, over every public event, and checkable."""

from pathlib import Path
from typing import Any

from casino_agentkit import CardSigner, Service
from casino_agentkit.card_key import CardKey
from casino_contracts import SessionResults
from casino_histories.signed_result import check_result
from support.casino.casino_side import CasinoHarness, Operator, casino_harness
from support.processes import eventually
from support.table.table_side import Player

ADAS = CardKey.new()
Json = dict[str, Any]


async def played(harness: CasinoHarness) -> Operator:
    """Play six hands in room r1: of ada, whose card is signed, and of bob."""
    url = "http://ada"
    ada = Service({"": Player("ada").agent()}, public_url=url, signer=CardSigner(ADAS))
    harness.transport.apps[url] = ada.asgi()
    harness.player("bob")
    operator = Operator(harness)
    await operator.open(maxHands=6, maxSeats=2, rebuy="auto")
    await operator.seat("ada")
    await operator.seat("bob")
    await operator.idle_room()
    return operator


async def read(operator: Operator, path: str) -> Json:
    reply = await operator.http.get(f"/v1/rooms/r1/{path}")
    assert reply.status_code == 200, reply.text
    body: Json = reply.json()
    return body


async def signed_results(operator: Operator, count: int) -> list[Json]:
    """Return the results, once so many sessions are signed: the lobby signs beside play."""

    async def signed() -> list[Json] | None:
        results: list[Json] = (await read(operator, "results"))["results"]
        return results if len(results) >= count else None

    found = await eventually(signed)
    assert found is not None
    return found


async def test_each_session_has_a_result_that_its_events_prove(tmp_path: Path) -> None:
    file = tmp_path / "key.pem"
    signer = CardKey.kept_at(file).public.thumbprint
    async with casino_harness(card_key=file) as harness:
        operator = await played(harness)
        await operator.post("/v1/rooms/r1/start")
        await operator.idle_room()
        second, first = await signed_results(operator, 2)
        standings = (await read(operator, "standings"))["players"]
        told = (await read(operator, "events?limit=5000"))["events"]
    for result in (first, second):
        assert check_result(result, told, signer) is None
        assert result["hands"] == 6
        assert sum(player["net"] for player in result["players"]) == 0
    assert first["first"] == {"epoch": 1, "sequence": 1}
    assert second["first"]["sequence"] == first["last"]["sequence"] + 1
    nets = {line["playerId"]: line["net"] for line in standings}
    for player, before in zip(second["players"], first["players"], strict=True):
        assert nets[player["playerId"]] == player["net"] + before["net"]
    ada, bob = first["players"]
    assert (ada["displayName"], ada["key"]) == ("ada", ADAS.public.thumbprint)
    assert (bob["displayName"], bob.get("key")) == ("bob", None)


async def test_a_lobby_without_a_key_says_that_it_signs_nothing() -> None:
    async with casino_harness(database="memory") as harness:
        answer = SessionResults.model_validate(await read(await played(harness), "results"))
    assert answer.results == ()
    assert "card key" in (answer.unsigned or "")
