"""Why a decision failed: the author and the operator learn it, and nobody else.

`test_newcomer_mistakes.py` has the reasons, and where else an author and an operator read them.
"""

import asyncio
from typing import Any

from casino_agentkit import CommandRefused
from casino_contracts import (
    FAULT_REASON_LIMIT,
    ActionRequest,
    ActionResponse,
    PlayerFaults,
    Reason,
    seat_token,
)
from support.casino.casino_side import CasinoHarness, Operator, casino_harness
from support.casino.leak_auditor import Holes, LeakAuditor, cards_in
from support.casino.streams import TOKEN, live
from support.table.table_side import calling

HANDS = 30
PATH = "/v1/rooms/r1/players/player-1/faults"


def quoting(request: ActionRequest) -> ActionResponse:
    """Fail with a reason that names the hole cards."""
    held = " ".join(card.text for card in request.hole_cards)
    raise CommandRefused(Reason.DRAINING, f"holding {held}")


def token_of(player_id: str, network: CasinoHarness) -> str:
    room = network.store.room("r1")
    assert room is not None
    return seat_token(room.secret, player_id)


async def faults(network: CasinoHarness, token: str | None) -> PlayerFaults:
    async with network.http(token) as http:
        reply = await http.get(PATH)
        assert reply.status_code == 200, reply.text
        assert token is None or reply.headers["cache-control"] == "no-store"
        return PlayerFaults.model_validate_json(reply.content)


async def test_a_quoted_card_is_read_by_its_player_and_the_operator_alone() -> None:
    """A player that quotes its hole cards in an error gives them to nobody in public."""
    async with casino_harness(operator_token=TOKEN) as network:
        operator = Operator(network)
        await operator.open(maxHands=HANDS, maxSeats=3, rebuy="auto", maxTimeouts=100)
        async with live(network.lobby, network.store) as lobby:
            asked_now: list[PlayerFaults] = []

            async def looking(request: ActionRequest) -> ActionResponse:
                """Look at the faults of the hand that runs, as the operator."""
                await asyncio.sleep(0.05)  # until the lobby has the decision before this one
                asked_now.append(await faults(network, TOKEN))
                return calling(request)

            network.player("quoting", quoting)
            network.player("looking", looking)
            network.player("ada")
            async with lobby.stream("/v1/rooms/r1/stream") as client:
                for name in ("quoting", "looking", "ada"):
                    assert (await operator.seat(name)).status_code == 201
                streamed = await client.until(
                    lambda sent: (
                        (sent.data.get("event", {}).get("payload") or {}).get("kind") == "finished"
                    )
                )
        async with network.http() as http:
            found: list[Any] = [
                (await http.get(path)).json()
                for path in (
                    "/v1/rooms/r1",
                    "/v1/rooms/r1/hands?limit=1000",
                    PATH,
                    *(f"/v1/rooms/r1/hands/{number}" for number in range(1, HANDS + 1)),
                )
            ]
            events = (await http.get("/v1/rooms/r1/events?limit=5000")).json()["events"]
        holes: Holes = {}
        for number in range(1, HANDS + 1):
            record = (await operator.http.get(f"/v1/rooms/r1/hands/{number}/record")).json()
            holes[record["handId"]] = {
                one["playerId"]: set(cards_in(one)) for one in record["holeCards"]
            }
        of_operator = await faults(network, TOKEN)
        assert await faults(network, token_of("player-1", network)) == of_operator
        assert (await faults(network, None)).faults is None
        for token in (token_of("player-2", network), TOKEN[:-1], "x"):
            async with network.http(token) as http:
                reply = await http.get(PATH)
            assert (reply.status_code, "holding" in reply.text) == (401, False)

    auditor = LeakAuditor(holes)
    auditor.learn(events)
    auditor.audit([found, events, [sent.data for sent in streamed]])
    assert of_operator.faults
    assert len(of_operator.faults) == 20
    for one in of_operator.faults:
        assert one.reason is not None
        assert "holding " in one.reason
        assert one.reason.isprintable()
        assert len(one.reason) <= FAULT_REASON_LIMIT
    of_running = [found for found in asked_now if found.faults and not found.faults[0].reason]
    assert of_running, "the reason of a running hand is held back"


async def test_a_lobby_without_a_key_shows_reasons_to_the_player_and_its_console() -> None:
    """Everybody there may command, but cards that were not shown are for nobody."""
    async with casino_harness(faults_token="the-key-of-the-console") as network:
        operator = Operator(network)
        await operator.open(maxHands=1, maxSeats=2)
        network.player("quoting", quoting)
        network.player("ada")
        for name in ("quoting", "ada"):
            await operator.seat(name)
        await operator.idle_room()
        tokens = (None, "anything", "the-key-of-the-console", token_of("player-1", network))
        shown = [(await faults(network, token)).faults is not None for token in tokens]
        assert shown == [False, False, True, True]
