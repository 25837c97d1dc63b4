"""Agents that do not speak JSON-RPC 1.0 are called through the SDK's client."""

import asyncio
import json
from typing import Any

import pytest
from casino_agentkit import AgentClient, RemoteRefused, TimedOut, Unreachable, Violation
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp
from support.in_process import InProcessTransport
from support.players.odd_agent import BILL, SECOND, SOUP, TEXTS, card, order
from support.players.sample_agent import Bill, Order, SampleAgent, Waiter
from support.players.stock_player import stock_app


class Cook(Waiter):
    """Answers in prose around JSON."""

    async def execute(self, context: Any, event_queue: Any) -> None:
        context.get_user_input = lambda *_: TEXTS[1]
        await super().execute(context, event_queue)


def stock_agent(binding: str, version: str = "1.0") -> ASGIApp:
    return stock_app(Cook(), "http://odd/a2a", binding, version)


class TestOtherBindings:
    """Whatever is not JSON-RPC 1.0 goes through the SDK's client."""

    @pytest.mark.parametrize(
        ("binding", "version"),
        [("JSONRPC", "1.0"), ("HTTP+JSON", "1.0"), ("JSONRPC", "0.3"), ("HTTP+JSON", "0.3")],
    )
    async def test_a_task_based_agent_of_the_sdk_answers(self, binding: str, version: str) -> None:
        assert (await order(stock_agent(binding, version))).model_dump() == BILL

    async def test_a_missing_or_slow_agent_has_its_error(self) -> None:
        async def hang(*_event: object) -> None:
            await asyncio.Event().wait()

        transport = InProcessTransport({"http://odd": stock_agent("HTTP+JSON")})
        client = AgentClient(transport)
        peer = await client.resolve("http://odd", timeout=SECOND)
        for apps, error in (({}, Unreachable), ({"http://odd": hang}, TimedOut)):
            transport.apps = dict(apps)
            with pytest.raises(error):
                await peer.call("order", SOUP, Bill, timeout=SECOND)
        await client.close()

    async def test_a_refusal_keeps_reason_and_violations(self) -> None:
        only_rest = card()
        rest = {"protocolBinding": "HTTP+JSON", "protocolVersion": "1.0"}
        only_rest["supportedInterfaces"] = [{"url": "http://odd/a2a/rest", **rest}]

        async def serve_card(_request: Request) -> Response:
            return Response(json.dumps(only_rest))

        app = Starlette(routes=[Route("/card.json", serve_card)])
        app.mount("/", SampleAgent().app())
        client = AgentClient(InProcessTransport({"http://odd": app}))
        peer = await client.resolve("http://odd/card.json", timeout=SECOND)
        assert (await peer.call("order", SOUP, Bill, timeout=SECOND)).total == 2
        with pytest.raises(RemoteRefused) as refused:
            await peer.call("order", Order(dish="stew", plates=1), Bill, timeout=SECOND)
        assert refused.value.reason == "BAD_EXTRAS"
        assert refused.value.violations == (Violation("extras.0", "must go"),)
        assert refused.value.details == {"instead": "soup"}
        await client.close()
