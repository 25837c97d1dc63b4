"""Routes of the Boardgame Protocol."""

import time
from collections.abc import Callable
from datetime import UTC, datetime

from starlette.routing import BaseRoute, Route, WebSocketRoute

from casino_gateway.bgp.dispatch import Dispatch
from casino_gateway.bgp.endpoint import Endpoint
from casino_gateway.bgp.http import HttpTransport
from casino_gateway.bgp.match_desk import MatchDesk
from casino_gateway.bgp.rate_limits import RateLimits, Rates
from casino_gateway.bgp.seats import SeatDesk
from casino_gateway.bgp.specification_versions import SpecificationVersions
from casino_gateway.bgp.stream import StreamTransport
from casino_gateway.bgp.websocket import SocketTransport
from casino_gateway.seats.seat_service import SeatService


def bgp_routes(
    seats: SeatService,
    *,
    may_create_rooms: bool,
    now: Callable[[], float] = time.monotonic,
    wall: Callable[[], datetime] = lambda: datetime.now(UTC),
    rates: Rates | None = None,
) -> list[BaseRoute]:
    """Return the routes.

    `now` returns the seconds of the questions' clock, `wall` the time of the day.
    """
    endpoint = Endpoint(
        seats,
        Dispatch(seats, SpecificationVersions(seats, now), now, wall),
        MatchDesk(seats, may_create_rooms=may_create_rooms),
        RateLimits(now, rates),
    )
    http, seat_desk = HttpTransport(endpoint), SeatDesk(endpoint)
    socket, stream = SocketTransport(endpoint, now), StreamTransport(endpoint, now)
    return [
        Route("/bgp", http.post, methods=["POST"]),
        Route("/bgp/seats", seat_desk.handle, methods=["POST", "DELETE"]),
        Route("/bgp/stream/{place:path}", stream.get, methods=["GET"]),
        WebSocketRoute("/bgp/ws", socket.connect),
    ]
