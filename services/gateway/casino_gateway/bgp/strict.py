"""The organisation's dialect, `schemas-1.0.0`: its message shapes, and its two further requests."""

from collections.abc import Mapping, Sequence
from typing import Any

from casino_gateway.bgp.codes import VERSION
from casino_gateway.bgp.messages import check_core, invalid
from casino_gateway.bgp.refusal import Core

Json = dict[str, Any]

DIALECT = "schemas-1.0.0"
SUBPROTOCOL = "bgp.schemas-1.0.0"
CREATE_MATCH = "create_match"
GET_MATCHES = "get_matches"

_NOT_STARTED = "1970-01-01T00:00:00Z"
"""`started_at` of a match that has not started: the dialect requires a time."""


def translated(message: Json) -> Json:
    """Return a message of the document's dialect in the organisation's dialect."""
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
        fault = {"field": "settings", "message": 'must be {"version": "1.0.0", "data": {…}}'}
        raise invalid(core, [fault])
    config = {key: value for key, value in data.items() if key != "game_config"}
    order: Json = {"gameType": core.game, "config": config}
    if "game_config" in data:
        order["gameConfig"] = data["game_config"]
    return core, order


def match_created(core: Core, match_id: str) -> Json:
    """Return the response to `create_match`."""
    return {
        "version": VERSION,
        "type": "create_match_response",
        "game": core.game,
        "match_id": match_id,
        "agent_id": core.agent_id,
    }


def matches(core: Core, rooms: Mapping[str, tuple[str, Sequence[Json]]]) -> Json:
    """Return the response to `get_matches`: by match id its status and agents.

    Matches without an agent are left out, because the dialect requires at least one.
    """
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
