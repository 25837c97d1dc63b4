"""Who may configure a table without a room, and for how long a room's rights hold."""

from typing import Any

import orjson
import pytest
from casino.attack.binding_calls import BINDINGS, Depth
from casino.attack.forgery_attacks import OURS
from casino_agentkit import InvalidSettings
from casino_contracts import RoomKey
from casino_lobby.domain.room_fold import begin_epoch
from casino_table.settings import TableSettings
from support.attack.forged_calls import AT_TABLE, CONFIGURATION, EVENT, HIGHER, LOBBY
from support.casino.keyed_casino import FLEET_KEY, OPERATOR_KEY, KeyedCasino, keyed_casino
from support.table.table_side import CONFIG


class TestFreeTables:
    async def test_a_free_table_needs_the_fleet_key(self) -> None:
        """All other tokens are refused over every binding."""
        async with keyed_casino() as casino:
            given = {**CONFIGURATION, "tableId": "mine"}
            for token in (None, "sesame", OPERATOR_KEY, RoomKey(OURS).table):
                for binding in BINDINGS:
                    reply = await casino.call(
                        casino.table(), "configureTable", given, token, binding
                    )
                    is_here = not binding.name.startswith("streaming")
                    assert reply.depth is (Depth.DENIED if is_here else Depth.ABSENT), binding.name
            reply = await casino.call(casino.table(), "configureTable", given, FLEET_KEY)
            assert reply.depth is Depth.ANSWERED

    async def test_without_a_fleet_key_the_first_lobby_gets_the_table(self) -> None:
        """A second lobby is refused while somebody sits there."""
        async with keyed_casino(fleet_key=None) as casino:
            await casino.operator().open()
            casino.player("ada")
            await casino.operator().seat("ada")
            for given in (CONFIGURATION, HIGHER):
                reply = await casino.call(casino.table(), "configureTable", given)
                assert reply.depth is Depth.DENIED

    async def test_a_room_that_everybody_left_keeps_its_records(self) -> None:
        """Another lobby that takes the table cannot read them."""
        async with keyed_casino(fleet_key=None) as casino:
            await casino.play("r1", 1, "ada", "bob", maxHands=2)
            for number in (1, 2):
                await casino.operator().http.delete(f"/v1/rooms/r1/players/player-{number}")
            taken = {**CONFIGURATION, "epoch": 2, "continuation": {"handNumber": 2, "handCount": 2}}
            await casino.call(casino.table(), "configureTable", taken)
            key = RoomKey(OURS).table
            record = await casino.call(casino.table(), "handRecord", {"handId": "r1/1"}, key)
            assert record.depth is not Depth.ANSWERED, record.data["holeCards"]

    async def test_beyond_loopback_a_fleet_key_is_required(self) -> None:
        with pytest.raises(InvalidSettings, match="CASINO_TABLE_FLEET_KEY"):
            TableSettings.load({"CASINO_TABLE_HOST": "0.0.0.0"})
        given = {"CASINO_TABLE_HOST": "0.0.0.0", "CASINO_TABLE_FLEET_KEY": "k" * 32}
        assert TableSettings.load(given).fleet_key is not None


class TestVisitors:
    """What others than the lobby may do at the table of a room, which the lobby decides."""

    async def test_a_lobby_that_others_cannot_read_has_tables_that_say_no_more(self) -> None:
        async with keyed_casino(readers="operator") as casino:
            await casino.play_two_rooms(hands=1)
            summary = (await casino.call(casino.table(), "tableSummary", {})).data
            assert summary["players"] == []
            assert "message" not in summary
            right = casino.key().table
            own = (await casino.call(casino.table(), "tableSummary", {}, right)).data
            assert len(own["players"]) == 2

    @pytest.mark.parametrize(
        ("lobby", "room", "headers", "may_sit"),
        [
            ({"operator_token": None}, {}, {}, True),
            ({"operator_token": None}, {"seats": "invited"}, {}, False),
            ({"operator_token": None}, {}, {"X-Forwarded-For": "203.0.113.7"}, False),
            ({}, {}, {}, False),
        ],
    )
    async def test_others_sit_down_at_the_table_where_they_may_command_its_lobby(
        self, lobby: dict[str, Any], room: dict[str, Any], headers: dict[str, str], *, may_sit: bool
    ) -> None:
        """The lobby learns of the seat and its buy-in by the table's event."""
        async with keyed_casino(**lobby) as casino:
            operator = casino.operator()
            rules = {"tableAgentCardUrl": casino.table_card(1), "config": {**CONFIG, "maxSeats": 3}}
            await operator.open_room({"roomId": "r1", **rules, **room})
            ada = {
                "playerId": "ada",
                "displayName": "Ada",
                "agentCardUrl": casino.player("ada"),
                "actionSkill": "act",
                "startingStack": 150,
            }
            url = "http://tables/tables/1/entrypoints/registerPlayer/invoke"
            reply = await casino.traffic.send(
                "POST", url, headers=headers, content=orjson.dumps({"input": ada})
            )
            assert (reply.status == 200) is may_sit, reply.body
            if not may_sit:
                assert (await operator.room()).summary.players == ()  # type: ignore[union-attr]
                return
            casino.player("bob")
            assert (await operator.seat("bob")).status_code == 201
            seated = await operator.until(lambda room: len(room.summary.players) == 2)  # type: ignore[union-attr]
            assert {seat.display_name: seat.stack for seat in seated.summary.players} == {  # type: ignore[union-attr]
                "Ada": 150,
                "bob": 200,
            }
            assert (await operator.post("/v1/rooms/r1/start")).status_code == 202
            await operator.idle_room()
            assert casino.players["ada"].asked
            audit = await operator.audit("r1")
            assert (sum(audit.stacks.values()), audit.bought) == (350, 350)


class TestEpochs:
    async def test_the_key_of_the_last_epoch_is_refused(self) -> None:
        async with keyed_casino() as casino:
            await casino.play_two_rooms(hands=1)
            await self._moved_on(casino)

    async def _moved_on(self, casino: KeyedCasino) -> None:
        room = casino.stored()
        old = room.key(1)
        seats, continuation = begin_epoch(room)
        await casino.store.save(room)
        given = {
            **CONFIGURATION,
            "config": room.config.model_dump(mode="json"),
            "epoch": 2,
            "seats": [seat.model_dump(mode="json") for seat in seats],
            "continuation": continuation.model_dump(mode="json"),
            "casinoCallback": {
                "agentCardUrl": "http://lobby/.well-known/agent-card.json",
                "eventSkill": "recordGameEvent",
                "secret": room.key(2).secret,
            },
        }
        taken = await casino.call(casino.table(), "configureTable", given, old.table)
        assert taken.depth is Depth.ANSWERED, taken
        for name, (skill, data) in AT_TABLE.items():
            reply = await casino.call(casino.table(), skill, data, old.table)
            assert (reply.depth, reply.reason) == (Depth.DENIED, "FORBIDDEN"), name
        for event in (
            {**EVENT, "epoch": 2, "sequence": 999},
            {**EVENT, "epoch": 1, "sequence": 999},
            EVENT,
        ):
            reply = await casino.call(LOBBY, "recordGameEvent", event, old.events)
            assert reply.reason in {"FORBIDDEN", "STALE_EPOCH"}
        new = await casino.call(casino.table(), "leaveTable", {"playerId": "x"}, room.key(2).table)
        assert new.reason == "UNKNOWN_PLAYER"
