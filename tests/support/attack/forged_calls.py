"""Calls of tables and lobbies that an attacker forges, by name, and its own table."""

from dataclasses import replace
from typing import Any

from casino.attack.attack_target import AttackedAgent, AttackedRoom
from casino.attack.forgery_attacks import calls_at_table, event_of, forgeries
from casino_agentkit import ANYONE, Agent
from pydantic import BaseModel

from support.casino.keyed_casino import CASINO
from support.table.table_side import CONFIG

LOBBY = AttackedAgent("the lobby", "http://lobby")

_CARD = "http://mallory/.well-known/agent-card.json"
RULES = {name: value for name, value in CONFIG.items() if name != "seed"}
_SEATS = tuple(
    {"playerId": f"player-{number + 1}", "seatNumber": number, "stack": 200} for number in range(2)
)
ROOM = AttackedRoom("r1", "r1", "texas-holdem", RULES, 1, 0, "idle", False, False, None, _SEATS, ())
"""The public facts of the first room that two players have played in."""
AT_TABLE = {
    **calls_at_table(ROOM, CASINO, _CARD),
    "record of no hand": ("handRecord", {"handId": "r1/99"}),
}
del AT_TABLE["summary"]  # which everybody may read
CONFIGURATION, HIGHER = AT_TABLE["rebind"][1], AT_TABLE["higher epoch"][1]


def forged_event(kind: str, room_id: str = "r1", **more: Any) -> dict[str, Any]:
    """Return a forged event of one of the kinds; `more` are further keys, as its number."""
    return event_of(replace(ROOM, table_id=room_id), *forgeries(_SEATS, _CARD)[kind], **more)


EVENT, NUMBERED = forged_event("closing"), forged_event("closing", epoch=1, sequence=999)
AT_LOBBY: dict[str, tuple[str, Any]] = {
    "createRoom": ("createRoom", {"roomId": "m", "config": RULES}),
    "registerPlayer": ("registerPlayer", {"roomId": "r1", "agentCardUrl": "http://mallory/"}),
    "leaveRoom": ("leaveRoom", {"roomId": "r1", "playerId": "player-1"}),
    "startRoom": ("startRoom", {"roomId": "r1", "overrides": {"bigBlind": 1_000_000}}),
    "registerTable": ("registerTable", {"agentCardUrl": "http://mallory/"}),
    "contribute": ("contribute", {"tableId": "r1", "block": "r1/1/9"}),
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

    def agent(self) -> Agent:
        agent = Agent("Other table", "Knows only the document.")

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
