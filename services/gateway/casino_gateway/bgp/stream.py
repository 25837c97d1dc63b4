"""`GET /bgp/stream/{match}/{agent}`: the pushes of a seat's match as lines of JSON."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass

import orjson
from casino_lobby_client.errors import LobbyAway
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from casino_gateway.bgp import credentials, strict
from casino_gateway.bgp.dispatch import refused, unauthorized
from casino_gateway.bgp.endpoint import Endpoint, Sender, response
from casino_gateway.bgp.http import sender_of
from casino_gateway.bgp.pushes import not_pushed, push_of
from casino_gateway.bgp.refusal import Core, MessageRefused
from casino_gateway.bgp.replies import Json, core_of
from casino_gateway.domain.updates import Update
from casino_gateway.errors import Lagged
from casino_gateway.seats.live_seat import LiveSeat

MEDIA_TYPE = "application/x-ndjson"
_HEARTBEAT_S = 15.0
"""After so long without a push an empty line is sent, which shows whether the client is there."""
_SEND_S = 30.0
"""How long a client may take to read a line."""


@dataclass(frozen=True, slots=True)
class StreamTransport:
    """Serves streams. `now` returns the seconds of the questions' clock."""

    endpoint: Endpoint
    now: Callable[[], float]

    async def get(self, request: Request) -> Response:
        """Open the stream of an agent; the token must be the agent's."""
        try:
            sender = sender_of(request)
            after = credentials.after(request)
            seat = self._seat(sender, request.path_params["place"])
        except MessageRefused as refusal:
            return response(refused(refusal))
        return _Lines(self, seat, after, is_strict=sender.is_strict)

    def _seat(self, sender: Sender, place: str) -> LiveSeat:
        """Return the sender's seat if it is at the place, "MATCH/AGENT"; raises MessageRefused."""
        match_id, _, agent_id = place.rpartition("/")  # an id may have a slash
        core = Core("", match_id, agent_id)
        self.endpoint.count(sender)
        seat = self.endpoint.dispatch.seat_of(sender.token, core)
        if place != f"{seat.identity.room_id}/{seat.identity.player_id}":
            raise unauthorized(core)
        return seat


class _Lines(Response):
    """The response to one client."""

    media_type = MEDIA_TYPE

    def __init__(
        self, transport: StreamTransport, seat: LiveSeat, after: int | None, *, is_strict: bool
    ) -> None:
        super().__init__(headers={"cache-control": "no-store", "x-accel-buffering": "no"})
        del self.headers["content-length"]
        self._transport = transport
        self._seat = seat
        self._after = after
        self._is_strict = is_strict

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send lines until the seat is closed, or the client is gone."""
        del scope
        with self._seat.connected(), self._seat.listen(self._after) as updates:
            await send(
                {
                    "type": "http.response.start",
                    "status": self.status_code,
                    "headers": self.raw_headers,
                }
            )
            writing = asyncio.create_task(self._write(updates, send))
            leaving = asyncio.create_task(_gone(receive))
            try:
                await asyncio.wait([writing, leaving], return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in (writing, leaving):
                    task.cancel()
                await asyncio.wait([writing, leaving])
        if not writing.cancelled():
            writing.result()

    async def _write(self, updates: AsyncIterator[Update], send: Send) -> None:
        """Send a line for each push, until the seat is closed or the client too slow."""
        with suppress(TimeoutError):  # the server closes the connection of a stalled client
            await _send(send, b"\n")  # so that the client sees at once that it is connected
            try:
                async for update in _with_pauses(updates):
                    if update is None:
                        await _send(send, b"\n")
                        continue
                    message = push_of(update, self._seat, self._transport.now())
                    if message is not None:
                        await _send(send, self._line(message))
            except (Lagged, LobbyAway) as error:
                refusal = not_pushed(error, core_of(self._seat))
                await _send(send, self._line(refused(refusal).message))
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    def _line(self, message: Json) -> bytes:
        return orjson.dumps(strict.translated(message) if self._is_strict else message) + b"\n"


async def _with_pauses(updates: AsyncIterator[Update]) -> AsyncIterator[Update | None]:
    """Yield updates, and None after a while without any."""
    while True:
        pending = asyncio.ensure_future(anext(updates))
        try:
            while not (await asyncio.wait([pending], timeout=_HEARTBEAT_S))[0]:
                yield None
            yield pending.result()
        except StopAsyncIteration:
            return
        finally:
            pending.cancel()


async def _send(send: Send, content: bytes) -> None:
    async with asyncio.timeout(_SEND_S):
        await send({"type": "http.response.body", "body": content, "more_body": True})


async def _gone(receive: Receive) -> None:
    """Return when the client has closed its connection."""
    while (await receive())["type"] != "http.disconnect":
        pass
