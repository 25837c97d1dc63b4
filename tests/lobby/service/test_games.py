"""Games that a lobby offers are those on the cards of its tables."""

import asyncio
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import orjson
import pytest
from casino_agentkit import Agent, AgentClient, CallSlots, CommandRefused, HttpReply, Service
from casino_lobby.domain.fleet import Fleet
from casino_lobby.service.game_catalogue import FRESH_S, GameCatalogue, RoomTable
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from support.in_process import InProcessTransport


def line(game_type: str, version: str = "1.0.0", **changes: Any) -> dict[str, Any]:
    return {
        "gameType": game_type,
        "version": version,
        "name": game_type.title(),
        "category": "card",
        "gameModel": "turn_based",
        "players": {"min": 2, "max": 2},
        "schemaFormat": "json-schema",
        "defaultTimeoutAction": "PASS",
        "specification": f"/games/{game_type}/spec",
        **changes,
    }


class RecordingTransport(InProcessTransport):
    def __init__(self) -> None:
        super().__init__()
        self.sent: list[str] = []

    async def send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, timeout_s: float
    ) -> HttpReply:
        self.sent.append(url)
        return await super().send(method, url, headers, body, timeout_s)


class Tables:
    """Announced tables in this process, and the output of a launched table's process."""

    def __init__(self) -> None:
        self.transport = RecordingTransport()
        self.time = 0.0
        self.fleet = Fleet(lambda: self.time, timedelta(seconds=30))
        self.rooms: list[RoomTable] = []
        self.launched: list[dict[str, Any]] | None = None
        self.runs: list[tuple[str, ...]] = []
        self.fetched: list[str] = []

    def announce(self, name: str, *games: dict[str, Any]) -> None:
        self.fleet.announce(self.serve(name, *games))

    def seat(self, name: str, *games: dict[str, Any], is_launched: bool = False) -> None:
        self.rooms.append(RoomTable(self.serve(name, *games), is_launched))

    def serve(self, name: str, *games: dict[str, Any]) -> str:
        """Serve a table with these games; return its card URL."""

        async def spec(request: Request) -> Response:
            self.fetched.append(f"{name} {request.path_params['game']}")
            return PlainTextResponse(f"{request.path_params['game']} by {name}")

        agent = Agent(name, "A table.", about=lambda: {"games": list(games)})
        route = Route("/games/{game}/spec", spec)
        self.transport.apps[f"http://{name}"] = Service({"": agent}, routes=[route]).asgi()
        return f"http://{name}/.well-known/agent-card.json"

    async def run_table(self, *arguments: str) -> str:
        """Return the output of a table process with these arguments."""
        self.runs.append(arguments)
        if arguments[0] == "--card":
            params = {"games": self.launched}
            return orjson.dumps({"capabilities": {"extensions": [{"params": params}]}}).decode()
        return f"{arguments[1]} by a launched table"

    def games(self) -> GameCatalogue:
        run_table = None if self.launched is None else self.run_table
        client = AgentClient(self.transport, slots=CallSlots(1, 16))
        own = AgentClient(self.transport)
        return GameCatalogue(
            client, own, self.fleet, lambda: self.rooms, run_table, lambda: self.time
        )


async def offered(games: GameCatalogue) -> list[tuple[str, str]]:
    return [(game.game_type, game.spec_version) for game in (await games.offered()).games]


async def test_games_of_all_tables_are_listed_once() -> None:
    tables = Tables()
    tables.launched = [line("chess", "1.2.0"), line("go")]
    tables.announce("one", line("chess", "999.0.0"), line("go"))
    tables.announce("two", line("dice"))
    games = tables.games()
    assert await offered(games) == [("chess", "1.2.0"), ("dice", "1.0.0"), ("go", "1.0.0")]
    assert (await games.specification("chess")).content == "chess by a launched table"
    assert (await games.specification("dice")).content == "dice by two"


async def test_the_table_that_offered_a_game_first_describes_it() -> None:
    tables = Tables()
    tables.announce("early", line("dice"))
    tables.announce("first", line("chess"))
    tables.announce("later", line("chess", "999.0.0"))
    games = tables.games()
    assert await offered(games) == [("chess", "1.0.0"), ("dice", "1.0.0")]
    assert (await games.specification("chess")).content == "chess by first"
    tables.announce("early", line("dice"), line("chess", "998.0.0"))
    tables.time += FRESH_S
    assert ("chess", "1.0.0") in await offered(games)
    tables.announce("first", line("chess", "1.1.0"))
    tables.time += FRESH_S
    assert ("chess", "1.1.0") in await offered(games)
    tables.time += 29
    tables.announce("early", line("chess", "998.0.0"))
    tables.announce("later", line("chess", "999.0.0"))
    tables.time += 2
    assert await offered(games) == [("chess", "998.0.0")]


