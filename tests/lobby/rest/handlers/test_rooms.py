"""Rooms, tables and the lobby's configuration over REST."""

from datetime import timedelta
from typing import Any

import pytest
from casino_contracts import LobbyInfo, RoomList, TableList
from casino_contracts.table_config import DEFAULT_CONFIG
from casino_lobby.domain.fleet import Fleet
from casino_lobby.domain.room import Phase
from casino_lobby.domain.room_addresses import AWAY
from casino_lobby.service.use_cases import LobbyQueries
from casino_lobby.store import MemoryStore
from pydantic import SecretStr
from support.casino.casino_side import CasinoHarness, Operator, casino_harness
from support.casino.store_side import new_room
from support.table.table_side import CONFIG

INFO = LobbyInfo(
    name="Test",
    version="1",
    agent_card_url="http://lobby/",
    default_config=DEFAULT_CONFIG,
    launches_tables=False,
    operator_token_needed=False,
    limits={},
)


async def reading(**states: tuple[Phase, str, str | None]) -> LobbyQueries:
    """Return the reading of rooms with a phase, a status and a state each."""
    store = MemoryStore(1_000)
    for room_id, (phase, status, state) in states.items():
        room = new_room(room_id)
        room.phase, room.status, room.state = phase, status, state  # type: ignore[assignment]
        await store.add(room)
    return LobbyQueries(store, Fleet(lambda: 0.0, timedelta(seconds=30)), INFO)


def ids(rooms: RoomList) -> list[str]:
    return [room.room_id for room in rooms.rooms]


class TestRooms:
    @pytest.mark.parametrize(
        ("asked", "found"),
        [
            ({}, ["a", "b", "c", "d", "e"]),
            ({"status": "running"}, ["b", "c"]),
            ({"state": "open"}, ["a", "b"]),
            ({"state": "paused"}, ["c"]),
            ({"state": "closed"}, ["d"]),
            ({"status": "running", "state": "open"}, ["b"]),
            ({"state": "unheard-of"}, []),
            ({"game_type": "texas-holdem"}, ["a", "b", "c", "d", "e"]),
            ({"game_type": "chess"}, []),
            ({"after": "c"}, ["d", "e"]),
            ({"after": "e"}, []),
        ],
    )
    async def test_what_is_asked_for_is_listed(
        self, asked: dict[str, Any], found: list[str]
    ) -> None:
        lobby = await reading(
            a=("open", "idle", None),
            b=("open", "running", None),
            c=("open", "running", "paused"),
            d=("closed", "idle", "paused"),
            e=("failed", "error", None),
        )
        rooms = lobby.rooms(**asked, limit=5)
        assert (ids(rooms), rooms.next) == (found, None)

    async def test_over_rest(self) -> None:
        async with casino_harness() as harness:
            operator = Operator(harness)
            for number in (1, 2, 3):
                await operator.open(f"r{number}", number)
            query = "status=waiting&gameType=texas-holdem&state=open&after=r1&limit=1"
            reply = await operator.http.get(f"/v1/rooms?{query}")
            page = RoomList.model_validate_json(reply.content)
            assert (ids(page), page.next) == (["r2"], "r2")
            last = await operator.http.get("/v1/rooms?after=r2")
            assert last.json().keys() == {"rooms"}

    async def test_closing_by_post_is_closing_by_delete(self) -> None:
        async with casino_harness() as harness:
            operator = Operator(harness)
            await operator.open("r1", 1)
            await operator.open("r2", 2)
            refused = await operator.post("/v1/rooms/r1/close", {"now": True})
            assert refused.json()["errors"][0]["pointer"] == "#/now"
            posted = await operator.http.post("/v1/rooms/r1/close")
            deleted = await operator.http.delete("/v1/rooms/r2")
            for reply in (posted, deleted):
                assert (reply.status_code, reply.json()["state"]) == (202, "closing")
            assert (await operator.post("/v1/rooms/none/close")).status_code == 404


