"""Which games a lobby offers: what its tables' cards tell, and nothing of its own."""

from datetime import timedelta
from typing import Any

import orjson
import pytest
from casino_agentkit import Agent, AgentClient, InProcessTransport, Refusal, Service
from casino_lobby.fleet import Fleet
from casino_lobby.games import FRESH_S, Games
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


class Town:
    """Tables in this process, and what is asked of a process that would be launched."""

    def __init__(self) -> None:
        self.transport = InProcessTransport()
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
        return Games(AgentClient(self.transport), self.fleet, told, lambda: self.time)


async def offered(games: Games) -> list[tuple[str, str]]:
    """Return types and versions."""
    return [(one.game_type, one.spec_version) for one in (await games.offered()).games]


async def test_games_of_all_tables_are_listed_once_the_newest_of_each() -> None:
    """A launched table is believed where versions are the same."""
    town = Town()
    town.launched = [line("chess", "1.2.0"), line("go")]
    town.announce("one", line("chess", "1.10.0"), line("go"))
    town.announce("two", line("dice"))
    games = town.games()
    assert await offered(games) == [("chess", "1.10.0"), ("dice", "1.0.0"), ("go", "1.0.0")]
    assert (await games.specification("chess")).content == "chess by one"
    assert (await games.specification("go")).content == "go by a launched table"


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
    with pytest.raises(Refusal) as refused:
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
    with pytest.raises(Refusal, match="table"):
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
