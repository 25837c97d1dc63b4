"""Why a decision failed: the author and the operator learn it, and nobody else."""

import asyncio
import io
import json
from collections.abc import Iterator
from typing import Any

import pytest
from casino_agentkit import CommandRefused
from casino_contracts import (
    FAULT_REASON_LIMIT,
    ActionRequest,
    ActionResponse,
    HandRecord,
    Outcome,
    PlayerFaults,
    Reason,
)
from casino_lobby.app import SECRET_KEYS
from support.both_ways import BothWays
from support.captured_log import captured_log
from support.casino.casino_side import CasinoHarness, Operator
from support.casino.leak_auditor import Holes, LeakAuditor, cards_in
from support.casino.streams import TOKEN, live
from support.players.faulty_player import FaultyPlayer, faulty_player

FAULTS: dict[str, tuple[Outcome, str]] = {
    "failed task": ("malformed", "the task failed: the model is down xxx"),
    "second attempt": ("retried", "no JSON object"),
}
"""One that costs the turn, and one that does not; `test_newcomer_mistakes.py` has all reasons."""
HANDS = 4
PATH = "/v1/rooms/r1/players/player-1/faults"


class Session:
    """A session of a player with a fault against one that always calls."""

    def __init__(self, player: FaultyPlayer) -> None:
        self.player = player
        self.network = CasinoHarness(transport=BothWays(), operator_token=TOKEN)

    async def play(self) -> None:
        operator = Operator(self.network)
        await operator.open(
            maxHands=HANDS, maxSeats=2, actionTimeoutMs=10_000, maxTimeouts=2, rebuy="auto"
        )
        reply = await operator.post("/v1/rooms/r1/players", {"agentCardUrl": self.player.card_url})
        assert reply.status_code == 201, reply.text
        self.network.player("ada")
        await operator.seat("ada")
        await operator.idle_room()

    async def get(self, path: str, token: str | None = None) -> bytes:
        """Read from the lobby."""
        async with self.network.http(token) as http:
            reply = await http.get(path)
            assert reply.status_code == 200, reply.text
            return reply.content

    async def faults(self, token: str | None) -> PlayerFaults:
        return PlayerFaults.model_validate_json(await self.get(PATH, token))


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """Collect what lobby and table log."""
    with captured_log("casino", SECRET_KEYS) as stream:
        yield stream


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_reason_arrives_where_it_is_needed(log: io.StringIO, fault: str) -> None:
    """In event, record, log, and REST for operator and author; not in what is public."""
    outcome, wanted = FAULTS[fault]
    with faulty_player(fault) as player:
        session = Session(player)
        async with session.network.tables.running(), session.network.lobby.running():
            await session.play()
            public = (await session.get("/v1/rooms/r1/events?limit=5000")).decode()
            counts = await session.faults(None)
            of_operator = await session.faults(TOKEN)
            of_author = await session.faults(player.seat_token)
            room = session.network.store.room("r1")
            assert room is not None
            events = await session.network.store.events(room, 0, 5_000)
            records = [
                HandRecord.model_validate_json(
                    await session.get(f"/v1/rooms/r1/hands/{number}/record", TOKEN)
                )
                for number in range(1, HANDS + 1)
            ]

    acted = [
        payload
        for event in events
        if (payload := event.payload or {}).get("playerId") == "player-1"
        and event.event_type == "action_taken"
    ]
    reasons = [payload["reason"] for payload in acted if payload["outcome"] == outcome]
    assert reasons
    for reason in reasons:
        assert wanted in reason
        assert reason.isprintable()
        assert len(reason) <= FAULT_REASON_LIMIT

    decisions = [one for record in records for one in record.decisions]
    recorded = [one.reason for one in decisions if one.outcome == outcome]
    assert recorded == reasons
    lines = [json.loads(line) for line in log.getvalue().splitlines()]
    name = "decision_retried" if outcome == "retried" else "decision_missed"
    assert [line["reason"] for line in lines if line["event"] == name] == reasons

    assert '"reason"' not in json.dumps(
        [one for one in json.loads(public)["events"] if one["eventType"] == "action_taken"]
    )
    assert counts.faults is None
    assert counts.outcomes[outcome] == len(reasons)
    assert of_operator == of_author
    assert of_author.faults
    found = [one for one in of_author.faults if one.outcome == outcome]
    assert [one.reason for one in reversed(found)] == reasons
    assert found[-1].hand_number == 1
    assert found[-1].betting_round == "preflop"
    assert found[-1].latency_ms is not None

    away = [payload for payload in acted if payload["outcome"] == "sitting_out"]
    assert bool(away) == (outcome != "retried")
    assert all("latencyMs" not in payload for payload in away)
    assert counts.outcomes.get("sitting_out", 0) == len(away)
    sitting_out = [one for one in of_author.faults if one.outcome == "sitting_out"]
    assert sum(one.turns for one in sitting_out) == len(away)
    assert all("sits out after" in (one.reason or "") for one in sitting_out)
    assert any(line["event"] == "sat_out" for line in lines) == bool(away)


