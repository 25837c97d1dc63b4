"""Who may configure a table without a room, and for how long a room's rights hold."""

import pytest
from casino.attack.binding_calls import BINDINGS, Depth
from casino.attack.forgery_attacks import OURS
from casino_agentkit import InvalidSettings
from casino_contracts import RoomKey
from casino_lobby.domain.room_fold import begin_epoch
from casino_table.settings import TableSettings
from support.attack.forged_calls import AT_TABLE, CONFIGURATION, EVENT, HIGHER, LOBBY
from support.casino.keyed_casino import FLEET_KEY, OPERATOR_KEY, KeyedCasino, keyed_casino


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
