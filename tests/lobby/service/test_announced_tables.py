"""Rooms on tables that announced themselves."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from casino_agentkit import ANYONE, Agent
from casino_contracts import ConfigureTableInput, NoInput, TableSummary
from support.casino.casino_side import CasinoHarness, Operator
from support.table.table_side import CONFIG, SOON, configuring


@pytest.fixture
async def network() -> AsyncIterator[CasinoHarness]:
    """Run a lobby that launches no tables, and a process of three tables."""
    network = CasinoHarness(tables=3, launch_tables=False)
    async with network.tables.running(), network.lobby.running():
        yield network


async def open_room(operator: Operator, room_id: str, **more: Any) -> httpx.Response:
    return await operator.post("/v1/rooms", {"roomId": room_id, "config": CONFIG, **more})


async def test_rooms_get_announced_tables(network: CasinoHarness, operator: Operator) -> None:
    await network.announce(1, 2)
    replies = await asyncio.gather(*(open_room(operator, f"r{n}") for n in range(3)))
    assert sorted(reply.status_code for reply in replies) == [201, 201, 503]
    opened = [reply.json() for reply in replies if reply.status_code == 201]
    assert {room["tableBaseUrl"] for room in opened} == {
        "http://tables/tables/1",
        "http://tables/tables/2",
    }
    (refused,) = [reply.json() for reply in replies if reply.status_code == 503]
    assert refused["reason"] == "NO_TABLE"
    assert "announces itself" in refused["detail"]
    left = (await operator.http.get("/v1/rooms")).json()["rooms"]
    assert len(left) == 2


async def test_a_table_is_free_again_when_its_room_is_closed(
    network: CasinoHarness, operator: Operator
) -> None:
    await network.announce(1)
    assert (await open_room(operator, "r1")).status_code == 201
    await operator.http.delete("/v1/rooms/r1")
    await operator.until(lambda room: room.state == "closed")
    assert (await open_room(operator, "r2")).status_code == 201


async def test_a_table_that_does_not_answer_is_skipped(
    network: CasinoHarness, operator: Operator
) -> None:
    await network.announce_card("http://gone/")
    busy = network.add("busy", Agent("Busy", "Takes no room."))
    await network.announce(1)
    await network.announce_card(busy)
    room = (await open_room(operator, "r1")).json()
    assert room["tableBaseUrl"] == "http://tables/tables/1"
    assert (await open_room(operator, "r2")).status_code == 503


async def test_a_config_that_no_table_plays_is_refused_at_once(
    network: CasinoHarness, operator: Operator
) -> None:
    await network.announce(1, 2)
    reply = await open_room(operator, "r1", gameConfig={"jokers": 2})
    assert (reply.status_code, reply.json()["reason"]) == (422, "INVALID_GAME_CONFIG")
    assert reply.json()["errors"][0]["pointer"] == "#/gameConfig/jokers"
    assert (await open_room(operator, "r2")).status_code == 201


def dice_table(network: CasinoHarness, *games: str) -> tuple[str, list[ConfigureTableInput]]:
    """Add a table whose card lists these games; return its card, and how it is configured."""
    configured: list[ConfigureTableInput] = []
    listed = {"games": [{"gameType": game} for game in games]} if games else {}
    agent = Agent("Dice", "A table of others.", about=lambda: listed)

    @agent.entrypoint("configureTable", who=ANYONE)
    def configure_table(request: ConfigureTableInput) -> NoInput:
        """Take a room."""
        configured.append(request)
        return NoInput()

    return network.add("dice", agent), configured


async def refusal(operator: Operator, room_id: str, **more: Any) -> tuple[int, str, str]:
    reply = await open_room(operator, room_id, **more)
    return reply.status_code, reply.json()["reason"], reply.json()["detail"]


async def test_a_room_goes_only_to_a_table_whose_card_lists_its_game(
    network: CasinoHarness, operator: Operator
) -> None:
    card, configured = dice_table(network, "dice")
    await network.announce_card(card)
    await network.announce(1)
    assert (await open_room(operator, "r1")).json()["tableBaseUrl"] == "http://tables/tables/1"
    assert configured == []
    room = (await open_room(operator, "r2", gameType="dice")).json()
    assert (room["tableAgentCardUrl"], len(configured)) == (card, 1)


async def test_a_card_without_a_list_of_games_is_one_of_holdem(
    network: CasinoHarness, operator: Operator
) -> None:
    """A table of the protocol document would play Hold'em, whatever the room's game is."""
    card, configured = dice_table(network)
    status, reason, detail = await refusal(
        operator, "r1", gameType="kuhn_poker", tableAgentCardUrl=card
    )
    assert (status, reason, configured) == (422, "UNKNOWN_GAME", [])
    assert "does not play kuhn_poker; the games of its card are: texas-holdem" in detail
    assert (await open_room(operator, "r2", tableAgentCardUrl=card)).status_code == 201


async def test_a_refusal_says_whether_tables_are_busy_or_lack_the_game_or_are_not_there(
    network: CasinoHarness, operator: Operator
) -> None:
    status, reason, detail = await refusal(operator, "r1")
    assert (status, reason) == (503, "NO_TABLE")
    assert detail.startswith("No table announced itself")
    card, _ = dice_table(network, "dice")
    await network.announce_card(card)
    status, reason, detail = await refusal(operator, "r1", gameType="chess")
    assert (status, reason) == (422, "UNKNOWN_GAME")
    assert detail == (
        "No table here plays chess. Looked at: The table at http://dice does not play chess; the"
        " games of its card are: dice."
    )
    await network.announce(1)
    assert (await open_room(operator, "r1")).status_code == 201
    status, reason, detail = await refusal(operator, "r2")
    assert (status, reason) == (503, "NO_TABLE")
    assert detail.startswith("1 of 2 announced tables are busy, and no other is free")
    assert detail.endswith("does not play texas-holdem; the games of its card are: dice.")


async def test_one_card_of_a_process_says_what_all_its_tables_lack(
    network: CasinoHarness, operator: Operator
) -> None:
    await network.announce(1, 2, 3)
    _, reason, detail = await refusal(operator, "r1", gameType="chess")
    assert (reason, detail.count("does not play chess")) == ("UNKNOWN_GAME", 1)


async def test_a_pinned_port_needs_a_lobby_that_launches(
    network: CasinoHarness, operator: Operator
) -> None:
    """An announced table does not count: its port is fixed."""
    await network.announce(1)
    reply = await open_room(operator, "r1", launchOptions={"port": 4777})
    assert (reply.status_code, reply.json()["reason"]) == (503, "NO_TABLE")


async def test_an_announcement_without_the_room_changes_nothing(
    network: CasinoHarness, operator: Operator
) -> None:
    """The table is called, and still serves the room."""
    await network.announce(1)
    await open_room(operator, "r1")
    await network.announce(1, table_id=None)
    for _ in range(100):
        await asyncio.sleep(0)
    room = await operator.room("r1")
    assert (room.state, room.epoch) == (None, 1)


async def test_a_named_table_that_serves_another_room_fails_this_one(
    network: CasinoHarness, operator: Operator
) -> None:
    """Another caller configured it for a room of its own; the room is bound to it."""
    await operator.open("r1")
    table = await network.client().resolve(network.table_card(1), timeout=SOON)
    await table.call("configureTable", configuring(), TableSummary, timeout=SOON)
    await network.announce(1, table_id="t1")
    await operator.until(lambda room: room.state == "failed")
    room = await operator.room("r1")
    assert room.summary is not None
    assert "serves t1" in (room.summary.message or "")
