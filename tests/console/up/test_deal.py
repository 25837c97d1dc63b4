"""The dealer keeps one room playing across restarts of lobby and players."""

import asyncio
import json
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import httpx
import pytest
import structlog
from casino.lobby_api import LobbyApi
from casino.up.dealer import Dealer, DealerSettings, build_app
from casino.up.session_score import Score
from casino_agentkit import InvalidSettings
from casino_contracts import RoomSnapshot, TableEvent
from support.casino.casino_side import LOBBY, CasinoHarness, Operator
from support.casino.fleet_side import unhurried
from support.processes import eventually, run_until

OFTEN = timedelta(seconds=0.1)


class Deck(httpx.AsyncBaseTransport):
    """The way to a lobby that may be exchanged for another."""

    def __init__(self, harness: CasinoHarness) -> None:
        self.harness = harness
        self.commands: dict[str, set[bytes]] = defaultdict(set)
        """What was sent under each id."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Go to the lobby of the moment."""
        content = await request.aread()
        if b"requestId" in content:
            self.commands[json.loads(content)["requestId"]].add(content)
        app = self.harness.transport.apps.get(LOBBY)
        if app is None:
            raise httpx.ConnectError("nobody there")
        return await httpx.ASGITransport(app).handle_async_request(request)


def settings(harness: CasinoHarness, *names: str, **more: Any) -> DealerSettings:
    cards = tuple(harness.player(name, unhurried) for name in names)
    return DealerSettings(players=cards, every=OFTEN, **more)


@asynccontextmanager
async def dealing(
    harness: CasinoHarness, given: DealerSettings, deck: Deck | None = None
) -> AsyncIterator[Dealer]:
    api = LobbyApi(LOBBY, deck or Deck(harness))
    dealer = Dealer(given, api)
    task = asyncio.ensure_future(dealer.run())
    try:
        yield dealer
    finally:
        task.cancel()
        await asyncio.wait([task])
        await api.close()


@asynccontextmanager
async def opened(harness: CasinoHarness) -> AsyncIterator[None]:
    async with harness.tables.running(), harness.lobby.running():
        await harness.announce(1, 2, 3)
        yield


def hands_of(room: RoomSnapshot) -> int:
    return room.summary.hand_count if room.summary else 0


async def until_playing(dealer: Dealer, room_id: str = "demo") -> None:
    """Wait until the dealer is content with a room."""
    await run_until(lambda: dealer.room_id == room_id and dealer.is_playing)


async def test_it_opens_a_room_seats_everybody_and_starts_again() -> None:
    harness = CasinoHarness(launch_tables=False)
    async with (
        opened(harness),
        dealing(harness, settings(harness, "ada", "bob", hands=3)) as dealer,
    ):
        await until_playing(dealer)
        room = await Operator(harness).until(lambda room: hands_of(room) >= 7, "demo")
        assert room.summary is not None
        assert [seat.display_name for seat in room.summary.players] == ["ada", "bob"]
        assert room.config.rebuy == "auto"


async def seated(harness: CasinoHarness) -> list[str]:
    """Return the names at the dealer's table, in the order of its seats."""
    summary = (await Operator(harness).room("demo")).summary
    assert summary is not None
    return [seat.display_name for seat in summary.players]


@pytest.mark.parametrize("free_seats", [0, 2])
async def test_a_bot_named_later_takes_the_seat_of_the_last_player(free_seats: int) -> None:
    """The room is full, or not, and plays; the others keep theirs, and the change can be undone."""
    harness = CasinoHarness(launch_tables=False)
    before = settings(harness, "ada", "bob", "cleo", free_seats=free_seats)
    after = before.model_copy(update={"seat": (harness.player("mine"),)})
    deck = Deck(harness)
    async with opened(harness):
        for given, names in (
            (before, ["ada", "bob", "cleo"]),
            (after, ["ada", "bob", "mine"]),
            (before, ["ada", "bob", "cleo"]),
            (after, ["ada", "bob", "mine"]),
        ):
            async with dealing(harness, given, deck) as dealer:
                await until_playing(dealer)
                assert await seated(harness) == names
        events = (await Operator(harness).http.get("/v1/rooms/demo/events?limit=5000")).json()
    invited = {name: len(player.invited) for name, player in harness.players.items()}
    assert invited == {"ada": 1, "bob": 1, "cleo": 2, "mine": 2}
    assert {len(contents) for contents in deck.commands.values()} == {1}
    score = Score()
    for event in events["events"]:
        if score.add(TableEvent.model_validate(event)):
            assert score.in_play == score.bought_in


async def test_a_bot_named_later_takes_no_seat_of_a_person() -> None:
    """The free seats are taken, so the room is full; the replaced player goes, people stay."""
    harness = CasinoHarness(launch_tables=False)
    before = settings(harness, "ada", "bob", "cleo", free_seats=2)
    after = before.model_copy(update={"seat": (harness.player("mine"),)})
    deck = Deck(harness)
    async with opened(harness):
        async with dealing(harness, before, deck) as dealer:
            await until_playing(dealer)
        operator = Operator(harness)
        for guest in ("dora", "emil"):
            harness.player(guest, player_type="human")
            assert (await operator.seat(guest, "demo")).status_code == 201
        async with dealing(harness, after, deck) as dealer:
            await until_playing(dealer)
            assert await seated(harness) == ["ada", "bob", "mine", "dora", "emil"]
    assert {len(contents) for contents in deck.commands.values()} == {1}


