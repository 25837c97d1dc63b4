"""Which games a lobby offers: what its tables' cards tell, and nothing of its own."""

import asyncio
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import orjson
import pytest
from casino_agentkit import (
    Agent,
    AgentClient,
    CallSlots,
    CommandRefused,
    HttpReply,
    InProcessTransport,
    Service,
)
from casino_lobby.domain.fleet import Fleet
from casino_lobby.service.games import FRESH_S, PATIENCE_S, Games
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route


def line(game_type: str, version: str = "1.0.0", **changes: Any) -> dict[str, Any]:
    """Return a game as a card tells it."""
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


class Noting(InProcessTransport):
    """Notes the addresses that are called."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[str] = []

    async def send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, timeout_s: float
    ) -> HttpReply:
        """Note, and send."""
        self.sent.append(url)
        return await super().send(method, url, headers, body, timeout_s)


class Town:
    """Tables in this process, and what is asked of a process that would be launched."""

    def __init__(self) -> None:
        self.transport = Noting()
        self.time = 0.0
        self.fleet = Fleet(lambda: self.time, timedelta(seconds=30))
        self.launched: list[dict[str, Any]] | None = None
        self.told: list[tuple[str, ...]] = []
        self.fetched: list[str] = []

    def announce(self, name: str, *games: dict[str, Any]) -> None:
        """Let a table with games announce itself."""

        async def spec(request: Request) -> Response:
            self.fetched.append(f"{name} {request.path_params['game']}")
            return PlainTextResponse(f"{request.path_params['game']} by {name}")

        agent = Agent(name, "A table.", about=lambda: {"games": list(games)})
        route = Route("/games/{game}/spec", spec)
        self.transport.apps[f"http://{name}"] = Service({"": agent}, routes=[route]).asgi()
        self.fleet.announce(f"http://{name}/.well-known/agent-card.json")

    async def tell(self, *arguments: str) -> str:
        """Answer as a table process of the lobby's own would."""
        self.told.append(arguments)
        if arguments[0] == "--card":
            params = {"games": self.launched}
            return orjson.dumps({"capabilities": {"extensions": [{"params": params}]}}).decode()
        return f"{arguments[1]} by a launched table"

    def games(self) -> Games:
        """Return the lobby's games."""
        told = None if self.launched is None else self.tell
        client = AgentClient(self.transport, slots=CallSlots(1, 16))
        return Games(client, self.fleet, told, lambda: self.time)


async def offered(games: Games) -> list[tuple[str, str]]:
    """Return types and versions."""
    return [(one.game_type, one.spec_version) for one in (await games.offered()).games]


async def test_games_of_all_tables_are_listed_once() -> None:
    """One that the lobby's own tables play is described by them, whatever others announce."""
    town = Town()
    town.launched = [line("chess", "1.2.0"), line("go")]
    town.announce("one", line("chess", "999.0.0"), line("go"))
    town.announce("two", line("dice"))
    games = town.games()
    assert await offered(games) == [("chess", "1.2.0"), ("dice", "1.0.0"), ("go", "1.0.0")]
    assert (await games.specification("chess")).content == "chess by a launched table"
    assert (await games.specification("dice")).content == "dice by two"


async def test_the_table_that_offered_a_game_first_describes_it() -> None:
    """As long as it offers it; one that was here before without the game does not take it over."""
    town = Town()
    town.announce("early", line("dice"))
    town.announce("first", line("chess"))
    town.announce("later", line("chess", "999.0.0"))
    games = town.games()
    assert await offered(games) == [("chess", "1.0.0"), ("dice", "1.0.0")]
    assert (await games.specification("chess")).content == "chess by first"
    town.announce("early", line("dice"), line("chess", "998.0.0"))
    town.time += FRESH_S
    assert ("chess", "1.0.0") in await offered(games)
    town.announce("first", line("chess", "1.1.0"))
    town.time += FRESH_S
    assert ("chess", "1.1.0") in await offered(games)
    town.time += 29
    town.announce("early", line("chess", "998.0.0"))
    town.announce("later", line("chess", "999.0.0"))
    town.time += 2
    assert await offered(games) == [("chess", "998.0.0")]


async def test_a_slow_table_does_not_hold_up_the_list() -> None:
    """What is known is told while it is asked."""
    town = Town()
    town.announce("one", line("chess"))
    games = town.games()
    assert await offered(games) == [("chess", "1.0.0")]

    async def hang(*_event: object) -> None:
        await asyncio.Event().wait()

    for number in range(40):
        town.announce(f"slow{number}")
        town.transport.apps[f"http://slow{number}"] = hang
    town.time += FRESH_S
    loop = asyncio.get_running_loop()
    began = loop.time()
    assert await offered(games) == [("chess", "1.0.0")]
    assert loop.time() - began < PATIENCE_S + 0.5
    again = loop.time()
    assert await offered(games) == [("chess", "1.0.0")]
    assert loop.time() - again < PATIENCE_S / 2
    await games.close()


async def test_one_process_is_asked_once_however_often_it_is_announced() -> None:
    """By whatever path, user name or spelling: those that are no plain address are not asked."""
    town = Town()
    town.announce("one", line("chess"))
    for number in range(5):
        town.fleet.announce(f"http://user{number}@one/")
        town.fleet.announce(f"http://one:80/{number}")
        town.fleet.announce(f"HTTP://ONE/tables/{number}")
    games = town.games()
    assert await offered(games) == [("chess", "1.0.0")]
    assert town.transport.sent == ["http://one/.well-known/agent-card.json"]
    await games.close()


async def test_a_game_appears_when_its_table_announces_itself() -> None:
    """And goes when the table is silent; nothing has to be started again."""
    town = Town()
    games = town.games()
    assert await offered(games) == []
    town.announce("one", line("chess"))
    town.time += FRESH_S
    assert await offered(games) == [("chess", "1.0.0")]
    town.time += 31
    assert await offered(games) == []
    with pytest.raises(CommandRefused) as refused:
        await games.specification("chess")
    assert refused.value.reason == "GAME_NOT_FOUND"


async def test_a_specification_is_fetched_once_for_each_version() -> None:
    """Its tag changes with its bytes."""
    town = Town()
    town.announce("one", line("chess"))
    games = town.games()
    first = await games.specification("chess")
    assert await games.specification("chess") == first
    assert town.fetched == ["one chess"]
    town.announce("one", line("chess", "1.0.1"))
    town.time += FRESH_S
    await games.specification("chess")
    assert town.fetched == ["one chess", "one chess"]


async def test_a_card_that_lies_costs_only_its_own_lines() -> None:
    """Whatever stands there: what can be read is taken."""
    town = Town()
    town.announce(
        "one", line("chess", "one"), line("go", players={"min": -1}), {"gameType": 1}, line("dice")
    )
    assert await offered(town.games()) == [("dice", "1.0.0")]


async def test_a_table_that_is_gone_is_no_fault_of_the_others() -> None:
    """Its specification is refused in words."""
    town = Town()
    town.announce("one", line("chess"))
    town.announce("two", line("go"))
    games = town.games()
    assert len(await offered(games)) == 2
    del town.transport.apps["http://one"]
    with pytest.raises(CommandRefused, match="table"):
        await games.specification("chess")
    town.time += FRESH_S
    assert await offered(games) == [("go", "1.0.0")]


async def test_a_process_is_not_started_for_every_list() -> None:
    """A table of the lobby's own is asked once a minute at most."""
    town = Town()
    town.launched = [line("go")]
    games = town.games()
    for _ in range(5):
        await offered(games)
        town.time += FRESH_S
    assert town.told == [("--card",)]