class TestTables:
    async def test_announced_named_and_silent_ones(self) -> None:
        async with casino_harness() as harness:
            operator = Operator(harness)
            await harness.announce(1, 2)
            await operator.open("r3", 3)
            await operator.post("/v1/rooms", {"roomId": "r1", "config": CONFIG})
            harness.time += 31
            await harness.announce(2)
            reply = await operator.http.get("/v1/tables")
            lines = TableList.model_validate_json(reply.content).tables
            rows = {
                line.agent_card_url: (line.source, line.health, line.room_id, line.table_id)
                for line in lines
            }
            assert rows == {
                harness.table_card(1): ("announced", "silent", "r1", "r1"),
                harness.table_card(2): ("announced", "ready", None, None),
                harness.table_card(3): ("named", "ready", "r3", "r3"),
            }

    async def test_launched_and_away_ones(self) -> None:
        store = MemoryStore(1_000)
        for number, (phase, state) in enumerate(
            [("open", None), ("open", AWAY), ("closed", None), ("opening", None)]
        ):
            room = new_room(f"r{number}")
            room.phase, room.state, room.is_launched = phase, state, True  # type: ignore[assignment]
            room.table_card_url = f"http://t{number}/" if phase != "opening" else ""
            await store.add(room)
        lobby = LobbyQueries(store, Fleet(lambda: 0.0, timedelta(seconds=30)), INFO)
        rows = [
            (line.source, line.health, line.room_id)
            for line in lobby.tables(has_details=True).tables
        ]
        assert rows == [("launched", "ready", "r0"), ("launched", "away", "r1")]


async def test_the_lobby_tells_what_it_is() -> None:
    harness = CasinoHarness(
        name="The Velvet",
        commands_per_minute=7,
        launch_tables=False,
        gateway_url="http://gateway:4050/",
        sample_cards="Tight=http://tight:4100, The wild one=http://wild:4100/card.json",
    )
    async with harness.tables.running(), harness.lobby.running():
        operator = Operator(harness)
        info = LobbyInfo.model_validate_json((await operator.http.get("/v1/config")).content)
        assert (info.name, info.launches_tables) == ("The Velvet", False)
        assert info.operator_token_needed is False
        assert info.gateway_url == "http://gateway:4050"
        assert [(bot.name, bot.agent_card_url) for bot in info.sample_bots or ()] == [
            ("Tight", "http://tight:4100"),
            ("The wild one", "http://wild:4100/card.json"),
        ]
        assert info.limits["commandsPerMinute"] == 7
        assert info.agent_card_url == "http://lobby/.well-known/agent-card.json"
        most = info.limits["eventsPerPage"]
        await operator.open()
        for limit, status in ((most, 200), (most + 1, 422)):
            reply = await operator.http.get(f"/v1/rooms/r1/events?limit={limit}")
            assert reply.status_code == status
        body = {
            "config": info.default_config.model_dump(mode="json"),
            "tableAgentCardUrl": harness.table_card(2),
        }
        assert (await operator.post("/v1/rooms", body)).status_code == 201


@pytest.mark.parametrize("key", [None, SecretStr("the-operators-own-key")])
async def test_the_config_says_whose_key_it_was_asked_with(key: SecretStr | None) -> None:
    harness = CasinoHarness(launch_tables=False, operator_token=key)
    async with harness.tables.running(), harness.lobby.running():
        http = Operator(harness).http
        for token, is_operator in [("the-operators-own-key", key is not None), ("other", False)]:
            headers = {"authorization": f"Bearer {token}"}
            reply = await http.get("/v1/config", headers=headers)
            assert reply.json()["isOperator"] is is_operator
            assert reply.headers["cache-control"] == "no-store"
        plain = await http.get("/v1/config", headers={"authorization": ""})
        assert "isOperator" not in plain.json()
