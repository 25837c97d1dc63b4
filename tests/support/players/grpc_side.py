"""Agents of the kit served over gRPC, and the SDK's client of them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc
import httpx
import pytest
from a2a.client import ClientCallContext, ClientConfig, ClientFactory
from a2a.types import Message, Part, Role, SendMessageRequest, a2a_pb2_grpc
from a2a.types.a2a_pb2 import StreamResponse
from casino_agentkit import ANYONE, Agent, KeyRule, Scheme, Service, caller
from casino_agentkit.server.grpc_binding.listener import GrpcListener
from casino_agentkit.server.grpc_binding.server import GrpcServer
from casino_agentkit.server.limits import ServerLimits
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.struct_pb2 import Value
from pydantic import BaseModel

from support.players.sample_agent import SampleAgent, Waiter

SOUP = {"dish": "soup", "plates": 2}
KEY = "sesame-of-sixteen-characters"
ANY_PORT = GrpcListener(0)
LIMITS = ServerLimits()


class Nothing(BaseModel):
    """No input."""


class Seen(BaseModel):
    """Who called."""

    token: str
    address: str
    capability: str


def guide() -> Agent:
    """Return an agent that tells callers who they are, with an entrypoint for one key."""
    agent = Agent("Guide", "Sees callers.")

    @agent.entrypoint("whoami", who=ANYONE)
    async def whoami(_request: Nothing) -> Seen:
        return Seen(**caller()._asdict())

    rule = KeyRule(Scheme("key", "the guide's key"), lambda _: KEY)

    @agent.entrypoint("secret", who=rule)
    async def secret(_request: Nothing) -> Seen:
        return Seen(**caller()._asdict())

    return agent


def kitchen() -> Agent:
    """Return an agent with an entrypoint and an executor."""
    agent = Agent("Both", "Cooks and serves.", executor=Waiter(), streaming=True)
    agent.entrypoint("order", who=ANYONE)(SampleAgent().order)
    return agent


@asynccontextmanager
async def serving(
    agents: dict[str, Agent], listener: GrpcListener = ANY_PORT, limits: ServerLimits = LIMITS
) -> AsyncIterator[Service]:
    """Serve agents over gRPC, as a process does."""
    service = Service(agents)
    server = GrpcServer(service.served, 2**20, limits)
    service.grpc_port = await server.start("127.0.0.1", listener)
    try:
        yield service
    finally:
        await server.stop(0)


def message(data: Any, skill: str | None = None, **part: Any) -> SendMessageRequest:
    """Return a request with one data part."""
    parts = [Part(data=ParseDict(data, Value()), **part)]
    said = Message(message_id="m", role=Role.ROLE_USER, parts=parts)
    if skill:
        said.metadata.update({"skillId": skill})
    return SendMessageRequest(message=said)


async def replies(
    service: Service,
    request: SendMessageRequest,
    *,
    path: str = "",
    headers: dict[str, str] | None = None,
) -> list[StreamResponse]:
    """Send a request with the SDK's client, over the gRPC interface of the card."""
    channels: list[grpc.aio.Channel] = []

    def channel_of(url: str) -> grpc.aio.Channel:
        channels.append(grpc.aio.insecure_channel(url))
        return channels[-1]

    app = service.asgi()
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://127.0.0.1"
    ) as http:
        config = ClientConfig(
            httpx_client=http, supported_protocol_bindings=["GRPC"], grpc_channel_factory=channel_of
        )
        client = await ClientFactory(config).create_from_url("http://127.0.0.1" + path)
        context = ClientCallContext(service_parameters=headers or {})
        try:
            return [reply async for reply in client.send_message(request, context=context)]
        finally:
            for channel in channels:
                await channel.close()


async def output(service: Service, skill: str, data: Any = None, **how: Any) -> Any:
    """Call an entrypoint and return its output."""
    (reply,) = await replies(service, message(data or {}, skill), **how)
    return MessageToDict(reply.message.parts[0].data)


@asynccontextmanager
async def channel(service: Service, **options: Any) -> AsyncIterator[Any]:
    """Return the service's stub on a connection of its own."""
    address = f"127.0.0.1:{service.grpc_port}"
    async with grpc.aio.insecure_channel(address, **options) as connected:
        yield a2a_pb2_grpc.A2AServiceStub(connected)  # type: ignore[no-untyped-call]


async def raw_status(service: Service, request: Any, metadata: Any = (), **options: Any) -> bytes:
    """Return the details of a refused call."""
    async with channel(service) as stub:
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await stub.SendMessage(request, metadata=metadata, **options)
    trailing = dict(refused.value.trailing_metadata() or ())
    return bytes(trailing.get("grpc-status-details-bin", b"")) or refused.value.details().encode()
