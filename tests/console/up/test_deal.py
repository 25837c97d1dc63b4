"""The dealer: a room that plays on, whatever happens around it."""

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
from casino.up.deal import Dealer, DealerSettings, build_app
from casino.up.score import Score
from casino_agentkit import InvalidSettings
from casino_contracts import TableEvent
from support.casino.casino_side import LOBBY, CasinoHarness, Operator

AT_ONCE = timedelta()


class Deck(httpx.AsyncBaseTransport):
    """The way to a lobby that may be exchanged for another."""

    def __init__(self, town: CasinoHarness) -> None:
        self.town = town
        self.commands: dict[str, set[bytes]] = defaultdict(set)
        """What was sent under each id."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Go to the lobby of the moment."""
        content = await request.aread()
        if b"requestId" in content:
            self.commands[json.loads(content)["requestId"]].add(content)
        app = self.town.transport.apps.get(LOBBY)
        if app is None:
            raise httpx.ConnectError("nobody there")
        return await httpx.ASGITransport(app).handle_async_request(request)


def settings(town: CasinoHarness, *names: str, **more: Any) -> DealerSettings:
    """Return the settings of a dealer for players of the town."""
    cards = tuple(town.player(name) for name in names)
    return DealerSettings(players=cards, every=AT_ONCE, **more)


@asynccontextmanager
async def dealing(
    town: CasinoHarness, given: DealerSettings, deck: Deck | None = None
) -> AsyncIterator[Dealer]:
    """Run a dealer."""
    api = LobbyApi(LOBBY, deck or Deck(town))
    dealer = Dealer(given, api)
    task = asyncio.ensure_future(dealer.run())
    try:
        yield dealer
    finally:
        task.cancel()
        await asyncio.wait([task])
        await api.close()


@asynccontextmanager
async def opened(town: CasinoHarness) -> AsyncIterator[None]:
    """Run a town whose tables have announced themselves."""
    async with town.tables.running(), town.lobby.running():
        await town.announce(1, 2, 3)
        yield


async def until_playing(dealer: Dealer) -> None:
    """Wait until the dealer is content."""
    while not dealer.is_playing:
        await asyncio.sleep(0)


async def until_playing_in(dealer: Dealer, room_id: str) -> None:
    """Wait until the dealer is content with a certain room."""
    while dealer.room_id != room_id or not dealer.is_playing:
        await asyncio.sleep(0)


async def test_it_opens_a_room_seats_everybody_and_starts_again() -> None:
    """Session after session, with the same stacks."""
    town = CasinoHarness(launch_tables=False)
    async with opened(town), dealing(town, settings(town, "ada", "bob", hands=3)) as dealer:
        await until_playing(dealer)
        operator = Operator(town)
        while (room := await operator.room("demo")).summary.hand_count < 7:  # type: ignore[union-attr]
            await asyncio.sleep(0)
        assert room.summary is not None
        assert [seat.display_name for seat in room.summary.players] == ["ada", "bob"]
        assert room.config.rebuy == "auto"


async def test_a_dealer_that_was_started_anew_finds_its_room() -> None:
    """Nobody sits twice."""
    town = CasinoHarness(launch_tables=False)
    given = settings(town, "ada", "bob", "cleo")
    async with opened(town):
        for _ in range(2):
            async with dealing(town, given) as dealer:
                await until_playing(dealer)
        room = await Operator(town).room("demo")
        assert room.summary is not None
        assert len(room.summary.players) == 3
        assert all(len(player.invited) == 1 for player in town.players.values())


async def seated(town: CasinoHarness) -> list[str]:
    """Return the names at the dealer's table, in the order of its seats."""
    summary = (await Operator(town).room("demo")).summary
    assert summary is not None
    return [seat.display_name for seat in summary.players]


async def test_a_bot_named_later_takes_the_seat_of_the_last_player() -> None:
    """The room is full and plays; the others keep their seats, and the change can be undone."""
    town = CasinoHarness(launch_tables=False)
    before = settings(town, "ada", "bob", "cleo")
    after = before.model_copy(update={"seat": (town.player("mine"),)})
    deck = Deck(town)
    async with opened(town):
        for given, names in (
            (before, ["ada", "bob", "cleo"]),
            (after, ["ada", "bob", "mine"]),
            (before, ["ada", "bob", "cleo"]),
            (after, ["ada", "bob", "mine"]),
        ):
            async with dealing(town, given, deck) as dealer:
                await until_playing(dealer)
                assert await seated(town) == names
        events = (await Operator(town).http.get("/v1/rooms/demo/events?limit=5000")).json()
    invited = {name: len(player.invited) for name, player in town.players.items()}
    assert invited == {"ada": 1, "bob": 1, "cleo": 2, "mine": 2}
    assert {len(contents) for contents in deck.commands.values()} == {1}
    score = Score()
    for event in events["events"]:
        if score.add(TableEvent.model_validate(event)):
            assert score.in_play == score.bought_in


