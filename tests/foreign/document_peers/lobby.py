"""A casino lobby: rooms at table agents, sign-ups, and the record of events."""

import json
import threading
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from foreign.document_peers import shapes
from foreign.document_peers.document_agent import DocumentAgent
from foreign.document_peers.wires import Wire

_SKILLS = {
    "configure": "configureTable",
    "register": "registerPlayer",
    "start": "startGame",
    "summary": "tableSummary",
}
_EVENT_FIELDS = ("tableId", "eventType", "message", "timestamp", "payload")


@dataclass
class Room:
    """One room: its table, and what its table has reported."""

    room_id: str
    table_id: str
    table_card: str
    skills: dict[str, str]
    config: dict[str, Any]
    players: list[dict[str, Any]] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    is_playing_hand: bool = False
    bought_in: float = 0

    def hands(self) -> int:
        """Return how many hands were completed."""
        return sum(event["eventType"] == "hand_completed" for event in self.events)


class DocumentLobby(DocumentAgent):
    """The casino lobby agent, with the document's five entrypoints.

    `follows_hands`: every hand of its tables begins and ends with an event.
    """

    def __init__(self, wire: Wire, *, follows_hands: bool = True) -> None:
        super().__init__("Document casino", wire)
        self._follows_hands = follows_hands
        self.rooms: dict[str, Room] = {}
        self._names = count(1)
        self._lock = threading.Lock()
        self.offer("createRoom", shapes.CREATE_ROOM, self.create_room)
        self.offer("registerPlayer", shapes.LOBBY_REGISTER, self.register_player)
        self.offer("recordGameEvent", shapes.TABLE_EVENT, self._record)
        self.offer("startRoom", shapes.START_ROOM, self.start_room)
        self.offer("listRooms", shapes.ANYTHING, self._list_rooms)

    def create_room(self, request: dict[str, Any]) -> dict[str, Any]:
        """Configure a table agent for a new room."""
        name = request.get("roomId") or f"room-{next(self._names)}"
        room = Room(
            name,
            request.get("tableId") or name,
            request["tableAgentCardUrl"],
            {**_SKILLS, **request.get("tableAgentSkills", {})},
            request["config"],
        )
        self.rooms[name] = room
        self._table(
            room,
            "configure",
            {
                "tableId": room.table_id,
                "casinoName": self.name,
                "config": room.config,
                "casinoCallback": {"agentCardUrl": self.card_url, "eventSkill": "recordGameEvent"},
            },
        )
        return {"roomId": name, "config": room.config, "summary": self.summary(name)}

    def register_player(self, request: dict[str, Any]) -> dict[str, Any]:
        """Sign a player up and have it seated; the last seat starts the room."""
        room = self.rooms[request["roomId"]]
        config = room.config
        invitation = {
            "casinoName": self.name,
            "tableId": room.table_id,
            "roomId": room.room_id,
            **{key: config[key] for key in ("minBuyIn", "maxBuyIn", "smallBlind", "bigBlind")},
        }
        card_url = request["agentCardUrl"]
        reply = self.call(card_url, request.get("signupSkill", "signup"), invitation)
        self.note("signup output", shapes.SIGNUP_RESPONSE, reply)
        wanted = reply.get("buyIn", config["startingStack"])
        stack = min(max(wanted, config["minBuyIn"]), config["maxBuyIn"])
        seat = {
            "playerId": f"player-{next(self._names)}",
            "displayName": reply["displayName"],
            "agentCardUrl": card_url,
            "actionSkill": request.get("actionSkill") or reply.get("actionSkill", "act"),
            "startingStack": stack,
        }
        if "preferredSeat" in request:
            seat["preferredSeat"] = request["preferredSeat"]
        self._table(room, "register", seat)
        room.players.append(seat)
        room.bought_in += stack
        if len(room.players) == config["maxSeats"] and self.summary(room.room_id)["status"] != (
            "running"
        ):
            self.start_room({"roomId": room.room_id})
        return seat

    def start_room(self, request: dict[str, Any]) -> dict[str, Any]:
        """Start play at the room's table."""
        room = self.rooms[request["roomId"]]
        reply = self._table(room, "start", request.get("overrides", {}))
        self.note("start output", shapes.SUMMARY, reply)
        return reply

    def summary(self, room_id: str) -> dict[str, Any]:
        """Ask the room's table for its summary."""
        reply = self._table(self.rooms[room_id], "summary", {})
        self.note("summary output", shapes.SUMMARY, reply)
        return reply

    def _table(self, room: Room, command: str, data: dict[str, Any]) -> dict[str, Any]:
        return self.call(room.table_card, room.skills[command], data)

    def _list_rooms(self, _: dict[str, Any]) -> dict[str, Any]:
        return {"rooms": [{"roomId": name, **self.summary(name)} for name in self.rooms]}

    def _record(self, event: dict[str, Any]) -> dict[str, Any]:
        """Note an event; one that was taken before, or that is too early, is a violation."""
        known = {key: event[key] for key in _EVENT_FIELDS if key in event}
        with self._lock:
            room = next(
                (room for room in self.rooms.values() if room.table_id == event["tableId"]), None
            )
            if room is None:
                self.violations.append(f"an event of an unknown table: {event}")
                return {}
            content = json.dumps(known, sort_keys=True)
            if content in room.seen:
                self.violations.append(f"an event came twice: {event}")
            room.seen.add(content)
            if room.events and room.events[-1]["timestamp"] > event["timestamp"]:
                self.violations.append(f"an event is older than the one before it: {event}")
            if self._follows_hands:
                self._follow(room, event["eventType"])
            room.events.append(event)
        return {}

    def _follow(self, room: Room, kind: str) -> None:
        """Check that hands begin and end in turn, and that actions belong to one."""
        needs = {"hand_started": False, "action_taken": True, "hand_completed": True}
        if needs.get(kind, room.is_playing_hand) != room.is_playing_hand:
            self.violations.append(f"{kind} out of turn, after {len(room.events)} events")
        if kind in {"hand_started", "hand_completed"}:
            room.is_playing_hand = kind == "hand_started"
