"""`/bgp/seats`: take a seat in a match, and leave it."""

from dataclasses import dataclass
from typing import Any

import orjson
import structlog
from casino_contracts.names import DISPLAY_NAME_LIMIT, displayed
from casino_lobby_client.errors import CallRefused, LobbyAway, UnknownRoom
from starlette.requests import Request
from starlette.responses import Response

from casino_gateway.bgp import replies
from casino_gateway.bgp.codes import ErrorCode
from casino_gateway.bgp.dispatch import failed, refused
from casino_gateway.bgp.endpoint import Endpoint, response
from casino_gateway.bgp.http import sender_of
from casino_gateway.bgp.messages import invalid, parsed
from casino_gateway.bgp.refusal import Core, MessageRefused, refused_by_lobby
from casino_gateway.errors import StoreFailed
from casino_gateway.seats.seat_service import SeatOrder

Json = dict[str, Any]

_SEAT_WEIGHT = 5.0
"""Price of a new seat: it makes the gateway call the lobby."""
_MAX_SEATS = 10

logger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class SeatDesk:
    """Gives out seats and takes them back."""

    endpoint: Endpoint

    async def handle(self, request: Request) -> Response:
        """Answer `POST` (join) and `DELETE` (leave)."""
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

    async def _join(self, order: SeatOrder) -> Response:
        """Take a seat; raises MessageRefused if the lobby or the table refuses."""
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
        core = replies.core_of(seat)
        if seat.closed is None:
            try:
                await self.endpoint.seats.leave(seat)
            except CallRefused as refusal:
                raise refused_by_lobby(refusal, core) from refusal
            if seat.closed is None:  # after the running hand, in which nobody waits for it
                seat.sit_out()
        reply = {"match_id": core.match_id, "agent_id": core.agent_id}
        return Response(orjson.dumps(reply), media_type="application/json")


def order_of(message: Json, address: str) -> SeatOrder:
    """Return the order of a seat for a client's address; raises MessageRefused with every fault."""
    faults = []
    match_id, name, kind = message.get("match_id"), message.get("name"), message.get("type")
    buy_in, seat = message.get("buy_in"), message.get("seat")
    if not isinstance(match_id, str) or not match_id:
        faults.append(_fault("match_id", "must be the id of a match, a string"))
    if not isinstance(name, str) or not displayed(name):
        faults.append(
            _fault("name", f"must be a visible name of 1 to {DISPLAY_NAME_LIMIT} characters")
        )
    if kind not in ("human", "ai"):  # no set: a list has no hash
        faults.append(_fault("type", 'must be "human" or "ai"'))
    if buy_in is not None and (type(buy_in) not in {int, float} or buy_in <= 0):
        faults.append(_fault("buy_in", "must be a number above 0, or be left out"))
    if seat is not None and (type(seat) is not int or not 0 <= seat < _MAX_SEATS):
        faults.append(_fault("seat", f"must be a seat number from 0 to {_MAX_SEATS - 1}"))
    if faults or not isinstance(match_id, str) or not isinstance(name, str):
        raise invalid(Core(match_id=match_id if isinstance(match_id, str) else ""), faults)
    return SeatOrder(
        room_id=match_id,
        display_name=displayed(name),
        kind="human" if kind == "human" else "ai",
        buy_in=buy_in,
        preferred_seat=seat,
        address=address,
    )


def _fault(name: str, message: str) -> Json:
    return {"field": name, "message": message}
