"""A fault has one code, whichever version of A2A the request is of."""

import json
from typing import Any

import pytest
from a2a.types import AgentExtension
from casino_agentkit import ANYONE, Agent, KeyRule, Scheme, Service
from starlette.types import ASGIApp
from support.players.sample_agent import SampleAgent, Waiter
from support.request_shapes import PLAIN, SHAPES, VERSION, changed, front, post

Json = dict[str, Any]

METHODS = {
    "SendMessage": "message/send",
    "SendStreamingMessage": "message/stream",
    "GetTask": "tasks/get",
    "CancelTask": "tasks/cancel",
    "SubscribeToTask": "tasks/resubscribe",
    "GetExtendedAgentCard": "agent/getAuthenticatedExtendedCard",
    "CreateTaskPushNotificationConfig": "tasks/pushNotificationConfig/set",
    "ListTaskPushNotificationConfigs": "tasks/pushNotificationConfig/list",
}
ROLES = {"ROLE_USER": "user", "ROLE_AGENT": "agent"}
ONLY_NEWER = {
    "id: null",  # 0.3 requires an id
    "id: missing",
    "role: number",  # protobuf has numbers for roles, aliases of names, and null as data
    "task_id (alias)",
    "part: another mediaType",  # a data part of 0.3 has no type, and one of two kinds is what it is
    "part: media_type (alias)",
    "part: data and text",
    "data: null",
    "data: a list",
    "context_id (alias)",
    "configuration: a list",
}
"""Shapes that mean something else in 0.3."""
CALLS: dict[str, tuple[str, Any, Any]] = {
    "get: unknown": ("GetTask", {"id": "nope"}, {"id": "nope"}),
    "get: no id": ("GetTask", {}, {}),
    "get: a list": ("GetTask", [], []),
    "get: history": ("GetTask", {"id": "x", "historyLength": "x"}, None),
    "cancel: unknown": ("CancelTask", {"id": "nope"}, None),
    "subscribe: unknown": ("SubscribeToTask", {"id": "nope"}, None),
    "extended card": ("GetExtendedAgentCard", {}, None),
    "push: list": ("ListTaskPushNotificationConfigs", {"taskId": "t"}, {"id": "t"}),
    "push: set": (
        "CreateTaskPushNotificationConfig",
        {"taskId": "t", "url": "http://x"},
        {"taskId": "t", "pushNotificationConfig": {"url": "http://x"}},
    ),
    "no such method": ("Nope", {}, None),
    "stream": ("SendStreamingMessage", PLAIN["params"], None),
}
ENVELOPES: list[Json] = [
    {"jsonrpc": 2},
    {"jsonrpc": None},
    {"id": [1]},
    {"id": 1.5},
    {"id": {}},
    {"method": 7},
    {"method": ""},
    {"params": "x"},
    {"params": None},
    {"params": {"message": None}},
    {"params": {"message": []}},
]


