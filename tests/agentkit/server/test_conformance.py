"""One outcome on every path: the fast front, the direct handler and the stock SDK agree.

Each shape is a request that a fast path is tempted to treat differently from the SDK.
"""

import copy
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
import pytest
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_jsonrpc_routes
from a2a.server.tasks import InMemoryTaskStore
from casino_agentkit import Agent
from casino_agentkit.metrics import CallMetrics
from casino_agentkit.protocol import EXTENSION, REST_PATH, RPC_PATH, MessageIds
from casino_agentkit.server.app import agent_routes
from casino_agentkit.server.card import make_card
from casino_agentkit.server.handler import TypedExecutor, TypedHandler
from casino_agentkit.server.typed_call import recognise
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
    """Return the message of a request."""
    found: Json = request["params"]["message"]
    return found


def part(request: Json) -> Json:
    """Return the first part of its message."""
    found: Json = message(request)["parts"][0]
    return found


def without(node: Json, key: str) -> None:
    """Remove a key."""
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
INLINE = {
    "plain",
    "id: integer",
    "id: quotes and umlauts",
    "empty configuration",
    "contextId",
    "part: no mediaType",
    "data: null",
    "data: a list",
    "integer as 6.0",
    "integer as 6.5",
    "integer as a string",
    "largest exact integer",
    "2**53 + 1",
    "2**64",
    "unknown key in the input",
    "missing key in the input",
    "refused by the entrypoint",
    "refused with violations",
    "the entrypoint fails",
}
UNREADABLE = {
    "not JSON",
    "empty body",
    "params: a list",
    "contextId: a number",
    "extensions: a string",
    "part: data and text",
}
"""Of these only the id and the code are the SDK's; the words are ours."""
VERSIONS = [None, "0.3", "1.0", "1.0.3", "1.1", "1", "10.0", "x"]


def calls_of(agent: Agent) -> CallMetrics:
    """Return counts for an agent's skills."""
    calls = CallMetrics(CollectorRegistry())
    calls.know(agent.entrypoints)
    return calls


def front() -> ASGIApp:
    """Return the kitchen as it is served."""
    return SampleAgent().app()


def direct() -> ASGIApp:
    """Return the kitchen without the fast front."""
    agent = SampleAgent().agent
    return Starlette(routes=agent_routes(agent, "", None, calls_of(agent)))


def stock() -> ASGIApp:
    """Return the kitchen behind the SDK's own handler."""
    agent = SampleAgent().agent
    card = make_card(agent, "http://kitchen")
    handler = DefaultRequestHandler(
        agent_executor=TypedExecutor(TypedHandler(agent, card, MessageIds(), calls_of(agent))),
        task_store=InMemoryTaskStore(),
        agent_card=card,
    )
    return Starlette(routes=create_jsonrpc_routes(handler, RPC_PATH))


async def post(
    app: ASGIApp, body: bytes, headers: dict[str, str], path: str = RPC_PATH
) -> httpx.Response:
    """Send one request to an application."""
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://kitchen") as http:
        return await http.post(
            path, content=body, headers={"Content-Type": "application/json", **headers}
        )


def outcome(reply: httpx.Response) -> object:
    """Return what must agree: the id, the error, or the answer and a context id that was given."""
    if reply.status_code != 200:
        return f"HTTP {reply.status_code}"
    answer = reply.json()
    if "error" in answer:
        return answer["id"], answer["error"]["code"], answer["error"]["message"]
    said = answer["result"]["message"]
    assert said["messageId"]
    assert said["role"] == "ROLE_AGENT"
    assert said["extensions"] == [EXTENSION]
    context = said["contextId"] if said["contextId"].startswith("ctx-") else "new"
    return answer["id"], said["parts"], context


@pytest.mark.parametrize("shape", SHAPES)
async def test_every_path_has_the_same_outcome(shape: str) -> None:
    """The fast front never answers what the SDK would answer differently."""
    outcomes = [
        outcome(await post(app, SHAPES[shape], VERSION)) for app in (front(), direct(), stock())
    ]
    assert outcomes[0] == outcomes[1]
    if shape in UNREADABLE:  # the SDK says so in Python's words
        assert isinstance(outcomes[0], tuple)
        assert isinstance(outcomes[2], tuple)
        assert outcomes[0][:2] == outcomes[2][:2]
    else:
        assert outcomes[0] == outcomes[2]


@pytest.mark.parametrize("version", VERSIONS)
async def test_every_path_treats_versions_alike(version: str | None) -> None:
    """A missing version means 0.3, and 10.0 is no 1.0."""
    headers = {"A2A-Version": version} if version else {}
    outcomes = [
        outcome(await post(app, SHAPES["plain"], headers)) for app in (front(), direct(), stock())
    ]
    assert outcomes[0] == outcomes[1] == outcomes[2]


