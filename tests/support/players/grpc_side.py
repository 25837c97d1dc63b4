"""Agents of the kit served over gRPC, and the SDK's client of them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc
import httpx
import pytest
from a2a.client import ClientConfig, ClientFactory
from a2a.types import Message, Part, Role, SendMessageRequest, a2a_pb2_grpc
from casino_agentkit import ANYONE, Agent, Service
from casino_agentkit.server.grpc_server import GrpcServer
from casino_agentkit.server.server_limits import GrpcListener, ServerLimits
from google.protobuf.json_format import ParseDict
from google.protobuf.struct_pb2 import Value

from support.players.sample_agent import SampleAgent, Waiter

SOUP = {"dish": "soup", "plates": 2}
ANY_PORT = GrpcListener(0)
LIMITS = ServerLimits()


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
    server = GrpcServer(service.served, limits)
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
