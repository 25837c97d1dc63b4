"""An agent reached by gRPC alone, whose replies a test chooses; its card is served over HTTP."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import grpc
import grpc.aio
from a2a.types import SendMessageResponse
from google.protobuf.json_format import ParseDict

from support.attack.raw_servers import agent

Reply = Callable[[str, bytes, Any], Awaitable[bytes]]
"""Takes the method's name, the request and the gRPC context; returns the reply."""


class AnyMethod(grpc.GenericRpcHandler):  # type: ignore[misc]  # gRPC has no type information
    """Answers every method by one function, in bytes."""

    def __init__(self, reply: Reply) -> None:
        self._reply = reply

    def service(self, call: Any) -> Any:
        name = call.method.rpartition("/")[2]

        async def answer(request: bytes, context: Any) -> bytes:
            return await self._reply(name, request, context)

        return grpc.unary_unary_rpc_method_handler(answer)


def grpc_card(url: str) -> dict[str, Any]:
    """Return the card of an agent whose only interface is gRPC at an address."""
    interface = {"url": url, "protocolBinding": "GRPC", "protocolVersion": "1.0"}
    return {
        "name": "Remote",
        "description": "d",
        "version": "1",
        "supportedInterfaces": [interface],
        "capabilities": {},
        "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"],
        "skills": [{"id": "talk", "name": "talk", "description": "d", "tags": ["t"]}],
    }


@asynccontextmanager
async def grpc_server(reply: Reply, **options: Any) -> AsyncIterator[int]:
    """Serve replies; yields the port."""
    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)], **options)
    server.add_generic_rpc_handlers((AnyMethod(reply),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        yield port
    finally:
        await server.stop(None)


@asynccontextmanager
async def grpc_agent(
    reply: Reply, address: str = "127.0.0.1:{port}", **options: Any
) -> AsyncIterator[str]:
    """Serve an agent; yields the address of its card. `address` is the one that its card names."""
    async with grpc_server(reply, **options) as port:
        content = grpc_card(address.format(port=port))
        async with agent(lambda *_: content) as (origin, _):
            yield origin


def says(*parts: dict[str, Any]) -> bytes:
    """Return a reply with a message of these parts."""
    message = {"messageId": "r", "role": "ROLE_AGENT", "parts": list(parts)}
    return ParseDict({"message": message}, SendMessageResponse()).SerializeToString()


def task(state: str) -> bytes:
    """Return a reply with a task in a state."""
    content = {"id": "t-1", "contextId": "c", "status": {"state": state}}
    return ParseDict({"task": content}, SendMessageResponse()).SerializeToString()
