"""Only tables with the fleet key get rooms, and a room keeps its table."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import orjson
import pytest
from casino.attack.attacks.reply import Depth
from casino.attack.bindings import BINDINGS
from casino.attack.target import Agent
from casino_agentkit import ANYONE
from casino_agentkit import Agent as KitAgent
from casino_contracts import RoomKey
from casino_lobby.domain.epoch import begin_epoch
from pydantic import BaseModel
from support.attack.undefended import OpenLobby
from support.casino.keyed_casino import FLEET_KEY, OPERATOR_KEY, KeyedCasino, keyed_casino
from support.processes import eventually
from support.table.table_side import CONFIG

LOBBY = Agent("the lobby", "http://lobby")
RULES = {name: value for name, value in CONFIG.items() if name != "seed"}
SEED = "the-seed-of-the-room"
MANY = 10_000
GAME = {
    "gameType": "kuhn_poker",
    "name": "Mallory's",
    "category": "card",
    "gameModel": "turn_based",
    "players": {"min": 2, "max": 2},
    "version": "999.0.0",
    "defaultTimeoutAction": "FOLD",
    "schemaFormat": "json-schema",
    "specification": "/games/kuhn_poker/spec",
}


class Loose(BaseModel, extra="allow"):
    """Any JSON object."""


class ImpostorTable:
    """A table of an attacker, which takes every room and keeps what it receives."""

    def __init__(self, **games: Any) -> None:
        self.received: list[tuple[str, dict[str, Any]]] = []
        self._about = games

    def agent(self) -> KitAgent:
        agent = KitAgent("Impostor", "Is no table.", about=lambda: self._about)
        for skill in ("configureTable", "registerPlayer", "startGame", "tableSummary"):

            @agent.entrypoint(skill, who=ANYONE)
            async def take(given: Loose, skill: str = skill) -> Loose:
                self.received.append((skill, given.model_dump()))
                summary = {"tableId": "", "status": "waiting", "handCount": 0, "players": []}
                return Loose.model_validate(summary)

        return agent


@pytest.fixture
async def casino() -> AsyncIterator[KeyedCasino]:
    """Run two tables of the fleet and an impostor."""
    async with keyed_casino() as casino:
        yield casino


def _impostor(casino: KeyedCasino, **games: Any) -> tuple[ImpostorTable, str]:
    impostor = ImpostorTable(**games)
    return impostor, casino.agent("impostor", impostor.agent())


async def _announce(
    casino: KeyedCasino, card_url: str, token: str | None = None, **more: Any
) -> Depth:
    given = {"agentCardUrl": card_url, **more}
    return (await casino.call(LOBBY, "registerTable", given, token)).depth


async def _open(casino: KeyedCasino, room_id: str) -> int:
    """Open a room on any table that the lobby finds; returns the status."""
    body = {"roomId": room_id, "config": {**RULES, "seed": SEED}}
    return (await casino.operator().post("/v1/rooms", body)).status_code


class TestAnnouncing:
    """A table without the fleet key gets no room."""

    async def test_an_impostor_without_the_key_gets_no_room(self, casino: KeyedCasino) -> None:
        """Not even when the fleet has no table left."""
        impostor, card = _impostor(casino)
        for token in (None, "sesame", OPERATOR_KEY, RoomKey("r1").events):
            for binding in BINDINGS:
                reply = await casino.call(
                    LOBBY, "registerTable", {"agentCardUrl": card}, token, binding
                )
                assert reply.depth in {Depth.DENIED, Depth.ABSENT}
        assert [await _open(casino, f"r{number}") for number in (1, 2, 3)] == [201, 201, 503]
        assert impostor.received == []

    async def test_without_the_rule_an_impostor_gets_the_next_room(self) -> None:
        """With its seed."""
        async with keyed_casino(lobby_rules=OpenLobby("announcing")) as casino:
            impostor, card = _impostor(casino)
            await _announce(casino, card)
            for number in (1, 2, 3):
                await _open(casino, f"r{number}")
            assert impostor.received[0][0] == "configureTable"
            assert impostor.received[0][1]["config"]["seed"] == SEED

    @pytest.mark.timeout(180)
    async def test_ten_thousand_impostors_displace_no_table(self, casino: KeyedCasino) -> None:
        """Announcements without the key are not kept."""
        for number in range(MANY):
            url = f"http://impostor-{number}/.well-known/agent-card.json"
            assert await _announced_fast(casino, url) == "UNAUTHORIZED"
        tables = (await casino.operator().http.get("/v1/tables")).json()["tables"]
        assert [table["agentCardUrl"] for table in tables] == [
            casino.table_card(1),
            casino.table_card(2),
        ]
        assert await _open(casino, "r1") == 201


async def _announced_fast(casino: KeyedCasino, url: str) -> str:
    """Announce without a client's overhead; returns the reason of the refusal."""
    body = orjson.dumps(BINDINGS[0].body("registerTable", {"agentCardUrl": url}))
    headers = {"A2A-Version": "1.0"}
    reply = await casino.wire.send("POST", "http://lobby/a2a/jsonrpc", headers, body, 5.0)
    reason: str = orjson.loads(reply.body)["error"]["data"][0]["metadata"]["reason"]
    return reason


