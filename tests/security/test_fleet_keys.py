"""A room's table is one that the lobby was told of by its fleet, and stays the room's own."""

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
from support.casino.keyed_casino import FLEET_KEY, OPERATOR_KEY, KeyedCasino, keyed_town
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
    """Any object."""


class ImpostorTable:
    """A table of the attacker's: it takes every room, and keeps all that it is told."""

    def __init__(self, **games: Any) -> None:
        self.told: list[tuple[str, dict[str, Any]]] = []
        self._about = games

    def agent(self) -> KitAgent:
        """Return it as an agent."""
        agent = KitAgent("Impostor", "Is no table.", about=lambda: self._about)
        for skill in ("configureTable", "registerPlayer", "startGame", "tableSummary"):

            @agent.entrypoint(skill, who=ANYONE)
            async def take(given: Loose, skill: str = skill) -> Loose:
                self.told.append((skill, given.model_dump()))
                told = {"tableId": "", "status": "waiting", "handCount": 0, "players": []}
                return Loose.model_validate(told)

        return agent


@pytest.fixture
async def town() -> AsyncIterator[KeyedCasino]:
    """Run a town with two tables of the fleet and an impostor."""
    async with keyed_town() as running:
        yield running


def _impostor(town: KeyedCasino, **games: Any) -> tuple[ImpostorTable, str]:
    impostor = ImpostorTable(**games)
    return impostor, town.agent("impostor", impostor.agent())


async def _announce(
    town: KeyedCasino, card_url: str, token: str | None = None, **more: Any
) -> Depth:
    given = {"agentCardUrl": card_url, **more}
    return (await town.call(LOBBY, "registerTable", given, token)).depth


async def _open(town: KeyedCasino, room_id: str) -> int:
    """Open a room on whatever table the lobby finds; returns the status."""
    body = {"roomId": room_id, "config": {**RULES, "seed": SEED}}
    return (await town.operator().post("/v1/rooms", body)).status_code


class TestAnnouncing:
    """A stranger's table gets no room."""

    async def test_without_the_key_it_is_not_heard(self, town: KeyedCasino) -> None:
        """Not even when the fleet has no table left."""
        impostor, card = _impostor(town)
        for token in (None, "sesame", OPERATOR_KEY, RoomKey("r1").events):
            for binding in BINDINGS:
                reply = await town.call(
                    LOBBY, "registerTable", {"agentCardUrl": card}, token, binding
                )
                assert reply.depth in {Depth.DENIED, Depth.ABSENT}
        assert [await _open(town, f"r{number}") for number in (1, 2, 3)] == [201, 201, 503]
        assert impostor.told == []

    async def test_without_the_rule_it_gets_the_next_room(self) -> None:
        """With the seed; so it is the rule that keeps it out."""
        async with keyed_town(lobby_rules=OpenLobby("announcing")) as town:
            impostor, card = _impostor(town)
            await _announce(town, card)
            for number in (1, 2, 3):
                await _open(town, f"r{number}")
            assert impostor.told[0][0] == "configureTable"
            assert impostor.told[0][1]["config"]["seed"] == SEED

    @pytest.mark.timeout(180)
    async def test_ten_thousand_of_them_leave_the_real_ones(self, town: KeyedCasino) -> None:
        """Who has no key takes no place."""
        for number in range(MANY):
            url = f"http://impostor-{number}/.well-known/agent-card.json"
            assert await _announced_fast(town, url) == "UNAUTHORIZED"
        tables = (await town.operator().http.get("/v1/tables")).json()["tables"]
        assert [table["agentCardUrl"] for table in tables] == [
            town.table_card(1),
            town.table_card(2),
        ]
        assert await _open(town, "r1") == 201


async def _announced_fast(town: KeyedCasino, url: str) -> str:
    """Announce without a client's overhead; returns the reason of the refusal."""
    body = orjson.dumps(BINDINGS[0].body("registerTable", {"agentCardUrl": url}))
    headers = {"A2A-Version": "1.0"}
    reply = await town.wire.send("POST", "http://lobby/a2a/jsonrpc", headers, body, 5.0)
    reason: str = orjson.loads(reply.body)["error"]["data"][0]["metadata"]["reason"]
    return reason


