"""Only tables with the fleet key get rooms, and a room keeps its table."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from casino.attack.binding_calls import BINDINGS, Depth
from casino_contracts import RoomKey
from casino_lobby.domain.room_fold import begin_epoch
from support.attack.forged_calls import LOBBY, RULES, OtherTable
from support.attack.undefended import OpenLobby
from support.casino.keyed_casino import FLEET_KEY, OPERATOR_KEY, KeyedCasino, keyed_casino
from support.processes import eventually

SEED = "the-seed-of-the-room"


@pytest.fixture
async def casino() -> AsyncIterator[KeyedCasino]:
    """Run two tables of the fleet and an impostor."""
    async with keyed_casino() as casino:
        yield casino


def _impostor(casino: KeyedCasino) -> tuple[OtherTable, str]:
    impostor = OtherTable()
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
        async with keyed_casino(lobby_rules=OpenLobby("announcing")) as casino:
            impostor, card = _impostor(casino)
            await _announce(casino, card)
            for number in (1, 2, 3):
                await _open(casino, f"r{number}")
            assert impostor.received[0][0] == "configureTable"
            assert impostor.received[0][1]["config"]["seed"] == SEED

    async def test_many_impostors_displace_no_table(self) -> None:
        async with keyed_casino(announced_tables=3) as casino:
            for number in range(10):
                url = f"http://impostor-{number}/.well-known/agent-card.json"
                assert await _announce(casino, url) is Depth.DENIED
            tables = (await casino.operator().http.get("/v1/tables")).json()["tables"]
            ours = [casino.table_card(1), casino.table_card(2)]
            assert [table["agentCardUrl"] for table in tables] == ours
            assert await _open(casino, "r1") == 201


class TestMovedTables:
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
        async with keyed_casino(fleet_key=None) as casino:
            card = casino.agent("document", OtherTable().agent())
            body = {"roomId": "d1", "tableAgentCardUrl": card, "config": {**RULES, "seed": SEED}}
            assert (await casino.operator().post("/v1/rooms", body)).status_code == 201
            del casino.transport.apps["http://document"]
            impostor, elsewhere = _impostor(casino)
            await _announce(casino, elsewhere, None, tableId="d1")
            await asyncio.sleep(0.2)
            assert impostor.received == []


class TestSharedTables:
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
