"""What every transport does with a message: rate limit, dialect, dispatch."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import orjson
import structlog
from casino_agentkit.bounded_state import RateLimit
from casino_agentkit.network import network_of
from casino_lobby_client.errors import LobbyAway
from starlette.responses import Response

from casino_gateway.boardgame import strict_dialect
from casino_gateway.boardgame.boardgame_dispatch import AnswerMessage, Dispatch, failed, refused
from casino_gateway.boardgame.boardgame_messages import (
    Core,
    ErrorCode,
    MessageRefused,
    core_of,
    parsed,
)
from casino_gateway.boardgame.strict_dialect import MatchRequests
from casino_gateway.seats.live_seat import LiveSeat
from casino_gateway.seats.seat_service import SeatService

_LIST_WEIGHT = 5.0
"""Price of a request without a seat: it makes the gateway call the lobby."""

logger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Rate:
    """Messages per second, refilled evenly up to `burst`."""

    per_second: float
    burst: float


@dataclass(frozen=True, slots=True)
class Rates:
    """The limits of one process."""

    of_seat: Rate = Rate(1000, 2000)
    """Messages of one seat; a program that plays fast sends two for each decision."""
    of_address: Rate = Rate(20, 100)
    """Messages of one address without the token of a seat: attempts, lists, and new seats."""


class RateLimits:
    """Counts messages. `now` returns seconds; only the most recent senders are remembered."""

    def __init__(self, now: Callable[[], float], rates: Rates | None = None) -> None:
        rates = rates or Rates()
        self._seats = RateLimit(rates.of_seat.per_second, rates.of_seat.burst, now)
        self._addresses = RateLimit(rates.of_address.per_second, rates.of_address.burst, now)

    def take_of_seat(self, seat_id: str) -> None:
        """Count a message of a seat; raises MessageRefused: RATE_LIMITED."""
        _take(self._seats, seat_id, 1)

    def take_of_address(self, address: str, weight: float = 1) -> None:
        """Count a message without a seat; raises MessageRefused: RATE_LIMITED."""
        _take(self._addresses, network_of(address), weight)


def _take(limit: RateLimit, sender: str, weight: float) -> None:
    if not limit.take(sender, weight):
        wait_s = math.ceil(limit.wait_s(sender, weight))
        raise MessageRefused(
            ErrorCode.RATE_LIMITED,
            f"Too many messages; try again in {wait_s} s.",
            data={"retry_after": wait_s},
        )


@dataclass(frozen=True, slots=True)
class Sender:
    """Who sends a message, and in which dialect they are answered."""

    token: str | None
    address: str
    is_strict: bool = False


@dataclass(frozen=True, slots=True)
class BoardgameEndpoint:
    """Parts that the transports share."""

    seats: SeatService
    dispatch: Dispatch
    match_requests: MatchRequests
    limits: RateLimits

    async def answer(self, content: bytes, sender: Sender) -> AnswerMessage:
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
            return AnswerMessage(strict_dialect.translated(answer.message), answer.status)
        return answer

    def count(self, sender: Sender) -> LiveSeat | None:
        seat = self.seats.by_token(sender.token) if sender.token else None
        if seat is not None:
            self.limits.take_of_seat(seat.identity.seat_id)
        else:
            self.limits.take_of_address(sender.address)
        return seat

    async def _without_a_seat(self, content: bytes, sender: Sender) -> AnswerMessage | None:
        core = Core()
        try:
            message = parsed(content)
            core = core_of(message)
            if message.get("type") in (strict_dialect.GET_MATCHES, strict_dialect.CREATE_MATCH):
                self.limits.take_of_address(sender.address, _LIST_WEIGHT)
            reply = await self.match_requests.answer(message)
            return AnswerMessage(reply) if reply is not None else None
        except MessageRefused as refusal:
            return refused(refusal)
        except LobbyAway as error:
            return failed(error, core)
        except Exception:
            logger.exception("message_failed", match_id=core.match_id, agent_id=core.agent_id)
            return failed(None, core)


def response(answer: AnswerMessage) -> Response:
    headers = {"cache-control": "no-store"}
    if answer.status == 401:  # noqa: PLR2004
        headers["www-authenticate"] = "Bearer"
    data = answer.message.get("error", {}).get("data", {})
    if data.get("code") == ErrorCode.RATE_LIMITED:
        headers["retry-after"] = str(data["retry_after"])
    return Response(orjson.dumps(answer.message), answer.status, headers, "application/json")
