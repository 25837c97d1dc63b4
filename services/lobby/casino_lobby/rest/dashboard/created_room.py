"""Reads what the original's dashboard sends to create a room: its config nested or flat."""

from typing import Any

import orjson
from casino_agentkit import Violation
from casino_contracts import HOLDEM, CreateRoomInput, TableConfig
from starlette.requests import Request

from casino_lobby.problem import Problem
from casino_lobby.problem_types import ProblemType
from casino_lobby.rest.dashboard.views import DEFAULT_CONFIG, POKER
from casino_lobby.rest.requests import message_of, names_of, parsed_body

_OTHER_NAMES = {
    "roomAgentCardUrl": "tableAgentCardUrl",
    "roomAgentSkills": "tableAgentSkills",
}
"""Names of the original's later version."""
_PORTS = ("tablePort", "roomPort")
"""The port of a launched table, as the dashboard names it."""
_DEFAULTS: dict[str, Any] = orjson.loads(DEFAULT_CONFIG.wire())


async def created_room(request: Request) -> CreateRoomInput:
    """Return the command; raises Problem. What is missing in the config is the original's default.

    A field that would be ignored is a fault that names it: the original drops a flat config.
    """
    body = await parsed_body(request)
    faults: list[Violation] = []
    for name, ours in _OTHER_NAMES.items():
        _move(body, name, body, ours, ours, faults)
    for name in _PORTS:
        if name in body:
            options = body.setdefault("launchOptions", {})
            _move(body, name, options, "port", "launchOptions.port", faults)
    config = body.setdefault("config", {})
    for name in names_of(TableConfig):
        _move(body, name, config, name, f"config.{name}", faults)
    if body.get("gameType") == POKER:
        body["gameType"] = HOLDEM
    if faults:
        detail = "; ".join(f"{fault.field}: {fault.message}" for fault in faults)
        raise Problem(ProblemType.INVALID_REQUEST, f"{detail}.", tuple(faults))
    if isinstance(config, dict):
        body["config"] = {**_DEFAULTS, **config}
    return message_of(CreateRoomInput, body, request)


def _move(
    source: dict[str, Any], name: str, target: Any, to: str, path: str, faults: list[Violation]
) -> None:
    """Move a field; note a fault if it is there already, or cannot be there."""
    if name not in source:
        return
    if not isinstance(target, dict) or to in target:
        faults.append(Violation(name, f"is given as {path} too; remove one"))
    else:
        target[to] = source.pop(name)
