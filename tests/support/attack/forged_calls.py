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
_PLAYER = {"playerId": "m", "displayName": "M", "agentCardUrl": "http://mallory/"}
HIGHER = {
    **CONFIGURATION,
    "epoch": 8,
    "seats": [{**_PLAYER, "seatNumber": 0, "stack": 9_000_000}],
}
AT_TABLE: dict[str, tuple[str, Any]] = {
    "configureTable with a callback": ("configureTable", CONFIGURATION),
    "configureTable with a higher epoch": ("configureTable", HIGHER),
    "registerPlayer": (
        "registerPlayer",
        {**_PLAYER, "actionSkill": "act", "startingStack": 200},
    ),
    "startGame": ("startGame", {"maxHands": 5}),
    "leaveTable": ("leaveTable", {"playerId": "player-1"}),
    "handRecord": ("handRecord", {"handId": "r1/1"}),
    "handRecord of no hand": ("handRecord", {"handId": "r1/99"}),
    "closeTable": ("closeTable", {}),
}
_STACKS = {"player-1": 999_999, "player-2": 1}
_PAYLOADS: dict[str, tuple[str, dict[str, Any]]] = {
    "an end": ("table_status", {"status": "idle", "kind": "closed"}),
    "stacks": (
        "hand_completed",
        {
            "handNumber": 777,
            "communityCards": [],
            "pots": [],
            "shown": [],
            "stacks": [{"playerId": one, "stack": stack} for one, stack in _STACKS.items()],
        },
    ),
    "a given seat": (
        "player_registered",
        {**_PLAYER, "playerId": "player-1", "seatNumber": 0, "stack": 200},
    ),
}


def forged_event(kind: str, room_id: str = "r1", **more: Any) -> dict[str, Any]:
    """Return an event of one of the kinds; `more` are further keys, as its number."""
    event_type, payload = _PAYLOADS[kind]
    return {
        "tableId": room_id,
        "eventType": event_type,
        "message": "Mallory was here",
        "timestamp": "2026-01-01T00:00:00.000Z",
        "payload": payload,
        **more,
    }


EVENT, NUMBERED = forged_event("an end"), forged_event("an end", epoch=1, sequence=999)
AT_LOBBY: dict[str, tuple[str, Any]] = {
    "createRoom": ("createRoom", {"roomId": "m", "config": RULES}),
    "registerPlayer": ("registerPlayer", {"roomId": "r1", "agentCardUrl": "http://mallory/"}),
    "leaveRoom": ("leaveRoom", {"roomId": "r1", "playerId": "player-1"}),
    "startRoom": ("startRoom", {"roomId": "r1", "overrides": {"bigBlind": 1_000_000}}),
    "registerTable": ("registerTable", {"agentCardUrl": "http://mallory/"}),
    "recordGameEvent": ("recordGameEvent", EVENT),
    "recordGameEvent with numbers": ("recordGameEvent", NUMBERED),
    "recordGameEvent as a batch": ("recordGameEvent", {"events": [NUMBERED]}),
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
