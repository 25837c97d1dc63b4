"""An agent written by hand whose answers a test chooses."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

from casino_agentkit import AgentClient, RemoteAgent
from casino_agentkit.protocol import CARD_PATH
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from support import envelopes
from support.in_process import InProcessTransport
from support.players.sample_agent import Bill, Order

SECOND = timedelta(seconds=1)
SOUP = Order(dish="soup", plates=2)
BILL = {"dish": "soup", "total": 2, "number": 1}
Answer = Callable[[dict[str, Any]], Any]


def card(*, url: str = "http://odd", typed: bool = True, tenant: str = "") -> dict[str, Any]:
    """Return the card of an odd agent."""
    content = envelopes.card("jsonrpc", url)
    content["supportedInterfaces"][0]["tenant"] = tenant
    skills = [{"id": "order", "name": "o", "description": "d", "tags": ["t"]}]
    return {
        **content,
        "name": "Odd",
        "capabilities": content["capabilities"] if typed else {},
        "skills": skills,
    }


class Odd:
    """An agent whose card and answers a test chooses."""

    def __init__(self, answer: Answer, **shape: Any) -> None:
        self.asked: list[dict[str, Any]] = []
        self._answer = answer
        self.card = card(**shape)

    def app(self) -> ASGIApp:

        async def serve_rpc(request: Request) -> Response:
            call = await request.json()
            self.asked.append(call)
            answer = self._answer(call)
            if asyncio.iscoroutine(answer):
                answer = await answer
            if isinstance(answer, Response):
                return answer
            return Response(json.dumps({"jsonrpc": "2.0", "id": call["id"], **answer}))

        return spoken("jsonrpc", serve_rpc, **self.card)


Serve = Callable[[Request], Awaitable[Response]]


def spoken(binding: str, serve: Serve, **of_card: Any) -> ASGIApp:
    """Return an agent that speaks one binding, and answers every call by a function."""

    async def serve_card(_request: Request) -> Response:
        return JSONResponse({**envelopes.card(binding, "http://odd"), **of_card})

    return Starlette(
        routes=[
            Route(CARD_PATH, serve_card),
            Route("/rpc", serve, methods=["POST"]),
            Route("/rpc/{rest:path}", serve, methods=["GET", "POST"]),
        ]
    )


async def peer_of(app: ASGIApp, origin: str = "http://odd") -> RemoteAgent:
    return await AgentClient(InProcessTransport({origin: app})).resolve(origin, timeout=SECOND)


async def order(app: ASGIApp, order: Order = SOUP) -> Bill:
    return await (await peer_of(app)).call("order", order, Bill, timeout=SECOND)


def says(*parts: dict[str, Any]) -> Answer:
    """Answer with a message of these parts."""
    message = {"messageId": "r", "role": "ROLE_AGENT", "contextId": "ctx-7", "parts": list(parts)}
    return lambda _call: {"result": {"message": message}}


def task(state: str, **fields: Any) -> dict[str, Any]:
    return {"id": "t-1", "contextId": "ctx-7", "status": {"state": state}, **fields}


TEXTS = [
    json.dumps(BILL),
    f"Here you are:\n```json\n{json.dumps(BILL)}\n```\nEnjoy!",
    f"```\n{json.dumps(BILL, indent=2)}\n```",
    f"I thought about it. {json.dumps(BILL)} Bon appetit {{}}"[:-3],
]