async def test_only_operator_and_player_read_reasons() -> None:
    """Another player's token, a wrong key and no key do not open them."""
    with faulty_player("prose") as player, faulty_player("error") as other:
        session = Session(player)
        network = session.network
        async with network.tables.running(), network.lobby.running():
            operator = Operator(network)
            await operator.open(maxHands=2, maxSeats=2)
            for seated in (player, other):
                await operator.post("/v1/rooms/r1/players", {"agentCardUrl": seated.card_url})
            await operator.idle_room()
            for token in (other.seat_token, TOKEN[:-1], "x"):
                async with network.http(token) as http:
                    reply = await http.get(PATH)
                assert reply.status_code == 401
                assert "JSON" not in reply.text
            assert (await session.faults(None)).faults is None
            assert (await session.faults(player.seat_token)).faults
            async with network.http(TOKEN) as http:
                reply = await http.get(PATH)
                assert reply.headers["cache-control"] == "no-store"
                missing = await http.get(PATH.replace("player-1", "player-9"))
            assert missing.json()["type"] == "/problems/player-not-found"


async def test_a_lobby_without_a_key_shows_reasons_to_the_player_and_its_console() -> None:
    """Everybody there may command, but cards that were not shown are for nobody."""
    with faulty_player("prose") as player:
        network = CasinoHarness(transport=BothWays(), faults_token="the-key-of-the-console")
        async with network.tables.running(), network.lobby.running():
            operator = Operator(network)
            await operator.open(maxHands=1, maxSeats=2)
            await operator.post("/v1/rooms/r1/players", {"agentCardUrl": player.card_url})
            network.player("ada")
            await operator.seat("ada")
            await operator.idle_room()
            shown = {}
            for token in ("", "anything", "the-key-of-the-console", player.seat_token):
                async with network.http(token) as http:
                    shown[token] = "faults" in (await http.get(PATH)).json()
            assert list(shown.values()) == [False, False, True, True]


async def test_a_quoted_card_stays_private_while_it_matters() -> None:
    """A player that quotes its hole cards in an error gives them to nobody in public."""

    def quoting(request: ActionRequest) -> ActionResponse:
        held = " ".join(card.text for card in request.hole_cards)
        raise CommandRefused(Reason.DRAINING, f"holding {held}")

    network = CasinoHarness(operator_token=TOKEN)
    async with network.tables.running(), network.lobby.running():
        operator = Operator(network)
        await operator.open(maxHands=30, maxSeats=3, rebuy="auto", maxTimeouts=100)
        async with live(network.lobby, network.store) as lobby:
            asked_now: list[PlayerFaults] = []

            async def looking(request: ActionRequest) -> ActionResponse:
                """Look at the faults of the hand that runs, as the operator."""
                await asyncio.sleep(0.05)  # until the lobby has the decision before this one
                asked_now.append(
                    PlayerFaults.model_validate_json((await operator.http.get(PATH)).content)
                )
                return ActionResponse(
                    action="check" if "check" in request.legal_actions else "call"
                )

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
                    *(f"/v1/rooms/r1/hands/{number}" for number in range(1, 31)),
                )
            ]
            events = (await http.get("/v1/rooms/r1/events?limit=5000")).json()["events"]
        holes: Holes = {}
        for number in range(1, 31):
            record = (await operator.http.get(f"/v1/rooms/r1/hands/{number}/record")).json()
            holes[record["handId"]] = {
                one["playerId"]: set(cards_in(one)) for one in record["holeCards"]
            }
        of_operator = PlayerFaults.model_validate_json((await operator.http.get(PATH)).content)

    auditor = LeakAuditor(holes)
    auditor.learn(events)
    auditor.audit([found, events, [sent.data for sent in streamed]])
    assert of_operator.faults
    assert len(of_operator.faults) == 20
    assert all("holding " in (one.reason or "") for one in of_operator.faults)
    of_running = [faults for faults in asked_now if faults.faults and not faults.faults[0].reason]
    assert of_running, "the reason of a running hand is held back"