class TestMovedTables:
    """A table that says that it moved shows the right of the room that it serves."""

    async def _away(self, town: KeyedCasino) -> None:
        """Play, then let the room's table be gone."""
        await town.play("r1", 1, "ada", "bob", maxHands=1)
        self._app = town.transport.apps.pop("http://tables")

    async def test_others_cannot_take_its_place_while_it_is_away(self, town: KeyedCasino) -> None:
        """Not with the fleet key alone; it is found again where it was."""
        await self._away(town)
        impostor, card = _impostor(town)
        key, other = town.key("r1"), RoomKey("r1")
        claims: tuple[dict[str, Any], ...] = (
            {},
            {"roomToken": "0" * 64},
            {"roomToken": key.table},
            {"roomToken": other.events},
            {"roomToken": town.seat_token("player-1")},
            {"roomToken": FLEET_KEY},
        )
        for claim in claims:
            for epoch in (None, 1, 2):
                given = {**claim, **({"epoch": epoch} if epoch else {})}
                await _announce(town, card, FLEET_KEY, tableId="r1", **given)
                assert await _announce(town, card, None, tableId="r1", **given) is Depth.DENIED
        await asyncio.sleep(0.1)
        assert impostor.told == []
        assert town.stored("r1").table_card_url == town.table_card(1)
        town.transport.apps["http://tables"] = self._app
        await town.operator().post("/v1/rooms/r1/start")
        await town.until("r1", "idle")
        assert town.stored("r1").epoch == 1

    async def test_the_room_s_own_right_leads_the_lobby(self, town: KeyedCasino) -> None:
        """The real table is followed to another address: the claims above could have been heard."""
        await self._away(town)
        town.transport.apps["http://elsewhere"] = self._app
        card = "http://elsewhere/tables/1/.well-known/agent-card.json"
        right = town.key("r1").events
        await _announce(town, card, FLEET_KEY, tableId="r1", epoch=1, roomToken=right)

        async def has_moved() -> bool:
            return town.stored("r1").table_card_url == card

        await eventually(has_moved, every=0.01)

    @pytest.mark.parametrize("has_successor", [True, False])
    async def test_a_table_that_was_replaced_is_not_followed(
        self, town: KeyedCasino, *, has_successor: bool
    ) -> None:
        """It knows the key of its own epoch only, and its successor has begun another.

        Where no table has taken the new epoch (the lobby ended before it had found one), the old
        table is still the room's.
        """
        await self._away(town)
        old = town.key("r1", 1).events
        room = town.stored("r1")
        begin_epoch(room)
        await town.store.save(room)
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
            right = town.key("r1", 2).events
            assert (await town.call(LOBBY, "recordGameEvent", begun, right)).depth is Depth.ANSWERED
        impostor, card = _impostor(town)
        await _announce(town, card, FLEET_KEY, tableId="r1", epoch=1, roomToken=old)
        if has_successor:
            await asyncio.sleep(0.2)
            assert impostor.told == []
        else:

            async def is_asked() -> bool:
                return bool(impostor.told)

            await eventually(is_asked, every=0.01)

    async def test_a_document_table_s_room_is_not_led_away(self) -> None:
        """While its table is away."""
        async with keyed_town(fleet_key=None) as town:
            card = town.agent("document", ImpostorTable().agent())
            body = {"roomId": "d1", "tableAgentCardUrl": card, "config": {**RULES, "seed": SEED}}
            assert (await town.operator().post("/v1/rooms", body)).status_code == 201
            del town.transport.apps["http://document"]
            impostor, elsewhere = _impostor(town)
            await _announce(town, elsewhere, None, tableId="d1")
            await asyncio.sleep(0.2)
            assert impostor.told == []


class TestGames:
    """What is played here is said by the fleet."""

    async def _version(self, town: KeyedCasino) -> str:
        town.time += 10
        games = (await town.operator().http.get("/api/games")).json()["games"]
        versions: dict[str, str] = {one["gameType"]: one["specVersion"] for one in games}
        return versions["kuhn_poker"]

    async def test_a_stranger_s_newer_version_changes_nothing(self, town: KeyedCasino) -> None:
        """Rules, schemas and prompts stay those of the fleet."""
        before = await self._version(town)
        _, card = _impostor(town, games=[GAME])
        assert await _announce(town, card) is Depth.DENIED
        assert await self._version(town) == before != "999.0.0"

    async def test_without_the_rule_the_first_description_stays(self) -> None:
        """Whoever offers a game later does not describe it."""
        async with keyed_town(lobby_rules=OpenLobby("announcing")) as town:
            before = await self._version(town)
            _, card = _impostor(town, games=[GAME])
            await _announce(town, card)
            assert await self._version(town) == before


class TestSharedTables:
    """One table, one room."""

    async def test_another_spelling_gives_no_second_room(self, town: KeyedCasino) -> None:
        """The table knows whom it serves: its room's key, or nobody's."""
        await town.play("r1", 1, "ada", "bob", maxHands=1)
        town.transport.apps["http://TABLES"] = town.transport.apps["http://tables"]
        for url in ("http://TABLES/tables/1/.well-known/agent-card.json", town.table_card(1)):
            body = {"roomId": "twin", "tableAgentCardUrl": url, "config": RULES}
            reply = await town.operator().post("/v1/rooms", body)
            assert reply.status_code in {403, 409}, reply.text
        assert town.store.room("twin") is None
        assert (await town.operator().room("r1")).summary is not None
