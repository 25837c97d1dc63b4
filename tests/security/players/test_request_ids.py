"""A request id cannot be taken from its owner."""

from casino.attack.attack_target import AttackedAgent
from casino.attack.binding_calls import Depth
from casino_agentkit.protocol import CARD_PATH
from support.attack.forged_calls import LOBBY, RULES
from support.attack.undefended import OpenLobby
from support.casino.keyed_casino import keyed_casino
from support.table.table_side import calling


async def test_a_refused_caller_does_not_use_up_a_request_id() -> None:
    async with keyed_casino() as casino:
        command = {"roomId": "r1", "config": RULES, "requestId": "deal:green:1"}
        stolen = {**command, "roomId": "mallory"}
        reply = await casino.call(LOBBY, "createRoom", stolen)
        assert reply.depth is Depth.DENIED
        opened = await casino.operator().post("/v1/rooms", command)
        assert opened.status_code == 201
        start = {"maxHands": 1, "requestId": "go"}
        await casino.call(casino.table(), "startGame", start)
        for name in ("ada", "bob"):
            casino.player(name, calling)
            assert (await casino.operator().seat(name)).status_code == 201
        table = AttackedAgent(
            "its table", casino.stored("r1").table_card_url.removesuffix(CARD_PATH)
        )
        started = await casino.call(table, "startGame", start, casino.key("r1").table)
        assert started.depth is Depth.ANSWERED
        await casino.until("r1", "idle")


async def test_without_the_rule_a_request_id_is_used_up() -> None:
    async with keyed_casino(lobby_rules=OpenLobby("commanding")) as casino:
        command = {"roomId": "r1", "config": RULES, "requestId": "deal:green:1"}
        await casino.call(LOBBY, "createRoom", {**command, "roomId": "mallory"})
        opened = await casino.operator().post("/v1/rooms", command)
        assert opened.status_code == 422
