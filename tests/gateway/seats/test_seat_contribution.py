"""A seat's part in the deal: its page gives it in time, or nobody; for a program the gateway."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from casino_agentkit import UnfairDeal
from casino_agentkit.canonical_json import decoded, encoded
from casino_agentkit.fair_deal import PROTOCOL, commitment_to
from casino_contracts import ContributeInput, ContributeOutput
from casino_gateway.domain.updates import PartAsked
from support.gateway.a2g_client import Client
from support.gateway.a2g_side import A2gSide, a2g_side, seated_client
from support.gateway.seat_side import Json, SeatSide, advance, collected, snapshot

BLOCK = "room/1/0"
ENTROPY = bytes(range(32))
GIVEN = commitment_to(ENTROPY)
E_TEXT = encoded(ENTROPY)
NOTHING = ContributeOutput()


def asking(step: str, block: str = BLOCK, given: str = GIVEN) -> ContributeInput:
    """Return what a table asks: for a commitment, for the entropy, or what came of it."""
    fields: Json = {"tableId": "table", "block": block, "playerId": "ada"}
    if step != "commit":
        commitments = [{"commitment": E_TEXT}, {"playerId": "ada", "commitment": given}]
        fields["commitment"] = {
            "protocol": PROTOCOL,
            "block": block,
            "firstHand": 1,
            "cards": 3,
            "leaves": [1, 1],
            "commitments": commitments,
            "roots": E_TEXT,
        }
    if step == "over":
        fields["contributed"] = {"block": block, "contributions": []}
    return ContributeInput.model_validate(fields)


def asked_of(side: A2gSide, step: str) -> "asyncio.Task[ContributeOutput]":
    return asyncio.create_task(side.seat.contribute(asking(step)))


async def give(client: Client, **payload: Any) -> None:
    await client.send("contribution", {"block": BLOCK, **payload}, tableId="room")


async def test_a_page_commits_itself_and_then_contributes(tmp_path: Path) -> None:
    """It reads what the table says; nothing is asked of it when all is over."""
    async with seated_client(tmp_path) as (side, client):
        part = asked_of(side, "commit")
        request = await client.until("contribution_request")
        assert request["tableId"] == "room"
        assert request["payload"] == {"block": BLOCK, "playerId": "ada"}
        await give(client, commitment=GIVEN)
        assert await part == ContributeOutput(commitment=GIVEN)
        part = asked_of(side, "contribute")
        request = await client.until("contribution_request")
        assert request["payload"]["commitment"] == asking("contribute").commitment
        await give(client, entropy=E_TEXT)
        assert await part == ContributeOutput(entropy=E_TEXT)
        assert await asked_of(side, "over") == NOTHING


async def test_hostile_pages_cost_the_table_no_more_than_the_time(tmp_path: Path) -> None:
    """Wrong sizes are named; another block, another step and what is late are nobody's."""
    async with seated_client(tmp_path) as (side, client):
        part = asked_of(side, "contribute")
        await client.until("contribution_request")
        for wrong, field in (
            ({"entropy": E_TEXT[:-1]}, "payload.entropy: "),
            ({"entropy": 7}, "payload.entropy: "),
            ({"commitment": "é" * 43}, "payload.commitment: "),
            ({"block": None}, "payload.block: "),
        ):
            await give(client, **wrong)
            error = await client.until("error", code="INVALID_MESSAGE")
            assert error["payload"]["message"].startswith(field)
            assert E_TEXT[:-1] not in json.dumps(error), "it may be somebody's entropy"
        await give(client, block="room/1/1", entropy=E_TEXT)
        await give(client, commitment=GIVEN)
        await give(client)
        await client.send("balance_query")
        await client.until("balance_response")
        assert not part.done()
        await advance(1.6)
        assert await part == NOTHING
        await give(client, entropy=E_TEXT)  # late, and twice
        await give(client, entropy=E_TEXT)
        part = asked_of(side, "commit")
        await client.until("contribution_request")
        await give(client, commitment=GIVEN, entropy=E_TEXT)
        assert await part == ContributeOutput(commitment=GIVEN), "the entropy is not asked for yet"


async def test_a_page_that_comes_in_time_is_asked_again(tmp_path: Path) -> None:
    """A table asks as soon as a person sits, before the page has its socket."""
    async with a2g_side(tmp_path) as side:
        token = await side.seated()
        part = asked_of(side, "commit")
        async with side.client() as client:
            await client.sign_in(token)
            await client.until("contribution_request", block=BLOCK)
            await give(client, commitment=GIVEN)
            assert (await part).commitment == GIVEN
        async with side.client() as client:
            await client.sign_in(token)
            await client.send("balance_query")
            await client.until("balance_response")
            assert "contribution_request" not in {message["type"] for message in client.seen}


async def test_nobody_contributes_in_the_place_of_a_person() -> None:
    """Neither for one that is away, at once, nor for one that is silent."""
    side = SeatSide()
    part = asyncio.create_task(side.seat.contribute(asking("commit")))
    with side.seat.listen() as updates:
        await asyncio.sleep(0)
        assert await collected(updates, 1) == [PartAsked(asking("commit"))]
        newer = asyncio.create_task(side.seat.contribute(asking("commit", "room/1/1")))
        assert await part == NOTHING, "the table asks one thing at a time"
        await advance(1.6)
    assert await newer == NOTHING
    await advance(10)
    assert not side.seat.is_present
    assert await side.seat.contribute(asking("commit")) == NOTHING


async def test_the_gateway_contributes_for_a_program() -> None:
    """Random bytes of its own, which are shown for a commitment with them in it alone."""
    side = SeatSide()
    seat = side.take("bot", 1, kind="ai")
    given = (await seat.contribute(asking("commit"))).commitment
    other = (await seat.contribute(asking("commit", "room/1/1"))).commitment
    assert given is not None
    assert other is not None
    assert other != given
    with pytest.raises(UnfairDeal, match="ours is missing"):
        await seat.contribute(asking("contribute"))
    shown = await seat.contribute(asking("contribute", given=given))
    assert shown.commitment is None
    assert shown.entropy is not None
    assert commitment_to(decoded(shown.entropy)) == given
    assert shown.entropy not in repr(vars(seat.contribution))


async def test_a_room_is_called_provably_fair_where_it_is(tmp_path: Path) -> None:
    """Not one that is seeded or deals by itself, and not the server as a whole."""
    fair = {"block": BLOCK, "contributors": ("lobby", "ada")}
    for marks in ({"fair": fair}, {"seeded": True}, {}):
        async with a2g_side(tmp_path, room=snapshot(**marks)) as side:
            (room,) = (await side.get("/api/lobby", await side.guest())).json()["rooms"]
            assert room["provablyFair"] is ("fair" in marks)
            async with side.client() as client:
                hello = await client.until("hello")
            assert hello["payload"]["capabilities"]["provablyFair"] is False
