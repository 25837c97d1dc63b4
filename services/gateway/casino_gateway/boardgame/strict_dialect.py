"""The organisation's dialect, `schemas-1.0.0`: its message shapes, and its two further requests."""

from asyncio import gather
from collections.abc import Mapping, Sequence
from typing import Any

from casino_contracts import RoomSnapshot, RoomSummary
from casino_lobby_client.errors import CallRefused, UnknownRoom

from casino_gateway.boardgame.boardgame_messages import (
    VERSION,
    Core,
    ErrorCode,
    MessageRefused,
    check_core,
    fault,
    invalid,
    refused_by_lobby,
)
from casino_gateway.seats.seat_service import SeatService

Json = dict[str, Any]

DIALECT = "schemas-1.0.0"
SUBPROTOCOL = "bgp.schemas-1.0.0"
CREATE_MATCH = "create_match"
GET_MATCHES = "get_matches"

_NOT_STARTED = "1970-01-01T00:00:00Z"
"""`started_at` of a match that has not started: the dialect requires a time."""
_LISTED = 25
"""At most so many matches are listed: each costs a request to the lobby."""
_STATUS = {"waiting": "waiting", "running": "started"}
_DEFAULTS: Json = {
    "startingStack": 200,
    "smallBlind": 1,
    "bigBlind": 2,
    "minBuyIn": 40,
    "maxBuyIn": 400,
    "maxHands": 100,
    "maxSeats": 6,
}
"""Config of a match whose settings do not say otherwise."""


def translated(message: Json) -> Json:
    match message["type"]:
        case "get_state_response":
            return _state(message)
        case "push_message":
            return _event(message)
        case _:
            return message


def _state(message: Json) -> Json:
    """Without `agent_id` and the agents' types; `ended_at` is absent instead of null."""
    state = {key: value for key, value in message.items() if key != "agent_id"}
    if state["ended_at"] is None:
        del state["ended_at"]
    state["started_at"] = state["started_at"] or _NOT_STARTED
    state["active_agent_id"] = state["active_agent_id"] or ""
    state["agents"] = [{"id": agent["id"], "name": agent["name"]} for agent in message["agents"]]
    return state


def _event(message: Json) -> Json:
    pushed = message["message_response"]
    return {
        "version": message["version"],
        "game": message["game"],
        "match_id": message["match_id"],
        "agent_id": message["agent_id"],
        "event": {
            "version": pushed["version"],
            "data": {"message": pushed["message"], **pushed["data"]},
        },
    }


def room_of(message: Json) -> tuple[Core, Json]:
    """Return who asks for a match, and the order of its room (`createRoom`'s input).

    `settings.data` is the room's config; its `game_config` has the settings of the game. Raises
    MessageRefused.
    """
    core = check_core(message, ("version", "type", "game", "agent_id"))
    settings = message.get("settings")
    data = settings.get("data", {}) if isinstance(settings, dict) else None
    if not isinstance(data, dict):
        raise invalid(core, [fault("settings", 'must be {"version": "1.0.0", "data": {…}}')])
    config = {key: value for key, value in data.items() if key != "game_config"}
    order: Json = {"gameType": core.game, "config": config}
    if "game_config" in data:
        order["gameConfig"] = data["game_config"]
    return core, order


def match_created(core: Core, match_id: str) -> Json:
    return {
        "version": VERSION,
        "type": "create_match_response",
        "game": core.game,
        "match_id": match_id,
        "agent_id": core.agent_id,
    }


def matches(core: Core, rooms: Mapping[str, tuple[str, Sequence[Json]]]) -> Json:
    """Answer `get_matches`; the dialect requires an agent, so matches without one are left out."""
    return {
        "version": VERSION,
        "type": "get_matches_response",
        "agent_id": core.agent_id,
        "matches": [
            {"match_id": match_id, "agents": list(agents), "status": status}
            for match_id, (status, agents) in rooms.items()
            if agents
        ],
    }


class MatchRequests:
    """Rooms of the lobby, as matches."""

    def __init__(self, seats: SeatService, *, may_create_rooms: bool) -> None:
        self._seats = seats
        self._may_create_rooms = may_create_rooms

    async def answer(self, message: Json) -> Json | None:
        """Return the reply, None to other messages. Raises MessageRefused, LobbyAway."""
        kind = message.get("type")
        if kind == GET_MATCHES:
            return await self._matches(message)
        return await self._create(message) if kind == CREATE_MATCH else None

    async def _matches(self, message: Json) -> Json:
        core = check_core(message, ("version", "type", "agent_id"))
        rooms = [room for room in await self._seats.rooms() if room.player_count][-_LISTED:]
        snapshots = await gather(*(self._snapshot(room) for room in rooms))
        return matches(
            core,
            {
                snapshot.room_id: (_STATUS.get(room.status, "ended"), _agents(snapshot))
                for room, snapshot in zip(rooms, snapshots, strict=True)
                if snapshot is not None
            },
        )

    async def _snapshot(self, room: RoomSummary) -> RoomSnapshot | None:
        try:
            return await self._seats.room(room.room_id)
        except UnknownRoom:  # closed meanwhile
            return None

    async def _create(self, message: Json) -> Json:
        core, order = room_of(message)
        if not self._may_create_rooms:
            raise MessageRefused(
                ErrorCode.NOT_ALLOWED, "This gateway opens no matches; the operator does.", core
            )
        order["config"] = {**_DEFAULTS, **order["config"]}
        try:
            room = await self._seats.create_room(order)
        except CallRefused as refusal:
            raise refused_by_lobby(refusal, core) from refusal
        return match_created(core, room.room_id)


def _agents(room: RoomSnapshot) -> list[Json]:
    players = room.summary.players if room.summary else ()
    return [{"id": player.player_id, "name": player.display_name} for player in players]
