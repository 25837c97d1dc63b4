"""`casino room replay`: one hand alone, with its deck, positions and blinds."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import pytest_asyncio
from casino_contracts import HandRecord
from pydantic import SecretStr
from support.casino.casino_side import CasinoHarness, Operator, casino_harness
from support.console_side import Ended, at_lobby
from support.table.table_side import shoving

pytestmark = pytest.mark.asyncio(loop_scope="module")

KEY = "open-sesame"
NAMES = ("ada", "bob", "cleo")


@asynccontextmanager
async def playing(seed: str | None) -> AsyncIterator[CasinoHarness]:
    """Play four hands of three players in a room, all-in, so that the whole board is dealt."""
    async with casino_harness(8, operator_token=SecretStr(KEY), launch_tables=False) as network:
        operator = Operator(network)
        await network.announce(*range(2, 9))
        await operator.open(maxHands=4, maxSeats=3, rebuy="auto", seed=seed)
        for name in NAMES:
            network.player(name, shoving)
            assert (await operator.seat(name)).status_code == 201
        await operator.idle_room()
        yield network


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def played() -> AsyncIterator[CasinoHarness]:
    async with playing("s3cret") as network:
        yield network


async def replay(network: CasinoHarness, hand: str, *names: str, seed: str = "s3cret") -> Ended:
    players = ",".join(f"http://{name}/.well-known/agent-card.json" for name in names)
    options = ("--players", players, "--seed", seed, "--json")
    return await at_lobby(network, "room", "replay", hand, *options, CASINO_OPERATOR_TOKEN=KEY)


async def record_of(network: CasinoHarness, room: str, number: int) -> HandRecord:
    reply = await network.http(KEY).get(f"/v1/rooms/{room}/hands/{number}/record")
    assert reply.status_code == 200, reply.text
    return HandRecord.model_validate_json(reply.content)


@pytest.mark.parametrize("number", [1, 3])
async def test_a_hand_is_dealt_again_from_the_button_on(played: CasinoHarness, number: int) -> None:
    """The same deck, and the same cards for each position, whoever plays it."""
    old = await record_of(played, "r1", number)
    names = [seat.display_name for seat in old.players]
    button = [seat.seat_number for seat in old.players].index(old.button_seat)
    order = [*names[button:], *names[:button]]
    ended = await replay(played, f"r1/{number}", *order)
    assert ended.exit_code == 0, ended.stderr
    room_id = json.loads(ended.stdout)["roomId"]
    assert room_id == f"r1-{number}-again-1"
    new = await record_of(played, room_id, 1)
    assert new.deck == old.deck
    before, now = (
        {
            seat.display_name: hole.cards
            for seat in record.players
            for hole in record.hole_cards
            if hole.player_id == seat.player_id
        }
        for record in (old, new)
    )
    assert now == before
    assert [seat.display_name for seat in new.players] == order
    assert new.button_seat == 0
    room = (await played.http().get(f"/v1/rooms/{room_id}")).json()
    assert room["state"] in {"closing", "closed"}
    again = json.loads((await replay(played, f"r1/{number}", *order)).stdout)
    assert again["roomId"] == f"r1-{number}-again-2"


async def test_a_wrong_seed_and_too_few_players_are_noticed(played: CasinoHarness) -> None:
    """The board is another one; who played is named from the button on, and no room is opened."""
    ended = await replay(played, "r1/1", *NAMES, seed="guessed")
    assert ended.exit_code == 1
    assert "the seed is not that of room r1: hand 1 had the board " in ended.stderr
    ended = await replay(played, "r1/2", "ada", "bob")
    assert ended.exit_code == 1
    assert "hand 2 had 3 players, from the button on: bob, cleo, ada." in ended.stderr
    assert "r1-2-again" not in (await played.http().get("/v1/rooms")).text
    command = ("room", "replay", "r1/1", "--players", "genius,caller", "--seed", "7")
    ended = await at_lobby(played, *command)
    assert ended.exit_code == 2
    assert "genius is neither one of caller" in " ".join(ended.stderr.replace("│", " ").split())


async def test_a_room_without_a_seed_cannot_be_dealt_again() -> None:
    async with playing(None) as network:
        ended = await replay(network, "r1/1", *NAMES)
    assert ended.exit_code == 1
    assert "room r1 has no seed" in ended.stderr
