"""Peers of the protocol document: a table with skills of other names, and a strict lobby.

Those without any package of ours are in `tests/foreign/document_peers`.
"""

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest
from casino_agentkit import ANYONE, Agent
from casino_contracts import StartGameInput
from pydantic import BaseModel
from support.casino.casino_side import LOBBY, CasinoHarness, Operator, casino_harness
from support.processes import eventually
from support.table.table_harness import TableHarness
from support.table.table_side import CONFIG, calling

SOON = timedelta(seconds=5)


class Loose(BaseModel, extra="allow"):
    """Any object."""


class DocumentTable:
    """A table of the document, without sequence, epoch and closeTable."""

    def __init__(self, network: CasinoHarness) -> None:
        self.network = network
        self.configured: dict[str, Any] = {}
        self.players: list[dict[str, Any]] = []

    def agent(self) -> Agent:
        """Return it as an agent, with skills of other names."""
        agent = Agent("Document table", "Knows only the document.")

        @agent.entrypoint("setUp", who=ANYONE)
        async def set_up(given: Loose) -> Loose:
            self.configured = given.model_dump()
            return self.summary("waiting", 0)

        @agent.entrypoint("join", who=ANYONE)
        async def join(given: Loose) -> Loose:
            seat = {
                "playerId": given.model_dump()["playerId"],
                "seatNumber": len(self.players),
                "displayName": given.model_dump()["displayName"],
                "stack": given.model_dump()["startingStack"],
            }
            self.players.append({**seat, "agentCardUrl": given.model_dump()["agentCardUrl"]})
            await self.tell("player_registered", **seat)
            return Loose.model_validate(seat)

        @agent.entrypoint("go", who=ANYONE)
        async def go(_given: Loose) -> Loose:
            await self.tell("hand_started", maxHands=1)
            for player in self.players:
                await self.ask(player)
            await self.tell("hand_completed", handsPlayed=1)
            return self.summary("idle", 1)

        @agent.entrypoint("state", who=ANYONE)
        async def state(_given: Loose) -> Loose:
            return self.summary("idle", 1)

        return agent

    def summary(self, status: str, hands: int) -> Loose:
        seats = [
            {key: value for key, value in player.items() if key != "agentCardUrl"}
            for player in self.players
        ]
        return Loose.model_validate(
            {
                "tableId": self.configured["tableId"],
                "status": status,
                "handCount": hands,
                "players": seats,
            }
        )

    async def ask(self, player: dict[str, Any]) -> None:
        """Ask with exactly the document's nine fields."""
        peer = await self.network.client().resolve(player["agentCardUrl"], timeout=SOON)
        question = {
            "tableId": "t",
            "bettingRound": "preflop",
            "communityCards": [],
            "holeCards": [{"rank": "Q", "suit": "diamonds"}, {"rank": "T", "suit": "diamonds"}],
            "pot": 3,
            "minimumRaise": 2,
            "currentBet": 2,
            "playerStack": 200,
            "legalActions": ["call", "raise", "fold"],
        }
        answer = await peer.call("act", Loose.model_validate(question), Loose, timeout=SOON)
        await self.tell("action_taken", playerId=player["playerId"], **answer.model_dump())

    async def tell(self, kind: str, **payload: Any) -> None:
        """Publish an event of the document."""
        callback = self.configured["casinoCallback"]
        lobby = await self.network.client().resolve(callback["agentCardUrl"], timeout=SOON)
        event = {
            "tableId": self.configured["tableId"],
            "eventType": kind,
            "message": kind,
            "timestamp": "2026-01-01T00:00:00.000Z",
            "payload": payload,
        }
        await lobby.call(callback["eventSkill"], Loose.model_validate(event), Loose, timeout=SOON)


@pytest.fixture
async def network() -> AsyncIterator[CasinoHarness]:
    async with casino_harness() as network:
        yield network


async def test_a_document_table_plays_for_our_lobby(network: CasinoHarness) -> None:
    """With skills of other names; its events are numbered by arrival."""
    table = DocumentTable(network)
    card = network.agent("document", table.agent())
    operator = Operator(network)
    skills = {"configure": "setUp", "register": "join", "start": "go", "summary": "state"}
    body = {
        "roomId": "r1",
        "tableAgentCardUrl": card,
        "tableAgentSkills": skills,
        "config": {**CONFIG, "maxSeats": 2},
    }
    assert (await operator.post("/v1/rooms", body)).status_code == 201
    for name in ("ada", "bob"):
        network.player(name)
        assert (await operator.seat(name)).status_code == 201

    async def is_completed() -> bool:
        return (await operator.room()).events[-1].event_type == "hand_completed"

    await eventually(is_completed, every=0)
    room = await operator.room()
    assert [event.sequence for event in room.events] == list(range(1, len(room.events) + 1))
    kinds = [event.event_type for event in room.events]
    assert kinds == [
        "player_registered", "player_registered", "hand_started",
        "action_taken", "action_taken", "hand_completed",
    ]  # fmt: skip
    assert room.summary is not None
    assert [seat.display_name for seat in room.summary.players] == ["ada", "bob"]
    assert table.configured["casinoCallback"]["agentCardUrl"].startswith(LOBBY)
    closing = await operator.http.delete("/v1/rooms/r1")
    assert closing.status_code == 202

    async def is_closed() -> bool:
        return (await operator.room()).state == "closed"

    await eventually(is_closed, every=0)


class StrictEvent(BaseModel, extra="forbid", strict=True):
    """The document's `tableEventSchema`, of a lobby that refuses other fields."""

    tableId: str  # noqa: N815  the wire's names
    eventType: str  # noqa: N815
    message: str
    timestamp: str
    payload: dict[str, Any] | None = None


async def test_our_table_plays_for_a_strict_document_lobby() -> None:
    """It gets one event a call, each once and in order, without fields of ours."""
    harness = TableHarness()
    taken: list[StrictEvent] = []
    lobby = Agent("Document lobby", "Knows only the document.")

    @lobby.entrypoint("recordGameEvent", who=ANYONE)
    async def record(event: StrictEvent) -> Loose:
        taken.append(event)
        return Loose()

    harness.network.add("lobby", lobby)
    await harness.begin(calling, calling, rules={"maxHands": 3})
    await harness.host.start(StartGameInput())
    await harness.end()
    kinds = [event.eventType for event in taken]
    assert kinds[:4] == ["table_status", "player_registered", "player_registered", "table_status"]
    hands = [kind for kind in kinds if kind in {"hand_started", "hand_completed"}]
    assert hands == ["hand_started", "hand_completed"] * 3
    contents = [event.model_dump_json() for event in taken]
    assert len(contents) == len(set(contents))
    await harness.host.stop()
