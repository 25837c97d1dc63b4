"""Calls of tables and lobbies that an attacker forges, by name, and its own table."""

from typing import Any

from casino.attack.target import Agent
from casino_agentkit import ANYONE
from casino_agentkit import Agent as KitAgent
from pydantic import BaseModel

from support.casino.keyed_casino import CASINO
from support.table.table_side import CONFIG

LOBBY = Agent("the lobby", "http://lobby")

MALLORY = "the-key-that-mallory-made"
CALLBACK = {
    "agentCardUrl": "http://mallory/.well-known/agent-card.json",
    "eventSkill": "recordGameEvent",
    "secret": MALLORY,
}
RULES = {name: value for name, value in CONFIG.items() if name != "seed"}
CONFIGURATION = {
    "tableId": "r1",
    "casinoName": CASINO,
    "config": RULES,
    "epoch": 1,
    "casinoCallback": CALLBACK,
}
HIGHER = {
    **CONFIGURATION,
    "epoch": 8,
    "seats": [
        {
            "playerId": "m",
            "displayName": "M",
            "seatNumber": 0,
            "stack": 9_000_000,
            "agentCardUrl": "http://mallory/",
        }
    ],
}
AT_TABLE: dict[str, tuple[str, Any]] = {
    "configureTable with a callback": ("configureTable", CONFIGURATION),
    "configureTable with a higher epoch": ("configureTable", HIGHER),
    "registerPlayer": (
        "registerPlayer",
        {
            "playerId": "m",
            "displayName": "M",
            "agentCardUrl": "http://mallory/",
            "actionSkill": "act",
            "startingStack": 200,
        },
    ),
    "startGame": ("startGame", {"maxHands": 5}),
    "leaveTable": ("leaveTable", {"playerId": "player-1"}),
    "handRecord": ("handRecord", {"handId": "r1/1"}),
    "handRecord of no hand": ("handRecord", {"handId": "r1/99"}),
    "closeTable": ("closeTable", {}),
}
EVENT = {
    "tableId": "r1",
    "eventType": "table_status",
    "message": "Mallory was here",
    "timestamp": "2026-01-01T00:00:00.000Z",
    "payload": {"status": "idle", "kind": "closed"},
}
AT_LOBBY: dict[str, tuple[str, Any]] = {
    "createRoom": ("createRoom", {"roomId": "m", "config": RULES}),
    "registerPlayer": ("registerPlayer", {"roomId": "r1", "agentCardUrl": "http://mallory/"}),
    "leaveRoom": ("leaveRoom", {"roomId": "r1", "playerId": "player-1"}),
    "startRoom": ("startRoom", {"roomId": "r1", "overrides": {"bigBlind": 1_000_000}}),
    "registerTable": ("registerTable", {"agentCardUrl": "http://mallory/"}),
    "recordGameEvent": ("recordGameEvent", EVENT),
    "recordGameEvent with numbers": ("recordGameEvent", {**EVENT, "epoch": 1, "sequence": 999}),
    "recordGameEvent as a batch": (
        "recordGameEvent",
        {"events": [{**EVENT, "epoch": 1, "sequence": 999}]},
    ),
}
WON = {"playerId": "player-1", "stack": 999_999}
FORGED_EVENTS: dict[str, tuple[str, dict[str, Any]]] = {
    "stacks": (
        "hand_completed",
        {
            "handNumber": 777,
            "communityCards": [],
            "pots": [],
            "shown": [],
            "stacks": [WON, {"playerId": "player-2", "stack": 1}],
        },
    ),
    "a given seat": (
        "player_registered",
        {
            "playerId": "player-1",
            "seatNumber": 0,
            "displayName": "Mallory",
            "stack": 200,
            "agentCardUrl": "http://mallory/",
        },
    ),
}


def forged_event(kind: str, room_id: str = "r1", **more: Any) -> dict[str, Any]:
    """Return an event of `FORGED_EVENTS`; `more` are further keys, as its number."""
    event_type, payload = FORGED_EVENTS[kind]
    return {
        "tableId": room_id,
        "eventType": event_type,
        "message": "Mallory was here",
        "timestamp": "2026-01-01T00:00:00.000Z",
        "payload": payload,
        **more,
    }


class Loose(BaseModel, extra="allow"):
    """Any JSON object."""


class OtherTable:
    """A table of somebody else, which takes every room and keeps what it receives."""

    def __init__(self) -> None:
        self.received: list[tuple[str, dict[str, Any]]] = []
        self.seats: list[dict[str, Any]] = []

    def agent(self) -> KitAgent:
        agent = KitAgent("Other table", "Knows only the document.")

        @agent.entrypoint("registerPlayer", who=ANYONE)
        async def register(given: Loose) -> Loose:
            player = given.model_dump()
            self.received.append(("registerPlayer", player))
            named = {name: player[name] for name in ("playerId", "displayName")}
            seat = {**named, "seatNumber": len(self.seats), "stack": player["startingStack"]}
            self.seats.append(seat)
            return Loose.model_validate(seat)

        for skill in ("configureTable", "startGame", "tableSummary"):

            @agent.entrypoint(skill, who=ANYONE)
            async def take(given: Loose, skill: str = skill) -> Loose:
                self.received.append((skill, given.model_dump()))
                status = {"tableId": "", "status": "waiting", "handCount": 0}
                return Loose.model_validate({**status, "players": self.seats})

        return agent
