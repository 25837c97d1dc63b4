"""Seats, shown names and request ids cannot be taken from their owners."""

import pytest
from casino.attack.attacks.reply import Depth
from casino.attack.bindings import BINDINGS
from casino.attack.target import Agent
from support.attack.seated_player import Json
from support.attack.undefended import OpenLobby, OpenTable
from support.casino.keyed_casino import KeyedCasino, keyed_casino
from support.table.table_side import CONFIG, calling

CARD = "/.well-known/agent-card.json"
RULES = {name: value for name, value in CONFIG.items() if name != "seed"}
LOBBY = Agent("the lobby", "http://lobby")


class TestSquatting:
    SEAT: Json = {  # noqa: RUF012  never changed
        "playerId": "mallory",
        "displayName": "Mallory",
        "agentCardUrl": "http://mallory/",
        "actionSkill": "act",
        "startingStack": 200,
    }

    async def test_no_seat_is_taken_at_the_table_itself(self) -> None:
        """Neither without a token nor with a seat token."""
        async with keyed_casino() as casino:
            await casino.play("r1", 1, "ada", "bob", maxHands=1)
            for token in (None, casino.seat_token("player-1")):
                reply = await casino.call(casino.table(), "registerPlayer", self.SEAT, token)
                assert reply.depth is Depth.DENIED
            assert set(casino.stored().seats) == {"player-1", "player-2"}

    async def test_without_the_rule_a_seat_is_taken_at_the_table(self) -> None:
        async with keyed_casino(table_rules=OpenTable("playing")) as casino:
            await casino.play("r1", 1, "ada", "bob", maxHands=1)
            reply = await casino.call(casino.table(), "registerPlayer", self.SEAT)
            assert reply.depth is Depth.ANSWERED


class TestNames:
    @pytest.mark.parametrize("name", ["ada", "Ada", "\uff41\uff44\uff41", "ada\u200b"])
    async def test_names_that_look_the_same_are_numbered(self, name: str) -> None:
        async with keyed_casino() as casino:
            operator = casino.operator()
            await operator.open(seed=None)
            casino.player("ada", calling)
            casino.player("twin", calling, displayName=name)
            await operator.seat("ada")
            seated = (await operator.seat("twin")).json()
            assert seated["displayName"] not in {name, name.strip(), "ada"}


class TestRequestIds:
    async def test_a_refused_caller_does_not_use_up_a_request_id(self) -> None:
        async with keyed_casino() as casino:
            command = {"roomId": "r1", "config": RULES, "requestId": "deal:green:1"}
            for binding in BINDINGS[:1]:
                stolen = {**command, "roomId": "mallory"}
                reply = await casino.call(LOBBY, "createRoom", stolen, None, binding)
                assert reply.depth is Depth.DENIED
            opened = await casino.operator().post("/v1/rooms", command)
            assert opened.status_code == 201
            start = {"maxHands": 1, "requestId": "go"}
            await casino.call(casino.table(), "startGame", start)
            for name in ("ada", "bob"):
                casino.player(name, calling)
                assert (await casino.operator().seat(name)).status_code == 201
            right = casino.key("r1").table
            started = await casino.call(_table_of(casino), "startGame", start, right)
            assert started.depth is Depth.ANSWERED
            await casino.until("r1", "idle")

    async def test_without_the_rule_a_request_id_is_used_up(self) -> None:
        async with keyed_casino(lobby_rules=OpenLobby("commanding")) as casino:
            command = {"roomId": "r1", "config": RULES, "requestId": "deal:green:1"}
            await casino.call(LOBBY, "createRoom", {**command, "roomId": "mallory"})
            opened = await casino.operator().post("/v1/rooms", command)
            assert opened.status_code == 422


def _table_of(casino: KeyedCasino, room_id: str = "r1") -> Agent:
    url = casino.stored(room_id).table_card_url
    return Agent("its table", url.removesuffix(CARD))
