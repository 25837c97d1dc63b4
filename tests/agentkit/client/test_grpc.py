"""Agents that speak gRPC alone are called through the SDK's client."""

import asyncio
import json
from datetime import timedelta
from typing import Any

import grpc.aio
import pytest
from a2a.types import SendMessageRequest, Task
from casino_agentkit import (
    AgentClient,
    HttpTransport,
    KitReason,
    ProtocolFault,
    RemoteRefused,
    Unreachable,
)
from casino_agentkit.traces import Traces
from google.protobuf.json_format import ParseDict
from opentelemetry.sdk.trace import TracerProvider
from support.attack.raw_servers import agent
from support.in_process import InProcessTransport
from support.players.grpc_agent import grpc_agent, grpc_card, says, task
from support.processes import run_until

SOON = timedelta(seconds=10)


async def call(
    origin: str, timeout: timedelta = SOON, *, traces: Traces | None = None, **more: Any
) -> Any:
    """Return the output of one call of the agent whose card is at an address."""
    client = AgentClient(HttpTransport(traces=traces))
    try:
        peer = await client.resolve(origin, timeout=SOON)
        return await peer.call("act", b'{"pot":200}', dict, timeout=timeout, **more)
    finally:
        await client.close()


@pytest.mark.parametrize("address", ["127.0.0.1:{port}", "http://127.0.0.1:{port}/a2a"])
async def test_the_message_is_that_of_every_binding(address: str) -> None:
    """Text alone to an agent without our extension; integers come back as integers."""
    asked: list[SendMessageRequest] = []
    metadata: dict[str, Any] = {}

    async def reply(_name: str, request: bytes, context: Any) -> bytes:
        asked.append(SendMessageRequest.FromString(request))
        metadata.update(context.invocation_metadata())
        return says({"data": {"pot": 200, "odds": 0.5}})

    traces = Traces(TracerProvider(shutdown_on_exit=False))
    async with grpc_agent(reply, address) as origin:
        with traces.span("hand") as span:
            output = await call(origin, token="sesame-1234567890", traces=traces)
    assert sorted(map(repr, output.items())) == ["('odds', 0.5)", "('pot', 200)"]
    (part,) = asked[0].message.parts
    assert '{"pot":200}' in part.text
    assert metadata["authorization"] == "Bearer sesame-1234567890"
    assert metadata["a2a-version"] == "1.0"
    assert f"{span.context.trace_id:032x}-{span.context.span_id:016x}" in metadata["traceparent"]


async def test_a_task_is_polled_and_cancelled() -> None:
    """In the words of gRPC."""
    asked: list[str] = []
    cancelled = asyncio.Event()

    async def reply(name: str, _request: bytes, _context: Any) -> bytes:
        asked.append(name)
        if name == "CancelTask":
            cancelled.set()
        if name == "SendMessage":
            return task("TASK_STATE_WORKING")
        content = {"id": "t-1", "status": {"state": "TASK_STATE_WORKING"}}
        return ParseDict(content, Task()).SerializeToString()

    async with grpc_agent(reply) as origin:
        client = AgentClient()
        peer = await client.resolve(origin, timeout=SOON)
        call = asyncio.ensure_future(peer.call("act", b"{}", dict, timeout=SOON))
        await run_until(lambda: "GetTask" in asked)
        call.cancel()
        await cancelled.wait()
        await client.close()
    assert asked[:2] == ["SendMessage", "GetTask"]


async def test_a_missing_agent_is_unreachable() -> None:
    """As over every binding, so that the table asks again."""

    async def reply(*_: Any) -> bytes:
        return says({"data": {}})

    async with grpc_agent(reply, "127.0.0.1:4") as origin:
        with pytest.raises(Unreachable, match="no gRPC connection"):
            await call(origin)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (grpc.StatusCode.INTERNAL, "gRPC status INTERNAL"),
        (grpc.StatusCode.UNIMPLEMENTED, "gRPC status UNIMPLEMENTED"),
        (grpc.StatusCode.UNAUTHENTICATED, "gRPC status UNAUTHENTICATED"),
    ],
)
async def test_a_status_is_named_and_its_text_is_not_quoted(
    code: grpc.StatusCode, message: str
) -> None:
    """The address may be of an unrelated internal service."""

    async def reply(_name: str, _request: bytes, context: Any) -> bytes:
        await context.abort(code, "hunter2")
        raise AssertionError

    async with grpc_agent(reply) as origin:
        with pytest.raises(ProtocolFault, match=message) as fault:
            await call(origin)
    assert "hunter2" not in str(fault.value)


async def test_credentials_are_named() -> None:
    async def reply(_name: str, _request: bytes, context: Any) -> bytes:
        await context.abort(grpc.StatusCode.UNAUTHENTICATED, "hunter2")
        raise AssertionError

    async with grpc_agent(reply) as origin:
        client = AgentClient()
        found = await client.resolve(origin, timeout=SOON)
        scheme = {"securitySchemes": {"corp": {"httpAuthSecurityScheme": {"scheme": "Bearer"}}}}
        content = {**grpc_card(found.url), **scheme}
        async with agent(lambda *_: content) as (guarded, _):
            with pytest.raises(RemoteRefused, match="'corp'") as refused:
                await call(guarded)
        await client.close()
    assert refused.value.reason == KitReason.CREDENTIALS_REQUIRED


async def test_the_preferred_interface_is_taken() -> None:
    offered = [
        ("JSONRPC", "0.3"),
        ("GRPC", "1.0"),
        ("HTTP+JSON", "1.0"),
        ("JSONRPC", "1.0"),
    ]
    client = AgentClient()
    taken = []
    while offered:
        content = {
            **grpc_card(""),
            "supportedInterfaces": [
                {
                    "url": f"http://127.0.0.1:9001/{binding}-{version}",
                    "protocolBinding": binding,
                    "protocolVersion": version,
                }
                for binding, version in offered
            ],
        }
        async with agent(lambda *_, content=content: content) as (origin, _):
            peer = await client.resolve(origin, timeout=SOON)
        binding, _, version = peer.url.rpartition("/")[2].rpartition("-")
        taken.append((binding, version))
        offered.remove((binding, version))
    await client.close()
    assert taken == [("JSONRPC", "1.0"), ("HTTP+JSON", "1.0"), ("GRPC", "1.0"), ("JSONRPC", "0.3")]


async def test_a_card_of_other_bindings_is_refused_with_what_is_spoken() -> None:
    content = grpc_card("http://127.0.0.1:9001")
    content["supportedInterfaces"][0]["protocolBinding"] = "WEBSOCKET"
    content["supportedInterfaces"] *= 9
    async with agent(lambda *_: content) as (origin, _):
        client = AgentClient()
        with pytest.raises(ProtocolFault) as fault:
            await client.resolve(origin, timeout=SOON)
        await client.close()
    assert "offers WEBSOCKET 1.0, WEBSOCKET 1.0, " in fault.value.message
    assert "and 5 more; spoken here are JSONRPC, HTTP+JSON, GRPC of A2A 1.0" in fault.value.message


async def test_a_transport_without_sockets_speaks_no_grpc() -> None:
    async def app(_scope: Any, receive: Any, send: Any) -> None:
        await receive()
        body = json.dumps(grpc_card("http://odd:9001")).encode()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": body})

    client = AgentClient(InProcessTransport({"http://odd": app}))
    with pytest.raises(ProtocolFault, match=r"offers GRPC 1\.0; spoken here are JSONRPC, HTTP"):
        await client.resolve("http://odd", timeout=SOON)
    await client.close()
