"""What every transport does with a message: rate limit, dialect, dispatch."""

from dataclasses import dataclass

import orjson
import structlog
from casino_lobby_client.errors import LobbyAway
from starlette.responses import Response

from casino_gateway.bgp import strict
from casino_gateway.bgp.codes import ErrorCode
from casino_gateway.bgp.dispatch import Answer, Dispatch, failed, refused
from casino_gateway.bgp.match_desk import MatchDesk
from casino_gateway.bgp.messages import core_of, parsed
from casino_gateway.bgp.rate_limits import RateLimits
from casino_gateway.bgp.refusal import Core, MessageRefused
from casino_gateway.seats.live_seat import LiveSeat
from casino_gateway.seats.seat_service import SeatService

_LIST_WEIGHT = 5.0
"""Price of a request without a seat: it makes the gateway call the lobby."""

logger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Sender:
    """Who sends a message, and in which dialect they are answered."""

    token: str | None
    address: str
    is_strict: bool = False


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Parts that the transports share."""

    seats: SeatService
    dispatch: Dispatch
    desk: MatchDesk
    limits: RateLimits

    async def answer(self, content: bytes, sender: Sender) -> Answer:
        """Return the reply to a message."""
        try:
            self.count(sender)
        except MessageRefused as refusal:
            return refused(refusal)
        if sender.is_strict:
            answer = await self._without_a_seat(content, sender)
            if answer is not None:
                return answer
        answer = await self.dispatch.answer(content, sender.token)
        if sender.is_strict:
            return Answer(strict.translated(answer.message), answer.status)
        return answer

    def count(self, sender: Sender) -> LiveSeat | None:
        """Count a message, return the sender's seat; raises MessageRefused: RATE_LIMITED."""
        seat = self.seats.by_token(sender.token) if sender.token else None
        if seat is not None:
            self.limits.take_of_seat(seat.identity.seat_id)
        else:
            self.limits.take_of_address(sender.address)
        return seat

    async def _without_a_seat(self, content: bytes, sender: Sender) -> Answer | None:
        """Return the reply to a request that needs no seat, None for any other message."""
        core = Core()
        try:
            message = parsed(content)
            core = core_of(message)
            if message.get("type") in (strict.GET_MATCHES, strict.CREATE_MATCH):
                self.limits.take_of_address(sender.address, _LIST_WEIGHT)
            reply = await self.desk.answer(message)
            return Answer(reply) if reply is not None else None
        except MessageRefused as refusal:
            return refused(refusal)
        except LobbyAway as error:
            return failed(error, core)
        except Exception:
            logger.exception("message_failed", match_id=core.match_id, agent_id=core.agent_id)
            return failed(None, core)


def response(answer: Answer) -> Response:
    """Return a message as an HTTP response."""
    headers = {"cache-control": "no-store"}
    if answer.status == 401:  # noqa: PLR2004
        headers["www-authenticate"] = "Bearer"
    data = answer.message.get("error", {}).get("data", {})
    if data.get("code") == ErrorCode.RATE_LIMITED:
        headers["retry-after"] = str(data["retry_after"])
    return Response(orjson.dumps(answer.message), answer.status, headers, "application/json")