async def test_more_players_than_the_room_has_seats_are_reported() -> None:
    """No seated player is removed for them, and the dealer is not ready."""
    harness = CasinoHarness(launch_tables=False)
    two, three = settings(harness, "ada", "bob"), settings(harness, "ada", "bob", "cleo")
    async with opened(harness):
        async with dealing(harness, two) as dealer:
            await until_playing(dealer)
        with structlog.testing.capture_logs() as log:
            async with dealing(harness, three) as dealer:
                await run_until(lambda: "waiting" in [entry["event"] for entry in log])
                assert not dealer.is_playing
        assert await seated(harness) == ["ada", "bob"]
    (trouble,) = {entry["trouble"] for entry in log if entry["event"] == "waiting"}
    assert "2 seats, and 3 players are named" in trouble
    assert "CASINO_DEALER_ROOM" in trouble


async def test_it_waits_for_a_lobby_and_for_late_players() -> None:
    harness = CasinoHarness(launch_tables=False)
    given = settings(harness, "ada", "bob")
    bob = harness.transport.apps.pop("http://bob")
    lobby = harness.transport.apps.pop(LOBBY)
    async with harness.tables.running(), harness.lobby.running(), dealing(harness, given) as dealer:
        for _ in range(20):
            await asyncio.sleep(0)
        assert not dealer.is_playing
        harness.transport.apps[LOBBY] = lobby
        await harness.announce(1)
        operator = Operator(harness)

        async def ada_sits_and_waits() -> bool:
            reply = await operator.http.get("/v1/rooms/demo")
            return reply.status_code == 200 and bool(reply.json()["summary"]["players"])

        await eventually(ada_sits_and_waits)
        assert not dealer.is_playing
        harness.transport.apps["http://bob"] = bob
        await until_playing(dealer)


async def test_a_room_that_is_over_is_followed_by_another() -> None:
    """A lobby without records gets a new room as well."""
    harness = CasinoHarness(launch_tables=False)
    async with opened(harness), dealing(harness, settings(harness, "ada", "bob")) as dealer:
        await until_playing(dealer)
        await harness.http().delete("/v1/rooms/demo")
        await until_playing(dealer, "demo-2")
        anew = CasinoHarness(launch_tables=False)
        harness.transport.apps[LOBBY] = anew.transport.apps[LOBBY]
        anew.transport.apps.update(harness.transport.apps)
        anew.transport.apps["http://tables"] = anew.tables.asgi()
        async with anew.tables.running(), anew.lobby.running():
            await anew.announce(1)
            http = anew.http()

            async def is_opened() -> bool:
                return (await http.get("/v1/rooms/demo-2")).status_code == 200

            await eventually(is_opened)
            await until_playing(dealer, "demo-2")


async def test_readiness_is_the_rooms() -> None:
    harness = CasinoHarness(launch_tables=False)
    given = settings(harness, "ada", "bob")
    service = build_app(given, LobbyApi(LOBBY, Deck(harness)))
    async with (
        opened(harness),
        service.running(),
        httpx.AsyncClient(
            transport=httpx.ASGITransport(service.asgi()), base_url="http://dealer"
        ) as http,
    ):

        async def is_ready() -> bool:
            return (await http.get("/readyz")).status_code == 200

        await eventually(is_ready)


def test_bots_take_the_seats_of_the_last_players() -> None:
    players = "http://a, http://b,http://c"
    variables = {"CASINO_DEALER_PLAYERS": players, "CASINO_DEALER_SEAT": "http://mine"}
    given = DealerSettings.load(variables)
    assert given.cards == ("http://a", "http://b", "http://mine")
    assert given.config().max_seats == 3


@pytest.mark.parametrize(
    ("players", "message"),
    [
        ("", "0 players.*CASINO_DEALER_PLAYERS"),
        ("http://a", "1 players"),
        ("tight,loose", "CASINO_DEALER_PLAYERS: .*http"),
        ("http://a,http://b,http://a", "http://a is named twice"),
    ],
)
def test_what_cannot_be_seated_is_reported(players: str, message: str) -> None:
    with pytest.raises(InvalidSettings, match=message):
        DealerSettings.load({"CASINO_DEALER_PLAYERS": players})


async def test_with_free_seats_it_plays_and_others_may_sit_down() -> None:
    """A guest keeps its seat; the session starts though the room is not full."""
    harness = CasinoHarness(launch_tables=False)
    given = settings(harness, "ada", "bob", free_seats=2, hands=5)
    async with opened(harness):
        async with dealing(harness, given) as dealer:
            await until_playing(dealer)
            guest = harness.player("guest", unhurried)
            operator = Operator(harness)
            reply = await operator.http.post("/v1/rooms/demo/players", json={"agentCardUrl": guest})
            assert reply.status_code == 201, reply.text
            before = (await operator.room("demo")).summary
            assert before is not None
            hands = before.hand_count + 12
            room = await operator.until(lambda room: hands_of(room) >= hands, "demo")
        assert (room.config.max_seats, room.config.max_action_timeout_ms) == (4, 30_000)
        assert sorted(await seated(harness)) == ["ada", "bob", "guest"]
