"""`/bgp/seats`: take a seat in a match, and leave it; and all routes of the Boardgame Protocol."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import orjson
import structlog
from casino_contracts.base import DISPLAY_NAME_LIMIT, displayed
from casino_lobby_client.errors import CallRefused, LobbyAway, UnknownRoom
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, WebSocketRoute

from casino_gateway.boardgame import boardgame_replies
from casino_gateway.boardgame.boardgame_dispatch import (
    Dispatch,
    SpecificationVersions,
    failed,
    refused,
)
from casino_gateway.boardgame.boardgame_endpoint import (
    BoardgameEndpoint,
    RateLimits,
    Rates,
    response,
)
from casino_gateway.boardgame.boardgame_messages import (
    Core,
    ErrorCode,
    MessageRefused,
    fault,
    invalid,
    parsed,
    refused_by_lobby,
)
from casino_gateway.boardgame.boardgame_transports import (
    BoardgamePosts,
    BoardgameSockets,
    BoardgameStreams,
    sender_of,
)
from casino_gateway.boardgame.strict_dialect import MatchRequests
from casino_gateway.errors import StoreFailed
from casino_gateway.seats.seat_service import SeatService, WantedSeat

Json = dict[str, Any]

_SEAT_WEIGHT = 5.0
"""Price of a new seat: it makes the gateway call the lobby."""
_MAX_SEATS = 10

logger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class SeatRoutes:
    """Gives out seats and takes them back."""

    endpoint: BoardgameEndpoint

    async def handle(self, request: Request) -> Response:
        try:
            if request.method == "DELETE":
                return await self._leave(request)
            address = sender_of(request).address
            self.endpoint.limits.take_of_address(address, _SEAT_WEIGHT)
            order = order_of(parsed(await request.body()), address)
            return await self._join(order)
        except MessageRefused as refusal:
            return response(refused(refusal))
        except (LobbyAway, StoreFailed) as error:
            return response(failed(error, Core()))
        except Exception:
            logger.exception("seat_failed")
            return response(failed(None, Core()))

    async def _join(self, order: WantedSeat) -> Response:
        core = Core(match_id=order.room_id)
        try:
            taken = await self.endpoint.seats.take(order)
        except UnknownRoom as unknown:
            text = f'There is no match "{order.room_id}".'
            raise MessageRefused(ErrorCode.UNKNOWN_MATCH, text, core) from unknown
        except CallRefused as refusal:
            raise refused_by_lobby(refusal, core) from refusal
        identity = taken.seat.identity
        reply = {
            "match_id": identity.room_id,
            "agent_id": identity.player_id,
            "token": taken.token,
            "game": identity.game_type,
        }
        headers = {"cache-control": "no-store"}
        return Response(orjson.dumps(reply), 201, headers, "application/json")

    async def _leave(self, request: Request) -> Response:
        sender = sender_of(request)
        self.endpoint.count(sender)
        seat = self.endpoint.dispatch.seat_of(sender.token, Core())
        core = boardgame_replies.core_of(seat)
        if seat.closed is None:
            try:
                await self.endpoint.seats.leave(seat)
            except CallRefused as refusal:
                raise refused_by_lobby(refusal, core) from refusal
            if seat.closed is None:  # after the running hand, in which nobody waits for it
                seat.sit_out()
        reply = {"match_id": core.match_id, "agent_id": core.agent_id}
        return Response(orjson.dumps(reply), media_type="application/json")


def order_of(message: Json, address: str) -> WantedSeat:
    """Return the order of a seat for a client's address; raises MessageRefused with every fault."""
    faults = []
    match_id, name, kind = message.get("match_id"), message.get("name"), message.get("type")
    buy_in, seat = message.get("buy_in"), message.get("seat")
    if not isinstance(match_id, str) or not match_id:
        faults.append(fault("match_id", "must be the id of a match, a string"))
    if not isinstance(name, str) or not displayed(name):
        faults.append(
            fault("name", f"must be a visible name of 1 to {DISPLAY_NAME_LIMIT} characters")
        )
    if kind not in ("human", "ai"):  # no set: a list has no hash
        faults.append(fault("type", 'must be "human" or "ai"'))
    if buy_in is not None and (type(buy_in) not in {int, float} or buy_in <= 0):
        faults.append(fault("buy_in", "must be a number above 0, or be left out"))
    if seat is not None and (type(seat) is not int or not 0 <= seat < _MAX_SEATS):
        faults.append(fault("seat", f"must be a seat number from 0 to {_MAX_SEATS - 1}"))
    if faults or not isinstance(match_id, str) or not isinstance(name, str):
        raise invalid(Core(match_id=match_id if isinstance(match_id, str) else ""), faults)
    return WantedSeat(
        room_id=match_id,
        display_name=displayed(name),
        kind="human" if kind == "human" else "ai",
        buy_in=buy_in,
        preferred_seat=seat,
        address=address,
    )


def boardgame_routes(
    seats: SeatService,
    *,
    may_create_rooms: bool,
    now: Callable[[], float] = time.monotonic,
    wall: Callable[[], datetime] = lambda: datetime.now(UTC),
    rates: Rates | None = None,
) -> list[BaseRoute]:
    """`now` returns the seconds of the questions' clock, `wall` the time of the day."""
    endpoint = BoardgameEndpoint(
        seats,
        Dispatch(seats, SpecificationVersions(seats, now), now, wall),
        MatchRequests(seats, may_create_rooms=may_create_rooms),
        RateLimits(now, rates),
    )
    http, seat_desk = BoardgamePosts(endpoint), SeatRoutes(endpoint)
    socket, stream = BoardgameSockets(endpoint, now), BoardgameStreams(endpoint, now)
    return [
        Route("/bgp", http.post, methods=["POST"]),
        Route("/bgp/seats", seat_desk.handle, methods=["POST", "DELETE"]),
        Route("/bgp/stream/{place:path}", stream.get, methods=["GET"]),
        WebSocketRoute("/bgp/ws", socket.connect),
    ]
