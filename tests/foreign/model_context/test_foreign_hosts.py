"""Clients of MCP that nobody here wrote: the SDK's, FastMCP's, and the Inspector's command line."""

import asyncio
import json
import random
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from foreign.gateway_rooms import decisions, record
from foreign.model_context.stranger import Json, Stranger, arguments
from foreign.test_page_game import PAGE_GAMES, is_offered
from mcp import Client, StdioServerParameters
from support.casino.casino import GAME_RULES
from support.gateway.live_gateway import LiveGateway, live_gateway
from support.players.foreign import output_of, program, some_are_prepared
from support.processes import eventually
from support.requirements import hands

pytestmark = [
    pytest.mark.foreign,
    pytest.mark.full,
    pytest.mark.asyncio(loop_scope="module"),
]

HOLDEM = "texas-holdem"
TOOLS = {
    "act",
    "hand",
    "leave",
    "list_rooms",
    "rules",
    "sit_down",
    "standings",
    "wait_for_turn",
}
"""What every casino has; others depend on its services."""
MOST_CHARACTERS_OF_A_RESULT = 40_000
"""About 10,000 tokens, from which on hosts warn, and cut."""
CONNECTIONS = {"handshake": "legacy", "whichever": "auto", "2026-07-28": "2026-07-28"}
"""How the SDK's client finds out which version of MCP a server speaks."""
GAMES: dict[str, Json] = {
    HOLDEM: {},
    "kuhn_poker": {},
    "leduc_poker": {},
    "blackjack": {},
    "roulette": {},
    "simple_card": {},
    "pig": {"gameConfig": {"target": 12}},
}
"""Games, with what else their rooms need; `pig` is written by others."""
MANY_HANDS = hands(130, 1_000)
ROOMS: dict[str, tuple[str, int]] = {
    **{f"http-{mode}": (HOLDEM, 3) for mode in CONNECTIONS.values()},
    "stdio": (HOLDEM, 3),
    "fastmcp-http": (HOLDEM, 10),
    "fastmcp-stdio": (HOLDEM, 10),
    "inspected": (HOLDEM, 10),
    "many": (HOLDEM, MANY_HANDS),
    **{f"strange-{game}": (game, 5) for game in GAMES},
}
"""The game and the hands of each room. All are open before a client looks for its own."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def live() -> AsyncIterator[LiveGateway]:
    """Run a lobby, a gateway, and tables that also know a game of others."""
    some_are_prepared()
    async with live_gateway(CASINO_LOBBY_LAUNCH_TABLES="false") as live:
        await live.casino.host_tables(
            len(ROOMS),
            **PAGE_GAMES,
            CASINO_TABLE_GAMES="page_registration",
            CASINO_TABLE_LOBBY_URL=live.casino.lobby.url,
        )
        await eventually(lambda: is_offered(live.casino))
        for room, (game, max_hands) in ROOMS.items():
            config = {
                **GAME_RULES,
                "maxSeats": 2,  # the second one starts the session
                "maxHands": max_hands,
                "actionTimeoutMs": 30_000,
            }
            body = {"roomId": room, "gameType": game, "config": config, **GAMES[game]}
            await live.casino.open_room(body)
        yield live


def by_stdio(live: LiveGateway) -> StdioServerParameters:
    """Return a host's configuration of the casino's own command."""
    arguments = ["-m", "casino", "mcp", "--casino", live.casino.lobby.url]
    return StdioServerParameters(command=sys.executable, args=arguments)


def callers_choice(offers: list[Json]) -> Json:
    """Check or call: nobody loses all chips before the session's end."""
    kinds = {offer["action_type"]: offer for offer in offers}
    return kinds.get("check") or kinds.get("call") or offers[0]


async def stranger_plays(live: LiveGateway, client: Client, room: str) -> None:
    """Play a room to its end against a sample player; no decision is refused or lost."""
    await live.casino.seat(live.bot, room)
    stranger = Stranger(client, "Stranger", room, callers_choice)
    standings = await stranger.play()
    events = await record(live.casino, room, ROOMS[room][1])
    assert decisions(events)["Stranger"] == stranger.acted
    assert {row["name"]: row["missed"] for row in standings["players"]}["Stranger"] == 0


@pytest.mark.parametrize("mode", CONNECTIONS.values(), ids=CONNECTIONS)
async def test_the_sdk_plays_over_http(live: LiveGateway, mode: str) -> None:
    async with Client(f"{live.url}/mcp", mode=mode) as client:
        await stranger_plays(live, client, f"http-{mode}")


async def test_the_sdk_plays_over_standard_input(live: LiveGateway) -> None:
    async with Client(by_stdio(live)) as client:
        await stranger_plays(live, client, "stdio")


