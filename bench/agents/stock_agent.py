"""Serve and call `act` with the handler and client of the stock A2A SDK.

`python bench/agents/stock_agent.py PORT` serves it.
"""

import sys

import httpx
import uvicorn
from a2a.client import ClientConfig, ClientFactory
from a2a.client.client import Client
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
from a2a.server.tasks import InMemoryTaskStore
from a2a.types import (
    AgentCapabilities,
    AgentCard,
    AgentInterface,
    AgentSkill,
    Message,
    Part,
    Role,
    SendMessageRequest,
)
from casino_contracts import ActionRequest, ActionResponse
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.struct_pb2 import Value
from starlette.applications import Starlette


class Acting(AgentExecutor):
    """Answer a data part with a data part."""

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        """Answer `call`."""
        if context.message is None:
            return
        ActionRequest.model_validate(MessageToDict(context.message.parts[0].data))
        answer = ActionResponse(action="call").model_dump(mode="json")
        part = Part(data=ParseDict(answer, Value()), media_type="application/json")
        message = Message(
            message_id="r", role=Role.ROLE_AGENT, context_id=context.context_id or "", parts=[part]
        )
        await event_queue.enqueue_event(message)

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        """Raise NotImplementedError: tasks are not cancelled here."""
        raise NotImplementedError


class StockClient:
    """Client of the stock agent with the SDK's client."""

    def __init__(self, client: Client, http: httpx.AsyncClient) -> None:
        self._client = client
        self._http = http

    @classmethod
    async def to(cls, url: str) -> "StockClient":
        """Resolve the card and return the client."""
        http = httpx.AsyncClient(timeout=20)
        config = ClientConfig(streaming=False, httpx_client=http)
        return cls(await ClientFactory(config).create_from_url(url), http)

    async def act(self, request: ActionRequest) -> ActionResponse:
        """Send a question and return the answer."""
        data = ParseDict(request.model_dump(mode="json"), Value())
        part = Part(data=data, media_type="application/json")
        message = Message(message_id="m", role=Role.ROLE_USER, parts=[part])
        async for reply in self._client.send_message(SendMessageRequest(message=message)):
            return ActionResponse.model_validate(MessageToDict(reply.message.parts[0].data))
        raise RuntimeError("no reply")

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()


def main() -> None:
    """Serve the stock agent."""
    port = int(sys.argv[1])
    interface = AgentInterface(
        url=f"http://127.0.0.1:{port}/a2a", protocol_binding="JSONRPC", protocol_version="1.0"
    )
    card = AgentCard(
        name="stock",
        description="stock",
        version="1",
        supported_interfaces=[interface],
        capabilities=AgentCapabilities(streaming=False),
        default_input_modes=["application/json"],
        default_output_modes=["application/json"],
        skills=[AgentSkill(id="act", name="act", description="act", tags=["t"])],
    )
    handler = DefaultRequestHandler(
        agent_executor=Acting(), task_store=InMemoryTaskStore(), agent_card=card
    )
    routes = [*create_agent_card_routes(card), *create_jsonrpc_routes(handler, "/a2a")]
    uvicorn.run(
        Starlette(routes=routes),
        host="127.0.0.1",
        port=port,
        loop="uvloop",
        http="httptools",
        access_log=False,
        log_level="warning",
        timeout_keep_alive=75,
    )


if __name__ == "__main__":
    main()
