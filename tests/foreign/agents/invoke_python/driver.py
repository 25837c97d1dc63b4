"""Drives a lobby and a table through every entrypoint: `driver.py LOBBY TABLE PLAYER PLAYER`.

It knows the invoke profile and the protocol document alone. The arguments are card URLs. It is the
operator of the lobby, then a table of that lobby, then the lobby of the table; it prints a report
as JSON, or ends with an error.
"""

import json
import sys
import time
from datetime import UTC, datetime
from typing import Any

from invoke import Entrypoint, Failed, InvokeAgent, InvokeClient

OLDER, NEWER = InvokeClient(keeps_path=False), InvokeClient(keeps_path=True)
PATIENCE_S = 60.0
CONFIG = {
    "startingStack": 1_000,
    "smallBlind": 5,
    "bigBlind": 10,
    "minBuyIn": 100,
    "maxBuyIn": 1_000,
    "maxHands": 5,
    "maxSeats": 3,
    "seed": "every entrypoint",  # decks with which nobody loses all chips
}


def room_of(lobby: str, room_id: str, hands: int) -> dict[str, Any]:
    """Return a room's entry in the list once its session of so many hands is over."""
    ends_at = time.monotonic() + PATIENCE_S
    room: dict[str, Any] = {}
    while time.monotonic() < ends_at:
        rooms = OLDER.call(lobby, "listRooms", {})["rooms"]
        room = next(one for one in rooms if one["roomId"] == room_id)
        if (room["status"], room["handCount"]) == ("idle", hands):
            return room
        time.sleep(0.05)
    raise TimeoutError(f"the room did not end: {room}")


def as_operator(lobby: str, players: list[str]) -> dict[str, Any]:
    """Open a room at a table of the lobby, register the players and start it."""
    created = OLDER.call(lobby, "createRoom", {"roomId": "operated", "config": CONFIG})
    try:
        OLDER.call(lobby, "createRoom", {"roomId": "operated", "config": CONFIG})
        again = {}
    except Failed as failed:
        again = {"status": failed.status, "code": failed.body["error"]["code"]}
    seats = [
        OLDER.call(lobby, "registerPlayer", {"roomId": "operated", "agentCardUrl": card})
        for card in players
    ]
    overrides = {"maxHands": 3}
    started = OLDER.call(lobby, "startRoom", {"roomId": "operated", "overrides": overrides})
    room = room_of(lobby, "operated", hands=3)
    return {
        "created": created,
        "again": again,
        "seats": seats,
        "started": started,
        "room": room,
    }


class Table:
    """A table that deals nothing: it reports one hand, in the document's events."""

    def __init__(self) -> None:
        self.agent = InvokeAgent("Table")
        self.table_id = ""
        self.callback: dict[str, str] = {}
        self.seats: list[dict[str, Any]] = []
        self.status = "waiting"
        self.hands = 0
        for key, run in (
            ("configureTable", self.configure),
            ("registerPlayer", self.register),
            ("startGame", self.start),
            ("tableSummary", self.summary),
        ):
            self.agent.offer(key, Entrypoint({}, run))

    def configure(self, given: dict[str, Any]) -> dict[str, Any]:
        """Keep where events are sent to."""
        self.table_id, self.callback = given["tableId"], given["casinoCallback"]
        return self.summary({})

    def register(self, given: dict[str, Any]) -> dict[str, Any]:
        """Seat a player."""
        seat = {
            "playerId": given["playerId"],
            "seatNumber": len(self.seats),
            "displayName": given["displayName"],
            "stack": given["startingStack"],
        }
        self.seats.append(seat)
        return seat

    def start(self, _given: dict[str, Any]) -> dict[str, Any]:
        """Start; the events are reported afterwards."""
        self.status = "running"
        return self.summary({})

    def summary(self, _given: dict[str, Any]) -> dict[str, Any]:
        """Return the document's summary."""
        return {
            "tableId": self.table_id,
            "status": self.status,
            "handCount": self.hands,
            "players": self.seats,
        }

    def report(self) -> list[dict[str, Any]]:
        """Report one hand; return the lobby's answers."""
        self.hands, self.status = 1, "idle"
        kinds = ("hand_started", "hand_completed", "table_status")
        return [
            NEWER.call(
                self.callback["agentCardUrl"],
                self.callback["eventSkill"],
                {
                    "tableId": self.table_id,
                    "eventType": kind,
                    "message": f"reported {kind}",
                    "timestamp": datetime.now(UTC).isoformat(timespec="milliseconds"),
                    "payload": {"status": "idle"} if kind == "table_status" else {"handNumber": 1},
                },
            )
            for kind in kinds
        ]


def as_table(lobby: str, players: list[str]) -> dict[str, Any]:
    """Be the table of a room, and report a hand to the lobby."""
    table = Table()
    table.agent.start()
    created = NEWER.call(
        lobby,
        "createRoom",
        {"roomId": "reported", "tableAgentCardUrl": table.agent.card_url, "config": CONFIG},
    )
    for card in players:
        NEWER.call(lobby, "registerPlayer", {"roomId": "reported", "agentCardUrl": card})
    started = NEWER.call(lobby, "startRoom", {"roomId": "reported"})
    answers = table.report()
    room = room_of(lobby, "reported", hands=1)
    return {"created": created, "started": started, "answers": answers, "room": room}


def as_lobby(table: str, players: list[str]) -> dict[str, Any]:
    """Configure a table, seat the players, start it, and take its events."""
    events: list[dict[str, Any]] = []

    def record(event: dict[str, Any]) -> dict[str, Any]:
        events.append(event)
        return {"ok": True}

    lobby = InvokeAgent("Lobby")
    lobby.offer("recordGameEvent", Entrypoint({}, record))
    lobby.start()
    callback = {"agentCardUrl": lobby.card_url, "eventSkill": "recordGameEvent"}
    configured = OLDER.call(
        table,
        "configureTable",
        {"tableId": "t", "casinoName": "C", "config": CONFIG, "casinoCallback": callback},
    )
    seats = [
        OLDER.call(
            table,
            "registerPlayer",
            {
                "playerId": f"p{number}",
                "displayName": f"Player {number}",
                "agentCardUrl": card,
                "actionSkill": "act",
                "startingStack": 500,
            },
        )
        for number, card in enumerate(players)
    ]
    started = OLDER.call(table, "startGame", {"maxHands": 4})
    ends_at = time.monotonic() + PATIENCE_S
    summary = started
    while summary["status"] != "idle" and time.monotonic() < ends_at:
        time.sleep(0.05)
        summary = OLDER.call(table, "tableSummary", {})
    while sum(e["eventType"] == "hand_completed" for e in events) < summary["handCount"]:
        if time.monotonic() > ends_at:
            raise TimeoutError("events are missing")
        time.sleep(0.05)
    return {
        "configured": configured,
        "seats": seats,
        "started": started,
        "summary": summary,
        "kinds": [event["eventType"] for event in events],
    }


if __name__ == "__main__":
    its_lobby, its_table, *its_players = sys.argv[1:]
    report = {
        "operator": as_operator(its_lobby, its_players),
        "table": as_table(its_lobby, its_players),
        "lobby": as_lobby(its_table, its_players),
    }
    sys.stdout.write(json.dumps(report))