@pytest.mark.parametrize("transport", ["http", "stdio"])
async def test_fastmcp_plays_from_the_configuration_of_a_host(
    live: LiveGateway, transport: str
) -> None:
    """It plays a hand and gives its seat back."""
    command = by_stdio(live)
    servers = {
        "http": {"url": f"{live.url}/mcp"},
        "stdio": {"command": command.command, "args": command.args},
    }
    room = f"fastmcp-{transport}"
    await live.casino.seat(live.bot, room)
    configuration = json.dumps({"mcpServers": {"casino": servers[transport]}})
    printed = await output_of(program("fastmcp_client", "client"), configuration, room)
    seen = json.loads(printed)
    assert set(seen["tools"]) >= TOOLS
    assert seen["rules"] > 0
    assert "your_turn" in seen["statuses"]
    rows = {row["name"]: row for row in seen["standings"]["players"]}
    assert (rows["FastMCP"]["hands"] > 0, rows["FastMCP"]["missed"]) == (True, 0)


class Inspector:
    """The Inspector's command, which connects anew for each request."""

    def __init__(self, home: Path, *target: str) -> None:
        tool = program("mcp_inspector", "mcp-inspector")
        self._command = ["env", f"HOME={home}", *tool, "--cli", *target, "--format", "json"]

    async def request(self, method: str, *options: str) -> Json:
        """Return the result; fails where the Inspector does, as for a tool that refuses."""
        printed = await output_of(self._command, "--quiet", "--method", method, *options)
        result: Json = json.loads(printed)["result"]
        return result

    async def call(self, tool: str, **given: Any) -> Json:
        options = ("--tool-name", tool, "--tool-args-json", json.dumps(given))
        result: Json = (await self.request("tools/call", *options))["structuredContent"]
        return result


async def test_the_inspector_calls_everything(live: LiveGateway, tmp_path: Path) -> None:
    """Each tool, resource and prompt, with nothing kept from one command to the next."""
    inspector = Inspector(tmp_path, f"{live.url}/mcp")
    tools = await inspector.request("tools/list", "--strict")
    assert {tool["name"] for tool in tools["tools"]} >= TOOLS
    rooms = (await inspector.call("list_rooms"))["rooms"]
    offered = next(one for one in rooms if one["room"] == "inspected")
    seat = (await inspector.call("sit_down", room="inspected", name="Inspector"))["seat"]
    await live.casino.seat(live.bot, "inspected")
    question = await inspector.call("wait_for_turn", seat=seat)
    while question["hand_number"] == 1:
        assert question["status"] == "your_turn"
        given = arguments(question["legal_actions"], callers_choice)
        await inspector.call("act", seat=seat, turn=question["turn"], **given)
        question = await inspector.call("wait_for_turn", seat=seat)
    assert (await inspector.call("hand", seat=seat, number=1))["private"]["hole_cards"]
    await inspector.call("leave", seat=seat)
    standings = await inspector.call("standings", room="inspected")
    assert {row["name"]: row["missed"] for row in standings["players"]}["Inspector"] == 0
    rules = await inspector.request("resources/read", "--uri", offered["rules"])
    assert "## State Schema" in rules["contents"][0]["text"]
    assert "## Rules" in (told := (await inspector.call("rules", game=HOLDEM))["result"])
    assert len(told) < MOST_CHARACTERS_OF_A_RESULT
    assert (await inspector.request("resources/list"))["resources"]
    assert (await inspector.request("resources/templates/list"))["resourceTemplates"]
    assert [one["name"] for one in (await inspector.request("prompts/list"))["prompts"]] == ["play"]
    prompt = await inspector.request("prompts/get", "--prompt-name", "play")
    assert "wait_for_turn" in prompt["messages"][0]["content"]["text"]


async def test_the_inspector_starts_the_casinos_command(live: LiveGateway, tmp_path: Path) -> None:
    command = by_stdio(live)
    inspector = Inspector(tmp_path, command.command, *command.args)
    tools = await inspector.request("tools/list", "--strict")
    assert {tool["name"] for tool in tools["tools"]} >= TOOLS


@pytest.mark.parametrize("game", GAMES)
async def test_a_stranger_plays_every_game(live: LiveGateway, game: str) -> None:
    """It knows what tools and resources say, and chooses among what is offered."""
    await live.casino.seat(live.bot, f"strange-{game}")
    async with Client(f"{live.url}/mcp") as client:
        chance = random.Random(game)
        stranger = Stranger(client, "Stranger", f"strange-{game}", chance.choice)
        await stranger.play()
    assert game in stranger.rules
    outcomes = await live.casino.outcomes(f"strange-{game}")
    assert all(set(of_player) == {"ok"} for of_player in outcomes.values()), outcomes
    assert stranger.acted > 0


async def test_a_thousand_decisions_lose_no_turn(live: LiveGateway) -> None:
    """Two models at one table, each with a clock of 30 s."""

    async def play(name: str) -> int:
        async with Client(f"{live.url}/mcp") as client:
            stranger = Stranger(client, name, "many", callers_choice)
            await stranger.play()
            return stranger.acted

    async with asyncio.TaskGroup() as group:
        playing = {name: group.create_task(play(name)) for name in ("Ada", "Bob")}
    acted = {name: task.result() for name, task in playing.items()}
    assert decisions(await record(live.casino, "many", MANY_HANDS)) == acted
    assert sum(acted.values()) >= 1_000
