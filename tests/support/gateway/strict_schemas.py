"""The shapes of the Boardgame Protocol's organisation (`schemas-1.0.0`), as JSON Schemas.

Written from the description of its repository; its own files are not part of this project.
"""

from typing import Any

Json = dict[str, Any]

TEXT: Json = {"type": "string"}
VERSION: Json = {"type": "string", "pattern": r"^\d+\.\d+\.\d+$"}


def _closed(**properties: Json) -> Json:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


DATA = _closed(version=VERSION, data={"type": "object"})
CORE: Json = {"version": VERSION, "type": TEXT, "game": TEXT, "match_id": TEXT, "agent_id": TEXT}
AGENTS: Json = {"type": "array", "minItems": 1, "items": _closed(id=TEXT, name=TEXT)}


def _with_optional(schema: Json, **properties: Json) -> Json:
    return {**schema, "properties": {**schema["properties"], **properties}}


STATE = _with_optional(
    _closed(
        version=VERSION,
        game=TEXT,
        match_id=TEXT,
        status=TEXT,
        phase=TEXT,
        turn={"type": "integer", "minimum": 0},
        stage=TEXT,
        state=DATA,
        active_agent_id=TEXT,
        agents=AGENTS,
        started_at={"type": "string", "format": "date-time"},
    ),
    type=TEXT,
    ended_at={"type": "string", "format": "date-time"},
    winners={"type": "array", "items": TEXT},
)
PERFORMED = _closed(
    **CORE,
    action_response=_closed(
        version=VERSION,
        status={"enum": ["success", "error"]},
        message=TEXT,
        data={"type": "object"},
    ),
)
EVENT: Json = {
    "type": "object",
    "properties": {
        "version": VERSION,
        "game": TEXT,
        "match_id": TEXT,
        "agent_id": TEXT,
        "event": DATA,
    },
    "required": ["version", "game", "match_id", "agent_id", "event"],
}
MATCHES = _closed(
    version=VERSION,
    type=TEXT,
    agent_id=TEXT,
    matches={
        "type": "array",
        "items": _closed(
            match_id=TEXT, agents=AGENTS, status={"enum": ["waiting", "started", "ended"]}
        ),
    },
)
CREATED = _closed(**CORE)


def schema_of(message: Json) -> Json:
    if "event" in message:
        return EVENT
    return {
        "get_state_response": STATE,
        "perform_action_response": PERFORMED,
        "get_matches_response": MATCHES,
        "create_match_response": CREATED,
        "error": {},
    }[message["type"]]