async def test_the_game_of_a_room_is_listed_at_once() -> None:
    """Its table need not announce itself: players read the specification when they are invited."""
    tables = Tables()
    tables.announce("one", line("chess"))
    games = tables.games()
    assert await offered(games) == [("chess", "1.0.0")]
    tables.seat("two", line("dice"))
    assert await offered(games) == [("chess", "1.0.0"), ("dice", "1.0.0")]
    assert (await games.specification("dice")).content == "dice by two"
    tables.rooms.clear()  # the room is closed
    tables.time += FRESH_S
    assert await offered(games) == [("chess", "1.0.0")]


async def test_a_room_s_table_describes_its_game_before_announced_tables() -> None:
    """The operator chose it; anybody may announce a table."""
    tables = Tables()
    tables.announce("stranger", line("dice", "999.0.0"))
    games = tables.games()
    assert await offered(games) == [("dice", "999.0.0")]
    tables.seat("chosen", line("dice"))
    for _ in range(2):
        assert await offered(games) == [("dice", "1.0.0")]
        tables.time += FRESH_S


async def test_a_room_s_launched_table_describes_its_game() -> None:
    tables = Tables()
    tables.launched = [line("chess"), line("go")]
    tables.announce("stranger", line("chess", "999.0.0"))
    tables.seat("own", line("chess", "1.0.0"), is_launched=True)
    games = tables.games()
    assert await offered(games) == [("chess", "1.0.0"), ("go", "1.0.0")]
    assert (await games.specification("chess")).content == "chess by own"
    assert tables.runs == [("--card",)]


async def test_concurrent_requests_share_a_process() -> None:
    """Anybody may ask, and a process is expensive."""
    tables = Tables()
    tables.launched = [line("chess")]
    games = tables.games()
    read = await asyncio.gather(*(games.specification("chess") for _ in range(20)))
    assert {specification.content for specification in read} == {"chess by a launched table"}
    assert tables.runs == [("--card",), ("--specification", "chess")]


async def test_a_slow_table_does_not_hold_up_the_list() -> None:
    tables = Tables()
    tables.announce("one", line("chess"))
    games = tables.games()
    assert await offered(games) == [("chess", "1.0.0")]

    async def hang(*_event: object) -> None:
        await asyncio.Event().wait()

    for number in range(40):
        tables.announce(f"slow{number}")
        tables.transport.apps[f"http://slow{number}"] = hang
    tables.time += FRESH_S
    assert await offered(games) == [("chess", "1.0.0")]
    asked = list(tables.transport.sent)
    assert len(asked) > 10, "others are asked while one is waited for"
    assert await offered(games) == [("chess", "1.0.0")]
    assert tables.transport.sent == asked, "none is asked again"
    await games.close()


async def test_a_process_is_polled_once_however_often_it_is_announced() -> None:
    tables = Tables()
    tables.announce("one", line("chess"))
    for number in range(5):
        tables.fleet.announce(f"http://user{number}@one/")
        tables.fleet.announce(f"http://one:80/{number}")
        tables.fleet.announce(f"HTTP://ONE/tables/{number}")
    games = tables.games()
    assert await offered(games) == [("chess", "1.0.0")]
    assert tables.transport.sent == ["http://one/.well-known/agent-card.json"]
    await games.close()


async def test_a_specification_is_fetched_once_for_each_version() -> None:
    tables = Tables()
    tables.announce("one", line("chess"))
    games = tables.games()
    first = await games.specification("chess")
    assert await games.specification("chess") == first
    assert tables.fetched == ["one chess"]
    tables.announce("one", line("chess", "1.0.1"))
    tables.time += FRESH_S
    await games.specification("chess")
    assert tables.fetched == ["one chess", "one chess"]


async def test_invalid_entries_do_not_hide_valid_ones() -> None:
    tables = Tables()
    tables.announce(
        "one", line("chess", "one"), line("go", players={"min": -1}), {"gameType": 1}, line("dice")
    )
    assert await offered(tables.games()) == [("dice", "1.0.0")]


async def test_an_unreachable_table_does_not_hide_other_games() -> None:
    tables = Tables()
    tables.announce("one", line("chess"))
    tables.announce("two", line("go"))
    games = tables.games()
    assert len(await offered(games)) == 2
    del tables.transport.apps["http://one"]
    with pytest.raises(CommandRefused, match="table"):
        await games.specification("chess")
    tables.time += FRESH_S
    assert await offered(games) == [("go", "1.0.0")]
    tables.time += 31
    assert await offered(games) == [], "of silent tables"
    with pytest.raises(CommandRefused) as refused:
        await games.specification("go")
    assert refused.value.reason == "GAME_NOT_FOUND"