class TestMovedTables:
    """A table that says that it moved shows the right of the room that it serves."""

    async def _away(self, casino: KeyedCasino) -> None:
        """Play, then stop the room's table."""
        await casino.play("r1", 1, "ada", "bob", maxHands=1)
        self._app = casino.transport.apps.pop("http://tables")

    async def test_others_cannot_take_the_place_of_a_missing_table(
        self, casino: KeyedCasino
    ) -> None:
        """The fleet key alone is not enough; the table is found again where it was."""
        await self._away(casino)
        impostor, card = _impostor(casino)
        key, other = casino.key("r1"), RoomKey("r1")
        claims: tuple[dict[str, Any], ...] = (
            {},
            {"roomToken": "0" * 64},
            {"roomToken": key.table},
            {"roomToken": other.events},
            {"roomToken": casino.seat_token("player-1")},
            {"roomToken": FLEET_KEY},
        )
        for claim in claims:
            for epoch in (None, 1, 2):
                given = {**claim, **({"epoch": epoch} if epoch else {})}
                await _announce(casino, card, FLEET_KEY, tableId="r1", **given)
                assert await _announce(casino, card, None, tableId="r1", **given) is Depth.DENIED
        await asyncio.sleep(0.1)
        assert impostor.received == []
        assert casino.stored("r1").table_card_url == casino.table_card(1)
        casino.transport.apps["http://tables"] = self._app
        await casino.operator().post("/v1/rooms/r1/start")
        await casino.until("r1", "idle")
        assert casino.stored("r1").epoch == 1

    async def test_the_room_s_own_right_leads_the_lobby(self, casino: KeyedCasino) -> None:
        """The lobby follows the real table to another address."""
        await self._away(casino)
        casino.transport.apps["http://elsewhere"] = self._app
        card = "http://elsewhere/tables/1/.well-known/agent-card.json"
        right = casino.key("r1").events
        await _announce(casino, card, FLEET_KEY, tableId="r1", epoch=1, roomToken=right)

        async def has_moved() -> bool:
            return casino.stored("r1").table_card_url == card

        await eventually(has_moved, every=0.01)

    @pytest.mark.parametrize("has_successor", [True, False])
    async def test_a_table_that_was_replaced_is_not_followed(
        self, casino: KeyedCasino, *, has_successor: bool
    ) -> None:
        """It has the key of its own epoch only, and its successor has begun another.

        Where no table has taken the new epoch (the lobby ended before it had found one), the old
        table is still the room's.
        """
        await self._away(casino)
        old = casino.key("r1", 1).events
        room = casino.stored("r1")
        begin_epoch(room)
        await casino.store.save(room)
        if has_successor:
            begun = {
                "tableId": "r1",
                "epoch": 2,
                "sequence": 1,
                "eventType": "table_status",
                "message": "The table is ready.",
                "timestamp": "2026-01-01T00:00:00.000Z",
                "payload": {"status": "idle", "kind": "configured"},
            }
            right = casino.key("r1", 2).events
            assert (
                await casino.call(LOBBY, "recordGameEvent", begun, right)
            ).depth is Depth.ANSWERED
        impostor, card = _impostor(casino)
        await _announce(casino, card, FLEET_KEY, tableId="r1", epoch=1, roomToken=old)
        if has_successor:
            await asyncio.sleep(0.2)
            assert impostor.received == []
        else:

            async def is_asked() -> bool:
                return bool(impostor.received)

            await eventually(is_asked, every=0.01)

    async def test_the_room_of_a_document_table_is_not_moved(self) -> None:
        """While its table is away."""
        async with keyed_casino(fleet_key=None) as casino:
            card = casino.agent("document", ImpostorTable().agent())
            body = {"roomId": "d1", "tableAgentCardUrl": card, "config": {**RULES, "seed": SEED}}
            assert (await casino.operator().post("/v1/rooms", body)).status_code == 201
            del casino.transport.apps["http://document"]
            impostor, elsewhere = _impostor(casino)
            await _announce(casino, elsewhere, None, tableId="d1")
            await asyncio.sleep(0.2)
            assert impostor.received == []


class TestGames:
    """The fleet decides which games are offered."""

    async def _version(self, casino: KeyedCasino) -> str:
        casino.time += 10
        games = (await casino.operator().http.get("/api/games")).json()["games"]
        versions: dict[str, str] = {one["gameType"]: one["specVersion"] for one in games}
        return versions["kuhn_poker"]

    async def test_a_newer_version_without_the_key_changes_nothing(
        self, casino: KeyedCasino
    ) -> None:
        """Rules, schemas and prompts stay those of the fleet."""
        before = await self._version(casino)
        _, card = _impostor(casino, games=[GAME])
        assert await _announce(casino, card) is Depth.DENIED
        assert await self._version(casino) == before != "999.0.0"

    async def test_without_the_rule_the_first_description_stays(self) -> None:
        """A table that offers the game later does not describe it."""
        async with keyed_casino(lobby_rules=OpenLobby("announcing")) as casino:
            before = await self._version(casino)
            _, card = _impostor(casino, games=[GAME])
            await _announce(casino, card)
            assert await self._version(casino) == before


class TestSharedTables:
    """A table serves one room."""

    async def test_another_spelling_gives_no_second_room(self, casino: KeyedCasino) -> None:
        """The table refuses a second room by its key."""
        await casino.play("r1", 1, "ada", "bob", maxHands=1)
        casino.transport.apps["http://TABLES"] = casino.transport.apps["http://tables"]
        for url in ("http://TABLES/tables/1/.well-known/agent-card.json", casino.table_card(1)):
            body = {"roomId": "twin", "tableAgentCardUrl": url, "config": RULES}
            reply = await casino.operator().post("/v1/rooms", body)
            assert reply.status_code in {403, 409}, reply.text
        assert casino.store.room("twin") is None
        assert (await casino.operator().room("r1")).summary is not None
