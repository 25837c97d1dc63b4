"""JSON-RPC requests of many shapes, and applications that answer them in three ways."""

import copy
import json
from collections.abc import Callable, Mapping
from typing import Any

import httpx
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_jsonrpc_routes
from a2a.server.tasks import InMemoryTaskStore
from casino_agentkit import Agent
from casino_agentkit.protocol import EXTENSION, RPC_PATH, MessageIds
from casino_agentkit.server.call_execution import CallMetrics
from casino_agentkit.server.sdk.handler import TypedExecutor, TypedHandler
from casino_agentkit.server.sdk.sdk_card import make_card
from casino_agentkit.server.served_agents import ServedAgent
from prometheus_client import CollectorRegistry
from starlette.applications import Starlette
from starlette.types import ASGIApp

from support.players.sample_agent import SampleAgent

Json = dict[str, Any]
VERSION = {"A2A-Version": "1.0"}
PLAIN: Json = {
    "jsonrpc": "2.0",
    "id": "a",
    "method": "SendMessage",
    "params": {
        "message": {
            "messageId": "m",
            "role": "ROLE_USER",
            "extensions": [EXTENSION],
            "metadata": {EXTENSION: {"skill": "order"}},
            "parts": [{"data": {"dish": "soup", "plates": 6}, "mediaType": "application/json"}],
        }
    },
}


def changed(change: Callable[[Json], object]) -> bytes:
    """Return the plain request, changed."""
    request = copy.deepcopy(PLAIN)
    change(request)
    return json.dumps(request).encode()


def message(request: Json) -> Json:
    found: Json = request["params"]["message"]
    return found


def part(request: Json) -> Json:
    found: Json = message(request)["parts"][0]
    return found


def without(node: Json, key: str) -> None:
    del node[key]


