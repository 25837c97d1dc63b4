"""`casino room replay`: one hand alone, with its deck, positions and blinds."""

import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from casino.commands.replay import PastHand
from casino_contracts import HandDetail, HandRecord, HandSummary, RoomSnapshot
from casino_lobby_client.errors import CallFailed
from pydantic import SecretStr
from support.casino.casino_side import LOBBY, CasinoHarness, Operator
from support.console_side import NOW, Ended, casino, event
from support.table.table_side import config, shoving

pytestmark = pytest.mark.full

KEY = "open-sesame"
FLEET_KEY = "the-key-of-the-fleet"
NAMES = ("ada", "bob", "cleo")


def card(name: str) -> str:
    """Return a player's card URL."""
    return f"http://{name}/.well-known/agent-card.json"


class Played:
    """A casino whose seeded room r1 has played four hands of three players."""

    def __init__(self, network: CasinoHarness) -> None:
        self.network = network

    async def replay(self, hand: str, *names: str, seed: str = "s3cret") -> Ended:
        """Run `casino room replay`."""
        lobby = httpx.ASGITransport(self.network.transport.apps[LOBBY])
        players = ",".join(map(card, names))
        arguments = ("room", "replay", hand, "--players", players, "--seed", seed, "--json")
        environment = {"CASINO_OPERATOR_TOKEN": KEY}
        return await casino(*arguments, to=lobby, environment=environment)

    async def record(self, room: str, number: int) -> HandRecord:
        path = f"/v1/rooms/{room}/hands/{number}/record"
        reply = await self.network.http().get(path, headers={"Authorization": f"Bearer {KEY}"})
        assert reply.status_code == 200, reply.text
        return HandRecord.model_validate_json(reply.content)


@pytest.fixture
async def played(request: pytest.FixtureRequest) -> AsyncIterator[Played]:
    """Play, with everybody all-in, so that the whole board is dealt."""
    network = CasinoHarness(operator_token=SecretStr(KEY), fleet_key=FLEET_KEY)
    async with network.tables.running(), network.lobby.running():
        operator = Operator(network)
        rules: dict[str, Any] = {"seed": "s3cret" if getattr(request, "param", True) else None}
        await network.announce(1, 2, 3)
        await operator.open(maxHands=4, maxSeats=3, rebuy="auto", **rules)
        for name in NAMES:
            network.player(name, shoving)
            assert (await operator.seat(name)).status_code == 201
        await operator.idle_room()
        yield Played(network)


@pytest.mark.parametrize("number", [1, 3])
async def test_a_hand_is_dealt_again_from_the_button_on(played: Played, number: int) -> None:
    """The same deck, and the same cards for each position, whoever plays it."""
    old = await played.record("r1", number)
    names = [seat.display_name for seat in old.players]
    button = [seat.seat_number for seat in old.players].index(old.button_seat)
    order = [*names[button:], *names[:button]]
    ended = await played.replay(f"r1/{number}", *order)
    assert ended.exit_code == 0, ended.stderr
    detail = json.loads(ended.stdout)
    assert detail["roomId"] == f"r1-{number}-again-1"
    new = await played.record(detail["roomId"], 1)
    assert new.deck == old.deck
    holes = {seat.player_id: seat.display_name for seat in old.players}
    before = {holes[one.player_id]: one.cards for one in old.hole_cards}
    names_now = {seat.player_id: seat.display_name for seat in new.players}
    assert {names_now[one.player_id]: one.cards for one in new.hole_cards} == before
    assert [seat.display_name for seat in new.players] == order
    assert new.button_seat == 0
    room = (await played.network.http().get(f"/v1/rooms/{detail['roomId']}")).json()
    assert room["state"] in {"closing", "closed"}
    again = json.loads((await played.replay(f"r1/{number}", *order)).stdout)
    assert again["roomId"] == f"r1-{number}-again-2"


def past(posted: dict[str, int]) -> PastHand:
    """Return the hand of seats 0, 3 and 4 with the button at the empty seat 1."""
    seats = [{"playerId": f"p{n}", "seatNumber": n, "stack": 200} for n in (4, 0, 3)]
    posts = [{"playerId": f"p{n}", "kind": kind, "amount": 1} for kind, n in posted.items()]
    begun = event("hand_started", "", handNumber=9, buttonSeat=1, players=seats, posted=posts)
    hand = HandSummary(
        hand_id="t1/9", hand_number=9, epoch=1, last_sequence=3, timestamp=NOW, message=""
    )
    room = RoomSnapshot(
        room_id="r1", config=config(), table_agent_card_url="http://t", events=(), seeded=True
    )
    return PastHand.of(room, HandDetail(room_id="r1", hand=hand, events=(begun,)), "s", None)


def test_before_a_dead_button_the_last_player_has_it() -> None:
    hand = past({"small-blind": 3, "big-blind": 4})
    assert [seat.player_id for seat in hand.players] == ["p0", "p3", "p4"]


def test_a_hand_with_a_dead_small_blind_cannot_be_dealt_again() -> None:
    """As the first hand of a room has both blinds."""
    with pytest.raises(CallFailed, match="hand 9 had a dead small blind"):
        past({"big-blind": 3})


async def test_another_seed_is_noticed(played: Played) -> None:
    """The board is another one."""
    ended = await played.replay("r1/1", *NAMES, seed="guessed")
    assert ended.exit_code == 1
    assert "the seed is not that of room r1: hand 1 had the board " in ended.stderr


async def test_as_many_players_are_named_as_played(played: Played) -> None:
    """The error names them from the button on, and opens no room."""
    ended = await played.replay("r1/1", "ada", "bob")
    assert ended.exit_code == 1
    assert "hand 1 had 3 players, from the button on: ada, bob, cleo." in ended.stderr
    rooms = (await played.network.http().get("/v1/rooms")).json()["rooms"]
    assert [room["roomId"] for room in rooms] == ["r1"]


@pytest.mark.parametrize("played", [False], indirect=True)
async def test_a_room_without_a_seed_cannot_be_dealt_again(played: Played) -> None:
    """Nobody knows the decks."""
    ended = await played.replay("r1/1", *NAMES)
    assert ended.exit_code == 1
    assert "room r1 has no seed" in ended.stderr


async def test_a_player_that_is_neither_a_style_nor_a_url_is_named(played: Played) -> None:
    """Before anything is asked."""
    lobby = httpx.ASGITransport(played.network.transport.apps[LOBBY])
    ended = await casino(
        "room", "replay", "r1/1", "--players", "genius,caller", "--seed", "7", to=lobby
    )
    assert ended.exit_code == 2
    assert "genius is neither one of aggressive" in " ".join(ended.stderr.replace("│", " ").split())
