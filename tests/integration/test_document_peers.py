"""Peers that know only the protocol document work with ours, in both directions."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest
from casino_agentkit import ANYONE, Agent
from casino_contracts import (
    ActionRequest,
    ActionResponse,
    NoInput,
    RecordGameEventOutput,
    StartGameInput,
    TableEventBatch,
)
from pydantic import BaseModel
from support.casino.casino_side import LOBBY, CasinoHarness, Operator, casino_town
from support.table.table_harness import TableHarness
from support.table.table_side import CONFIG, calling, seating

SOON = timedelta(seconds=5)


class Loose(BaseModel, extra="allow"):
    """Any object."""


class DocumentTable:
    """A table of the document: no sequence, no epoch, no closeTable; it answers when it is done."""

    def __init__(self, town: CasinoHarness) -> None:
        self.town = town
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
        """Return a TableSummary of the document."""
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
        peer = await self.town.client().resolve(player["agentCardUrl"], timeout=SOON)
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
        """Publish an event as the document has it."""
        callback = self.configured["casinoCallback"]
        lobby = await self.town.client().resolve(callback["agentCardUrl"], timeout=SOON)
        event = {
            "tableId": self.configured["tableId"],
            "eventType": kind,
            "message": kind,
            "timestamp": "2026-01-01T00:00:00.000Z",
            "payload": payload,
        }
        await lobby.call(callback["eventSkill"], Loose.model_validate(event), Loose, timeout=SOON)


@pytest.fixture
async def town() -> AsyncIterator[CasinoHarness]:
    """Run a casino."""
    async with casino_town() as town:
        yield town


async def test_a_document_table_plays_for_our_lobby(town: CasinoHarness) -> None:
    """Under its own skill names; its events are numbered by arrival."""
    table = DocumentTable(town)
    card = town.agent("document", table.agent())
    operator = Operator(town)
    skills = {"configure": "setUp", "register": "join", "start": "go", "summary": "state"}
    body = {
        "roomId": "r1",
        "tableAgentCardUrl": card,
        "tableAgentSkills": skills,
        "config": {**CONFIG, "maxSeats": 2},
    }
    assert (await operator.post("/v1/rooms", body)).status_code == 201
    for name in ("ada", "bob"):
        town.player(name)
        assert (await operator.seat(name)).status_code == 201
    while (await operator.room()).events[-1].event_type != "hand_completed":
        await asyncio.sleep(0)
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
    while (await operator.room()).state != "closed":
        await asyncio.sleep(0)


async def test_our_table_plays_for_a_document_lobby() -> None:
    """It confirms events without a number, one at a time or in batches."""
    evening = TableHarness()
    taken: list[dict[str, Any]] = []
    lobby = Agent("Document lobby", "Knows only the document.")

    @lobby.entrypoint("recordGameEvent", who=ANYONE)
    async def record(given: TableEventBatch) -> RecordGameEventOutput:
        taken.extend(event.model_dump() for event in given.events)
        return RecordGameEventOutput()

    evening.town.add("lobby", lobby)
    await evening.begin(calling, calling, rules={"maxHands": 3})
    await evening.host.start(StartGameInput())
    now = evening.host._active
    assert now is not None
    assert now.playing is not None
    await asyncio.wait([now.playing])
    assert await now.publisher.flush(SOON)
    assert [event["sequence"] for event in taken] == list(range(1, len(taken) + 1))
    await evening.host.stop()


async def test_a_document_player_is_asked_what_it_knows() -> None:
    """The nine fields are there and valid; what is more may be ignored."""
    evening = TableHarness()
    asked: list[dict[str, Any]] = []

    class NineFields(BaseModel, extra="ignore"):
        """The document's request, in a stranger's words."""

        tableId: str  # noqa: N815  the wire's names
        bettingRound: str  # noqa: N815
        communityCards: list[dict[str, str]]  # noqa: N815
        holeCards: list[dict[str, str]]  # noqa: N815
        pot: float
        minimumRaise: float  # noqa: N815
        currentBet: float  # noqa: N815
        playerStack: float  # noqa: N815
        legalActions: list[str]  # noqa: N815

    stranger = Agent("Stranger", "Knows nine fields.")

    @stranger.entrypoint("act", who=ANYONE)
    async def act(request: NineFields) -> Loose:
        asked.append(request.model_dump())
        action = "check" if "check" in request.legalActions else "call"
        return Loose.model_validate({"action": action, "mood": "fine"})

    await evening.begin(calling, rules={"maxHands": 5})
    evening.town.add("p1", stranger)
    await evening.host.register(seating(1, "http://p1/.well-known/agent-card.json"))
    summary = await evening.play()
    assert summary.hand_count == 5
    assert len(asked) > 10
    outcomes = {(event.payload or {})["outcome"] for event in evening.events("action_taken")}
    assert outcomes == {"ok"}
    assert ActionRequest.model_validate(asked[0]).request_id is None
    assert ActionResponse.model_validate({"action": "check", "mood": "fine"}).action == "check"
    assert NoInput.model_validate({"anything": 1}) == NoInput()
    await evening.host.stop()