async def test_more_players_than_the_room_has_seats_are_told() -> None:
    """Nobody is thrown out for them, and the dealer is not ready."""
    town = CasinoHarness(launch_tables=False)
    two, three = settings(town, "ada", "bob"), settings(town, "ada", "bob", "cleo")
    async with opened(town):
        async with dealing(town, two) as dealer:
            await until_playing(dealer)
        with structlog.testing.capture_logs() as log:
            async with dealing(town, three) as dealer:
                while not any(entry["event"] == "waiting" for entry in log):
                    await asyncio.sleep(0)
                assert not dealer.is_playing
        assert await seated(town) == ["ada", "bob"]
    (told,) = {entry["trouble"] for entry in log if entry["event"] == "waiting"}
    assert "2 seats, and 3 players are named" in told
    assert "CASINO_DEALER_ROOM" in told


async def test_it_waits_for_a_lobby_and_for_late_players() -> None:
    """They come up in any order."""
    town = CasinoHarness(launch_tables=False)
    given = settings(town, "ada", "bob")
    bob = town.transport.apps.pop("http://bob")
    lobby = town.transport.apps.pop(LOBBY)
    async with town.tables.running(), town.lobby.running(), dealing(town, given) as dealer:
        for _ in range(20):
            await asyncio.sleep(0)
        assert not dealer.is_playing
        town.transport.apps[LOBBY] = lobby
        await town.announce(1)
        operator = Operator(town)
        while True:  # ada sits, and waits
            await asyncio.sleep(0)
            reply = await operator.http.get("/v1/rooms/demo")
            if reply.status_code == 200 and reply.json()["summary"]["players"]:
                break
        assert not dealer.is_playing
        town.transport.apps["http://bob"] = bob
        await until_playing(dealer)


async def test_a_room_that_is_over_is_followed_by_another() -> None:
    """And a lobby that has forgotten everything gets its room again."""
    town = CasinoHarness(launch_tables=False)
    async with opened(town), dealing(town, settings(town, "ada", "bob")) as dealer:
        await until_playing(dealer)
        await town.http().delete("/v1/rooms/demo")
        await until_playing_in(dealer, "demo-2")
        anew = CasinoHarness(launch_tables=False)
        town.transport.apps[LOBBY] = anew.transport.apps[LOBBY]
        anew.transport.apps.update(town.transport.apps)
        anew.transport.apps["http://tables"] = anew.tables.asgi()
        async with anew.tables.running(), anew.lobby.running():
            await anew.announce(1)
            operator = Operator(anew)
            while (await operator.http.get("/v1/rooms/demo-2")).status_code != 200:
                await asyncio.sleep(0)
            await until_playing_in(dealer, "demo-2")


async def test_readiness_is_the_rooms() -> None:
    """So a supervisor sees when the demo plays."""
    town = CasinoHarness(launch_tables=False)
    given = settings(town, "ada", "bob")
    service = build_app(given, LobbyApi(LOBBY, Deck(town)))
    async with (
        opened(town),
        service.running(),
        httpx.AsyncClient(
            transport=httpx.ASGITransport(service.asgi()), base_url="http://dealer"
        ) as http,
    ):
        while (await http.get("/readyz")).status_code != 200:
            await asyncio.sleep(0)


class TestSettings:
    """What an operator says."""

    def test_bots_take_the_seats_of_the_last_players(self) -> None:
        """And the others keep theirs."""
        given = DealerSettings.load(
            {
                "CASINO_DEALER_PLAYERS": "http://a, http://b,http://c",
                "CASINO_DEALER_SEAT": "http://mine",
            }
        )
        assert given.cards == ("http://a", "http://b", "http://mine")
        assert given.config().max_seats == 3

    @pytest.mark.parametrize(
        ("players", "told"),
        [
            ("", "0 players.*CASINO_DEALER_PLAYERS"),
            ("http://a", "1 players"),
            ("tight,loose", "CASINO_DEALER_PLAYERS: .*http"),
            ("http://a,http://b,http://a", "http://a is named twice"),
        ],
    )
    def test_what_cannot_be_seated_is_told(self, players: str, told: str) -> None:
        """With the variable that is wrong."""
        with pytest.raises(InvalidSettings, match=told):
            DealerSettings.load({"CASINO_DEALER_PLAYERS": players})
