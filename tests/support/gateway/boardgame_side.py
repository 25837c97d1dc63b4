"""The Boardgame Protocol over a seat in this process, without lobby and table."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import httpx
import orjson
from casino_agentkit import Service, WebSocketLimits
from casino_agentkit.server.server_limits import DEFAULT_LIMITS
from casino_gateway.app import body_refusal
from casino_gateway.boardgame.boardgame_endpoint import Rates
from casino_gateway.boardgame.seat_routes import boardgame_routes

from support.gateway.seat_side import TOKEN, Json, OneRoom, SeatSide
from support.listening import listening

NOW = datetime(2026, 11, 22, 18, 40, 5, 999999, tzinfo=UTC)


class BoardgameSide:
    """A seat, and a client of its agent."""

    def __init__(self, rates: Rates | None = None, *, may_create_rooms: bool = True) -> None:
        self.side = SeatSide()
        self.seat = self.side.seat
        self.seats = OneRoom(self.side)
        self.routes = boardgame_routes(
            self.seats,
            may_create_rooms=may_create_rooms,
            now=self.side.clock.now,
            wall=lambda: NOW,
            rates=rates,
        )
        app = Service({}, routes=self.routes, body_refusal=body_refusal).asgi()
        transport = httpx.ASGITransport(app)
        self.http = httpx.AsyncClient(transport=transport, base_url="http://gateway")

    async def post(
        self, message: object, *, token: str | None = TOKEN, path: str = "/bgp"
    ) -> tuple[int, Json]:
        """Send a message; bytes are sent as they are."""
        content = message if isinstance(message, bytes) else orjson.dumps(message)
        headers = {"authorization": f"Bearer {token}"} if token else {}
        reply = await self.http.post(path, content=content, headers=headers)
        return reply.status_code, reply.json()

    async def act(self, kind: str, **data: Any) -> Json:
        action = {"version": "1.0.0", "type": kind, "data": data}
        status, reply = await self.post({**core("perform_action"), "action": action})
        assert status == 200, reply
        response: Json = reply["action_response"]
        return response


def core(kind: str, **fields: Any) -> Json:
    """Return the core fields of a message of `ada`."""
    return {
        "version": "1.0.0",
        "type": kind,
        "game": "kuhn_poker",
        "match_id": "room",
        "agent_id": "ada",
        **fields,
    }


def code_of(reply: Json) -> str:
    """Return the code of an error."""
    code: str = reply["error"]["data"]["code"]
    return code


@asynccontextmanager
async def served(side: BoardgameSide) -> AsyncIterator[int]:
    """Serve the protocol over a real socket; yields the port."""
    service = Service(
        {}, routes=side.routes, websockets=WebSocketLimits(), body_refusal=body_refusal
    )
    async with listening(service, DEFAULT_LIMITS) as port:
        yield port