SHAPES: dict[str, bytes] = {
    "plain": changed(lambda _: None),
    # the envelope
    "id: integer": changed(lambda r: r.update(id=7)),
    "id: null": changed(lambda r: r.update(id=None)),
    "id: missing": changed(lambda r: without(r, "id")),
    "id: true": changed(lambda r: r.update(id=True)),
    "id: quotes and umlauts": changed(lambda r: r.update(id='a"b\\ü')),
    "jsonrpc 1.0": changed(lambda r: r.update(jsonrpc="1.0")),
    "unknown method": changed(lambda r: r.update(method="Nope")),
    "unknown key in the envelope": changed(lambda r: r.update(zzz=1)),
    "batch": json.dumps([PLAIN]).encode(),
    "not JSON": b"{bad",
    "empty body": b"",
    "a number": b"7",
    # params
    "empty configuration": changed(lambda r: r["params"].update(configuration={})),
    "configuration: returnImmediately": changed(
        lambda r: r["params"].update(configuration={"returnImmediately": True})
    ),
    "configuration: a list": changed(lambda r: r["params"].update(configuration=[])),
    "request metadata": changed(lambda r: r["params"].update(metadata={"a": 1})),
    "params: a list": changed(lambda r: r.update(params=[])),
    "tenant": changed(lambda r: r["params"].update(tenant="x")),
    # the message
    "contextId": changed(lambda r: message(r).update(contextId="ctx-1")),
    "contextId: a number": changed(lambda r: message(r).update(contextId=5)),
    "context_id (alias)": changed(lambda r: message(r).update(context_id="ctx-9")),
    "unknown task": changed(lambda r: message(r).update(taskId="nope")),
    "task_id (alias)": changed(lambda r: message(r).update(task_id="nope")),
    "messageId: missing": changed(lambda r: without(message(r), "messageId")),
    "messageId: empty": changed(lambda r: message(r).update(messageId="")),
    "role: number": changed(lambda r: message(r).update(role=1)),
    "role: missing": changed(lambda r: without(message(r), "role")),
    "role: unknown": changed(lambda r: message(r).update(role="ROLE_DEALER")),
    "unknown key in the message": changed(lambda r: message(r).update(zzz=1)),
    "extensions: missing": changed(lambda r: without(message(r), "extensions")),
    "extensions: a string": changed(lambda r: message(r).update(extensions=EXTENSION)),
    "extensions: one more": changed(lambda r: message(r)["extensions"].append("https://x/y")),
    "metadata: missing": changed(lambda r: without(message(r), "metadata")),
    "metadata: one more key": changed(lambda r: message(r)["metadata"].update(trace="t-1")),
    "metadata: disagreeing skillId": changed(
        lambda r: message(r)["metadata"].update(skillId="ask")
    ),
    "skill: unknown": changed(lambda r: message(r)["metadata"][EXTENSION].update(skill="zzz")),
    "skill: a number": changed(lambda r: message(r)["metadata"][EXTENSION].update(skill=1)),
    "skill: a list": changed(lambda r: message(r)["metadata"][EXTENSION].update(skill=["act"])),
    # the parts
    "no parts": changed(lambda r: message(r).update(parts=[])),
    "two parts": changed(lambda r: message(r)["parts"].append({"text": "x"})),
    "two data parts": changed(lambda r: message(r)["parts"].append({"data": {}})),
    "part: text": changed(lambda r: message(r).update(parts=[{"text": "x"}])),
    "part: JSON text": changed(
        lambda r: message(r).update(parts=[{"text": '{"dish": "soup", "plates": 6}'}])
    ),
    "part: data and text": changed(lambda r: part(r).update(text="x")),
    "part: media_type (alias)": changed(lambda r: part(r).update(media_type="text/plain")),
    "part: no mediaType": changed(lambda r: without(part(r), "mediaType")),
    "part: another mediaType": changed(lambda r: part(r).update(mediaType="text/plain")),
    "part: raw": changed(lambda r: message(r).update(parts=[{"raw": "AAAA"}])),
    "data: null": changed(lambda r: part(r).update(data=None)),
    "data: a list": changed(lambda r: part(r).update(data=[])),
    # the input; protobuf's Value makes every number a double
    "integer as 6.0": changed(lambda r: part(r)["data"].update(plates=6.0)),
    "integer as 6.5": changed(lambda r: part(r)["data"].update(plates=6.5)),
    "integer as a string": changed(lambda r: part(r)["data"].update(plates="6")),
    "largest exact integer": changed(lambda r: part(r)["data"].update(plates=2**53 - 1)),
    "2**53 + 1": changed(lambda r: part(r)["data"].update(plates=2**53 + 1)),
    "2**64": changed(lambda r: part(r)["data"].update(plates=2**64)),
    "unknown key in the input": changed(lambda r: part(r)["data"].update(zzz=1)),
    "missing key in the input": changed(lambda r: without(part(r)["data"], "dish")),
    "refused by the entrypoint": changed(lambda r: part(r)["data"].update(dish="fish")),
    "refused with violations": changed(lambda r: part(r)["data"].update(dish="stew")),
    "the entrypoint fails": changed(lambda r: part(r)["data"].update(dish="fire")),
}


def calls_of(agent: Agent) -> CallMetrics:
    """Return counts for an agent's skills."""
    calls = CallMetrics(CollectorRegistry())
    calls.know(agent.entrypoints)
    return calls


def front() -> ASGIApp:
    return SampleAgent().app()


def direct() -> ASGIApp:
    """Return the sample agent without the fast front."""
    agent = SampleAgent().agent
    return Starlette(routes=ServedAgent(agent, "", None, calls_of(agent)).routes())


def stock() -> ASGIApp:
    """Return the sample agent behind the SDK's own handler."""
    agent = SampleAgent().agent
    card = make_card(agent, "http://sample")
    handler = DefaultRequestHandler(
        agent_executor=TypedExecutor(TypedHandler(agent, card, MessageIds(), calls_of(agent))),
        task_store=InMemoryTaskStore(),
        agent_card=card,
    )
    return Starlette(routes=create_jsonrpc_routes(handler, RPC_PATH))


async def post(
    app: ASGIApp, body: bytes, headers: Mapping[str, str], path: str = RPC_PATH
) -> httpx.Response:
    """Send one request to an application."""
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://sample") as http:
        sent = httpx.Headers(headers)  # a name may come twice
        sent.setdefault("Content-Type", "application/json")
        return await http.post(path, content=body, headers=sent)
