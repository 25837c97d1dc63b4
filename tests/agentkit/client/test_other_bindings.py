"""Agents that do not speak JSON-RPC 1.0 are called through the SDK's client."""

import asyncio
import json
from datetime import timedelta
from typing import Any

import pytest
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import (
    create_agent_card_routes,
    create_jsonrpc_routes,
    create_rest_routes,
)
from a2a.server.tasks import InMemoryTaskStore
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill
from casino_agentkit import (
    AgentClient,
    InProcessTransport,
    RemoteRefused,
    TimedOut,
    Unreachable,
    Violation,
)
from casino_agentkit.protocol import RPC_PATH
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp
from support.players.odd_agent import BILL, SECOND, SOUP, TEXTS, card, order
from support.players.sample_agent import Bill, Order, SampleAgent, Waiter


def stock_agent(binding: str, version: str = "1.0") -> ASGIApp:
    """Return an agent built with the SDK alone, reached by one binding."""
    card = AgentCard(
        name="Stock",
        description="d",
        version="1",
        supported_interfaces=[
            AgentInterface(url="http://odd/a2a", protocol_binding=binding, protocol_version=version)
        ],
        capabilities=AgentCapabilities(),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
        skills=[AgentSkill(id="serve", name="s", description="d", tags=["t"])],
    )

    class Cook(Waiter):
        """Answers in prose around JSON."""

        async def execute(self, context: Any, event_queue: Any) -> None:
            context.get_user_input = lambda *_: TEXTS[1]
            await super().execute(context, event_queue)

    handler = DefaultRequestHandler(
        agent_executor=Cook(), task_store=InMemoryTaskStore(), agent_card=card
    )
    old = version.startswith("0")
    routes = (
        create_rest_routes(handler, path_prefix="/a2a", enable_v0_3_compat=old)
        if binding == "HTTP+JSON"
        else create_jsonrpc_routes(handler, "/a2a", enable_v0_3_compat=old)
    )
    return Starlette(routes=[*create_agent_card_routes(card), *routes])


class TestOtherBindings:
    """Whatever is not JSON-RPC 1.0 goes through the SDK's client."""

    @pytest.mark.parametrize(
        ("binding", "version"),
        [("JSONRPC", "1.0"), ("HTTP+JSON", "1.0"), ("JSONRPC", "0.3"), ("HTTP+JSON", "0.3")],
    )
    async def test_a_task_based_agent_of_the_sdk_answers(self, binding: str, version: str) -> None:
        assert (await order(stock_agent(binding, version))).model_dump() == BILL

    async def test_a_missing_agent_is_unreachable(self) -> None:
        transport = InProcessTransport({"http://odd": stock_agent("HTTP+JSON")})
        client = AgentClient(transport)
        peer = await client.resolve("http://odd", timeout=SECOND)
        transport.apps.clear()
        with pytest.raises(Unreachable):
            await peer.call("order", SOUP, Bill, timeout=SECOND)
        await client.close()

    async def test_a_slow_agent_times_out(self) -> None:
        async def hang(*_event: object) -> None:
            await asyncio.Event().wait()

        transport = InProcessTransport({"http://odd": stock_agent("HTTP+JSON")})
        client = AgentClient(transport)
        peer = await client.resolve("http://odd", timeout=SECOND)
        transport.apps["http://odd"] = hang
        with pytest.raises(TimedOut):
            await peer.call("order", SOUP, Bill, timeout=timedelta(milliseconds=200))
        await client.close()

    async def test_a_refusal_keeps_reason_and_violations(self) -> None:
        sample = SampleAgent().app()
        only_rest = card(url="http://odd")
        only_rest["supportedInterfaces"] = [
            {
                "url": "http://odd/a2a/rest",
                "protocolBinding": "HTTP+JSON",
                "protocolVersion": "1.0",
            }
        ]

        async def serve_card(_request: Request) -> Response:
            return Response(json.dumps(only_rest))

        app = Starlette(routes=[Route("/card.json", serve_card)])
        app.mount("/", sample)
        client = AgentClient(InProcessTransport({"http://odd": app}))
        peer = await client.resolve("http://odd/card.json", timeout=SECOND)
        assert (await peer.call("order", SOUP, Bill, timeout=SECOND)).total == 2
        with pytest.raises(RemoteRefused) as refused:
            await peer.call("order", Order(dish="stew", plates=1), Bill, timeout=SECOND)
        assert refused.value.reason == "BAD_EXTRAS"
        assert refused.value.violations == (Violation("extras.0", "must go"),)
        assert refused.value.details == {"instead": "soup"}
        assert RPC_PATH not in peer.url
        await client.close()
