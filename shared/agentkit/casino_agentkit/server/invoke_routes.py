"""Routes of the invoke profile for an agent: its entrypoints, calls of them, and the replies.

The entrypoints, their rules and their limits are those of A2A; only addresses and envelopes differ.
Callers find the routes below the agent's base path, and below that of its HTTP+JSON interface:
newer clients append them to the URL of the first interface of a card whose name contains HTTP.
"""

import re
from collections.abc import Iterator
from typing import Any, Final
from uuid import uuid4

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from casino_agentkit.accepted_json import is_deeper
from casino_agentkit.agent import Agent
from casino_agentkit.authority import TOKEN_LIMIT, caller, set_caller
from casino_agentkit.entrypoint import Entrypoint
from casino_agentkit.errors import KitReason
from casino_agentkit.protocol import ENTRYPOINTS_PATH, REST_PATH
from casino_agentkit.server.call_execution import (
    CallFailure,
    CallMetrics,
    FailureKind,
    invalid_input,
    run,
    too_deep,
)

_MEDIA_TYPE: Final = "application/json; charset=utf-8"
_BEARER: Final = {"www-authenticate": "Bearer"}
_REFUSED: Final = (409, "refused")
_REFUSALS: Final = {
    KitReason.UNAUTHORIZED.value: (401, "unauthorized"),
    KitReason.FORBIDDEN.value: (403, "forbidden"),
}
"""Status and code of a refusal by its reason; `_REFUSED` for all others."""
_INDEX: Final = re.compile(r"0|[1-9][0-9]{0,6}")
"""A part of a fault's path that is the index of an item: a key of many digits is a name."""
_ISSUE: Final = "custom"
"""The code of a fault that the profile's own codes (those of Zod) do not describe."""


def succeeded(output: bytes) -> Response:
    """Return the reply with an output, which is JSON."""
    head = b'{"run_id":"%b","status":"succeeded","output":' % str(uuid4()).encode()
    return _response(200, head + output + b"}")


def listing(items: list[dict[str, Any]]) -> Response:
    """Return the reply with the entrypoints of an agent."""
    return _response(200, orjson.dumps({"items": items}))


def failed(status: int, code: str, **further: object) -> Response:
    """Return an error with its code; `further` are other members of the error."""
    return _response(status, orjson.dumps({"error": {"code": code, **further}}))


def refused(failure: CallFailure) -> Response:
    """Return what a call failed with; a refusal adds `reason`, which the profile does not know."""
    metadata = failure.metadata or {}
    issues = list(_issues(metadata.get("errors") or []))
    if failure.kind is FailureKind.INVALID:
        return failed(400, "invalid_input", message=failure.message, issues=issues)
    if failure.kind is FailureKind.FAILED:
        return failed(500, "internal_error", message=failure.message)
    reason = metadata.get("reason")
    status, code = _REFUSALS.get(str(reason), _REFUSED)
    further: dict[str, object] = {"message": failure.message}
    if reason:
        further["reason"] = reason
    if details := {key: metadata[key] for key in metadata if key not in {"reason", "errors"}}:
        further["details"] = details
    if issues:
        further["issues"] = issues
    response = failed(status, code, **further)
    if code == "unauthorized":
        response.headers.update(_BEARER)
    return response


def _issues(faults: list[dict[str, str]]) -> Iterator[dict[str, object]]:
    """Yield faults in the form of the profile: the path as a list, with indexes as numbers."""
    for fault in faults:
        parts = fault["field"].split(".")
        path = [int(part) if _INDEX.fullmatch(part) else part for part in parts]
        yield {"code": _ISSUE, "path": path if fault["field"] else [], "message": fault["message"]}


def _response(status: int, body: bytes) -> Response:
    return Response(body, status_code=status, headers={"content-type": _MEDIA_TYPE})


_INPUT: Final = "input"
_NO_JSON: Final = 'Invalid JSON: send one JSON object such as {"input": {}}, in UTF-8.'


def invoke_routes(agent: Agent, base_path: str, calls: CallMetrics) -> list[BaseRoute]:
    """None without entrypoints, or with required extensions, which callers cannot activate."""
    if not has_invoke(agent):
        return []
    endpoints = _Endpoints(agent, calls)
    routes: list[BaseRoute] = []
    for base in (base_path, base_path + REST_PATH):
        path = base + ENTRYPOINTS_PATH
        routes += [
            Route(path, endpoints.entrypoints, methods=["GET"]),
            Route(path + "/{skill}/invoke", endpoints.invoke, methods=["POST"]),
            Route(path + "/{skill}/stream", endpoints.stream, methods=["POST"]),
        ]
    return routes


def has_invoke(agent: Agent) -> bool:
    """Return whether an agent is served by the invoke profile."""
    return bool(agent.entrypoints) and not agent.required_extensions


def manifest(agent: Agent) -> dict[str, Any]:
    """Return the `entrypoints` of the agent's card: description and schemas by skill."""
    return {
        skill: {
            "description": entrypoint.description,
            "streaming": False,
            "input_schema": schemas["input"],
            "output_schema": schemas["output"],
        }
        for skill, entrypoint in agent.entrypoints.items()
        if (schemas := entrypoint.schemas())
    }


class _Endpoints:
    """The endpoints of one agent."""

    def __init__(self, agent: Agent, calls: CallMetrics) -> None:
        self._agent = agent
        self._calls = calls

    async def entrypoints(self, _request: Request) -> Response:
        """List the entrypoints."""
        return listing(
            [
                {"key": skill, "description": entrypoint.description, "streaming": False}
                for skill, entrypoint in self._agent.entrypoints.items()
            ]
        )

    async def invoke(self, request: Request) -> Response:
        """Call an entrypoint; a body without `input` is the input itself."""
        entrypoint = self._named(request.path_params["skill"])
        if entrypoint is None:
            return self._unknown()
        try:
            data = orjson.loads(await request.body())
        except orjson.JSONDecodeError:
            return failed(400, "invalid_request", message=_NO_JSON)
        if isinstance(data, dict) and _INPUT in data:
            data = data[_INPUT]
        try:
            if is_deeper(data, self._agent.data_levels):
                raise invalid_input(too_deep(self._agent.data_levels).violations)
            return succeeded(await run(entrypoint.skill, entrypoint.call(data), self._calls))
        except CallFailure as failure:
            return refused(failure)

    def _named(self, name: str) -> Entrypoint | None:
        """Return the entrypoint of a name; a token in it is the caller's, if it has no other."""
        skill, _, token = name.rpartition(".")
        keyed = self._agent.entrypoints.get(skill)
        if name in self._agent.entrypoints or keyed is None or not keyed.token_in_name:
            return self._agent.entrypoints.get(name)
        sender = caller()
        set_caller(sender._replace(token=sender.token or token[:TOKEN_LIMIT]))
        return keyed

    async def stream(self, request: Request) -> Response:
        """Refuse: a typed call has one reply."""
        skill = request.path_params["skill"]
        if skill not in self._agent.entrypoints:
            return self._unknown()
        message = f"The entrypoint replies once: POST to {ENTRYPOINTS_PATH}/{skill}/invoke."
        return failed(400, "stream_not_supported", key=skill, message=message)

    def _unknown(self) -> Response:
        skills = ", ".join(self._agent.entrypoints)
        return failed(404, "entrypoint_not_found", message=f"This agent has {skills}.")