def envelope(method: str, params: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()


def older(body: bytes) -> bytes:
    """Return the same request as one of 0.3, as far as it is one."""
    try:
        request = json.loads(body)
    except ValueError:
        return body
    for each in request if isinstance(request, list) else [request]:
        if isinstance(each, dict):
            if isinstance(method := each.get("method"), str):
                each["method"] = METHODS.get(method, method)
            _convert(each.get("params"))
    return json.dumps(request).encode()


def _convert(params: Any) -> None:
    message = params.get("message") if isinstance(params, dict) else None
    if not isinstance(message, dict):
        return
    message["kind"] = "message"
    if isinstance(role := message.get("role"), str):
        message["role"] = ROLES.get(role, role)
    for part in message.get("parts", []):
        if "raw" in part:
            part["file"] = {"bytes": part.pop("raw"), "mimeType": part.pop("mediaType", None)}
        part["kind"] = next(kind for kind in ("data", "text", "file") if kind in part)


async def code_of(app: ASGIApp, body: bytes, version: dict[str, str], media_type: str) -> Any:
    """Return HTTP status, id and code of the answer; "ok" for a result."""
    reply = await post(app, body, {**version, "Content-Type": media_type})
    text = reply.text
    if reply.headers["content-type"].startswith("text/event-stream"):
        text = next(line[5:] for line in text.splitlines() if line.startswith("data:"))
    answer = json.loads(text)
    error = answer.get("error")
    return reply.status_code, answer.get("id"), error["code"] if error else "ok"


async def assert_one_code(
    app: ASGIApp, newer: bytes, same: bytes | None = None, media_type: str = "application/json"
) -> None:
    codes = [
        await code_of(app, newer, VERSION, media_type),
        await code_of(app, same or older(newer), {}, media_type),
    ]
    assert codes[0] == codes[1]


def keyed() -> ASGIApp:
    """Return an agent whose entrypoint needs a token."""
    agent = Agent("Keyed", "Cooks.")
    rule: KeyRule = KeyRule(Scheme("key", "the kitchen's key"), lambda _: "sesame")
    agent.entrypoint("order", who=rule)(SampleAgent().order)
    return Service({"": agent}).asgi()


def extended() -> ASGIApp:
    """Return an agent that requires an extension."""
    agent = Agent("Extended", "Cooks.", required_extensions=[AgentExtension(uri="urn:x")])
    agent.entrypoint("order", who=ANYONE)(SampleAgent().order)
    return Service({"": agent}).asgi()


def both() -> ASGIApp:
    """Return an agent with an entrypoint and an executor."""
    agent = Agent("Both", "Cooks and serves.", executor=Waiter())
    agent.entrypoint("order", who=ANYONE)(SampleAgent().order)
    return Service({"": agent}).asgi()


@pytest.mark.parametrize("shape", sorted(SHAPES.keys() - ONLY_NEWER))
@pytest.mark.parametrize("app", [front, both, keyed])
async def test_every_shape_has_one_code(app: Any, shape: str) -> None:
    await assert_one_code(app(), SHAPES[shape])


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("app", [front, both, keyed])
async def test_every_method_has_one_code(app: Any, call: str) -> None:
    method, newer, same = CALLS[call]
    body = envelope(METHODS.get(method, method), same) if same is not None else None
    await assert_one_code(app(), envelope(method, newer), body)


@pytest.mark.parametrize("change", ENVELOPES, ids=str)
async def test_every_fault_of_the_envelope_has_one_code(change: Json) -> None:
    await assert_one_code(front(), changed(lambda request: request.update(change)))


@pytest.mark.parametrize("media_type", ["text/plain", "application/xml", ""])
@pytest.mark.parametrize("shape", ["plain", "not JSON", "empty body", "batch"])
async def test_every_media_type_has_one_code(media_type: str, shape: str) -> None:
    await assert_one_code(front(), SHAPES[shape], media_type=media_type)


async def test_a_file_and_a_large_body_have_one_code() -> None:
    for media_type in ("image/png", "text/csv"):
        part = {"raw": "aGk=", "mediaType": media_type}
        request = json.loads(SHAPES["plain"])
        request["params"]["message"]["parts"] = [part]
        await assert_one_code(front(), json.dumps(request).encode())
    large = changed(lambda r: r["params"]["message"].update(messageId="x" * 2**17))
    await assert_one_code(front(), large)


async def test_an_extension_that_is_not_activated_has_one_code() -> None:
    """0.3 has no code of its own for it, and an internal error would be a lie."""
    app = extended()
    assert await code_of(app, older(SHAPES["plain"]), {}, "application/json") == (200, "a", -32008)
    await assert_one_code(app, SHAPES["plain"])


@pytest.mark.parametrize("version", ["10.0", "2.0", "x", "0"])
async def test_a_version_that_nobody_speaks_has_one_code(version: str) -> None:
    headers = {"A2A-Version": version}
    codes = [
        (await code_of(front(), body, headers, "application/json"))[2]
        for body in (SHAPES["plain"], older(SHAPES["plain"]))
    ]
    assert codes == [-32009, -32009]
