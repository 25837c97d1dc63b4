"""The Boardgame Protocol over a seat in this process, without lobby and table."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import httpx
import orjson
from casino_agentkit import Service, WebSocketLimits
from casino_agentkit.server.limits import DEFAULT_LIMITS
from casino_contracts import RoomSnapshot, RoomSummary
from casino_gateway.bgp.rate_limits import Rates
from casino_gateway.bgp.routes import bgp_routes
from casino_gateway.domain.match import Match
from casino_gateway.seats.live_seat import LiveSeat
from casino_gateway.seats.seat_service import SeatOrder, SeatService, TakenSeat
from casino_seats.errors import LobbyUnavailable, SeatRefused, UnknownRoom
from starlette.applications import Starlette

from support.gateway.seat_side import SeatSide, snapshot
from support.listening import listening

Json = dict[str, Any]
TOKEN = "token-of-ada"
NOW = datetime(2026, 11, 22, 18, 40, 5, 999999, tzinfo=UTC)


class SeatsInMemory(SeatService):
    """The seats of one room; `is_away` takes the lobby away."""

    def __init__(self, side: SeatSide) -> None:
        self.side = side
        self.tokens = {TOKEN: side.seat}
        self.is_away = False
        self.specifications_read = 0
        self.refusal: SeatRefused | None = None

    def by_token(self, token: str) -> LiveSeat | None:
        return self.tokens.get(token)

    async def take(self, order: SeatOrder) -> TakenSeat:
        self._call(order.room_id)
        seat = self.side.take(order.display_name.lower(), 1)
        self.tokens["another-token"] = seat
        return TakenSeat(seat, "another-token")

    async def leave(self, seat: LiveSeat) -> None:
        self._call("room")
        seat.close("left")

    async def match(self, room_id: str) -> Match:
        """Return a room's public facts; there is another room beside the seat's."""
        self._call(room_id)
        return self.side.room.match

    async def rooms(self) -> list[RoomSummary]:
        """Return a room with players and one without."""
        self._call("room")
        values: Json = {"table_id": "t", "game_type": "kuhn_poker", "table_agent_card_url": ""}
        return [
            RoomSummary(room_id="room", status="running", hand_count=1, player_count=2, **values),
            RoomSummary(room_id="gone", status="idle", hand_count=1, player_count=2, **values),
            RoomSummary(room_id="empty", status="idle", hand_count=1, player_count=0, **values),
        ]

    async def room(self, room_id: str) -> RoomSnapshot:
        self._call(room_id)
        return snapshot(status="running")

    async def create_room(self, order: Json) -> RoomSummary:
        if self.refusal is not None:
            raise self.refusal
        config = order["config"]
        return RoomSummary(
            room_id=f"{order['gameType']}-{config['maxHands']}-{config['smallBlind']}",
            table_id="t",
            game_type=order["gameType"],
            table_agent_card_url="",
            status="waiting",
            hand_count=0,
            player_count=0,
        )

    async def specification(self, game_type: str) -> tuple[str, str] | None:
        self._call("room")
        self.specifications_read += 1
        return (f"# {game_type}", "1.3.0")

    def _call(self, room_id: str) -> None:
        if self.is_away:
            raise LobbyUnavailable
        if self.refusal is not None:
            raise self.refusal
        if room_id not in {"room", "another"}:
            raise UnknownRoom


class BgpSide:
    """A seat, and a client of its agent."""

    def __init__(self, rates: Rates | None = None, *, may_create_rooms: bool = True) -> None:
        self.side = SeatSide()
        self.seat = self.side.seat
        self.seats = SeatsInMemory(self.side)
        self.routes = bgp_routes(
            self.seats,
            may_create_rooms=may_create_rooms,
            now=self.side.clock.now,
            wall=lambda: NOW,
            rates=rates,
        )
        self.http = httpx.AsyncClient(
            transport=httpx.ASGITransport(Starlette(routes=self.routes)), base_url="http://gateway"
        )

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


@asynccontextmanager
async def served(side: BgpSide) -> AsyncIterator[int]:
    """Serve the protocol over a real socket; yields the port."""
    service = Service({}, routes=side.routes, websockets=WebSocketLimits())
    async with listening(service, DEFAULT_LIMITS) as port:
        yield port
