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


class SdkCaller:
    """The SDK's client over one binding."""

    def __init__(self, service: Service, binding: str = "GRPC", *, streaming: bool = True) -> None:
        self._channels: list[grpc.aio.Channel] = []
        transport = httpx.ASGITransport(service.asgi())
        self._http = httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1")
        self._config = ClientConfig(
            streaming=streaming,
            httpx_client=self._http,
            supported_protocol_bindings=[binding],
            grpc_channel_factory=self._channel,
        )

    def _channel(self, url: str) -> grpc.aio.Channel:
        self._channels.append(grpc.aio.insecure_channel(url))
        return self._channels[-1]

    async def client(self, path: str = "") -> Any:
        return await ClientFactory(self._config).create_from_url("http://127.0.0.1" + path)

    async def close(self) -> None:
        await self._http.aclose()
        for channel in self._channels:
            await channel.close()


async def reply(
    service: Service, request: SendMessageRequest, *, path: str = "", **headers: str
) -> StreamResponse:
    """Send a request with the SDK's client, over the gRPC interface of the card."""
    caller = SdkCaller(service)
    context = ClientCallContext(service_parameters=headers)
    try:
        client = await caller.client(path)
        (answer,) = [one async for one in client.send_message(request, context=context)]
    finally:
        await caller.close()
    return answer


async def output(service: Service, skill: str, data: Any = None, **how: Any) -> Any:
    """Call an entrypoint and return its output."""
    answer = await reply(service, message(data or {}, skill), **how)
    return MessageToDict(answer.message.parts[0].data)


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