@pytest.mark.parametrize("shape", SHAPES)
def test_only_whitelisted_shapes_are_answered_inline(shape: str) -> None:
    """Whatever is not plain goes to the SDK."""
    assert (recognise(SHAPES[shape], SampleAgent().agent) is not None) == (shape in INLINE)


class TestGuards:
    """What the front owes because it stands before everything else."""

    async def test_the_path_is_answered_with_and_without_slash(self) -> None:
        """A redirect would lose some clients."""
        for app in (front(), direct()):
            reply = await post(app, SHAPES["plain"], VERSION, RPC_PATH + "/")
            assert "result" in reply.json()

    async def test_the_activated_extension_is_echoed_on_every_path(self) -> None:
        """The header is a list, and may hold others."""
        headers = {**VERSION, "A2A-Extensions": f"https://other/x, {EXTENSION}"}
        for shape in ("plain", "unknown task", "integer as 6.5"):
            reply = await post(front(), SHAPES[shape], headers)
            assert reply.headers["a2a-extensions"] == EXTENSION

    async def test_the_extension_is_not_echoed_unasked(self) -> None:
        """Only what the client activated is named."""
        assert "a2a-extensions" not in (await post(front(), SHAPES["plain"], VERSION)).headers

    @pytest.mark.parametrize("path", [RPC_PATH, REST_PATH + "/message:send", "/v1/anything"])
    async def test_a_body_over_one_mebibyte_is_refused(self, path: str) -> None:
        """On every path, before it is parsed."""
        body = changed(lambda r: part(r)["data"].update(dish="x" * 2**20))
        reply = await post(front(), body, VERSION, path)
        assert reply.status_code == 413
        assert reply.headers["content-type"] == "application/problem+json"

    async def test_a_body_just_below_the_limit_is_taken(self) -> None:
        """The limit is a limit, not a guess."""
        empty = changed(lambda r: part(r)["data"].update(dish=""))
        fill = 2**20 - len(empty)
        body = changed(lambda r: part(r)["data"].update(dish="x" * fill))
        assert len(body) == 2**20
        assert "result" in (await post(front(), body, VERSION)).json()

    async def test_a_body_in_chunks_is_read_and_bounded(self) -> None:
        """Without a declared length, too."""

        async def chunks(fill: int) -> AsyncIterator[bytes]:
            body = changed(lambda r: part(r)["data"].update(dish="x" * fill))
            for start in range(0, len(body), 65_536):
                yield body[start : start + 65_536]

        transport = httpx.ASGITransport(front())
        async with httpx.AsyncClient(transport=transport, base_url="http://kitchen") as http:
            small = await http.post(RPC_PATH, content=chunks(100_000), headers=VERSION)
            assert "result" in small.json()
            large = await http.post(RPC_PATH, content=chunks(3 * 2**20), headers=VERSION)
            assert large.status_code == 413

    async def test_a_client_that_goes_away_is_not_answered(self) -> None:
        """In the middle of its body, or before it."""
        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        for told in (
            [{"type": "http.disconnect"}],
            [
                {"type": "http.request", "body": b"{", "more_body": True},
                {"type": "http.disconnect"},
            ],
        ):
            messages = iter(told)

            async def receive(messages: Any = messages) -> Any:
                return next(messages)

            scope = {"type": "http", "method": "POST", "path": RPC_PATH, "headers": []}
            await front()(scope, receive, send)
        assert sent == []

    async def test_a_fault_of_the_entrypoint_shows_no_internals(self) -> None:
        """The exception's text stays in the log."""
        for app in (front(), direct()):
            reply = await post(app, SHAPES["the entrypoint fails"], VERSION)
            assert reply.json()["error"]["code"] == -32603
            assert "recipe" not in reply.text

    async def test_a_refusal_carries_its_reason(self) -> None:
        """-32004 with a stable word for programs and a sentence for people."""
        error = (await post(front(), SHAPES["refused by the entrypoint"], VERSION)).json()["error"]
        assert error["code"] == -32004
        assert error["message"] == "There is no fish today; order soup."
        assert error["data"][0]["metadata"]["reason"] == "NO_FISH"

    async def test_each_fault_of_an_input_is_an_entry(self) -> None:
        """-32602 names path and description of every fault."""
        body = changed(lambda r: part(r).update(data={"dish": "", "plates": 0, "extras": [1]}))
        error = (await post(front(), body, VERSION)).json()["error"]
        assert error["code"] == -32602
        violations = error["data"][1]["fieldViolations"]
        assert [violation["field"] for violation in violations] == ["dish", "plates", "extras.0"]
        assert all(violation["description"] for violation in violations)
