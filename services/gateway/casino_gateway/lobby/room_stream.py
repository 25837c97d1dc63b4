"""The lobby's stream of one room, resumed by its cursor after every break."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Final

import httpx
from casino_agentkit.client.backoff import Backoff
from casino_contracts import RoomSnapshot, RoomStreamSnapshot, StreamedEvent, TableEvent
from casino_seats.errors import LobbyUnavailable, SeatRefused, UnknownRoom
from casino_seats.lobby_client import LobbyClient, refusal_of, room_path
from pydantic import ValidationError

from casino_gateway.lobby.sse import Frame, frames

_SILENCE_S: Final = 60.0
"""The lobby sends a heartbeat every 15 s; a stream that is silent for longer is broken."""
_BACKOFF: Final = Backoff(first_s=0.1, slowest_s=5.0)


@dataclass(frozen=True, slots=True)
class RoomState:
    """The room as of `cursor`; what came before may be missing."""

    room: RoomSnapshot
    cursor: int


@dataclass(frozen=True, slots=True)
class RoomHappened:
    """The next event of the room."""

    event: TableEvent
    cursor: int


@dataclass(frozen=True, slots=True)
class RoomOver:
    """The room is closed, or the lobby does not know it any more. The last item."""

    is_known: bool


StreamItem = RoomState | RoomHappened | RoomOver


@dataclass
class RoomStream:
    """Follows one room; `on_break` hears of every break. `sleep` takes seconds."""

    lobby: LobbyClient
    room_id: str
    cursor: int | None = None
    """The cursor to resume after; None for a snapshot."""
    on_break: Callable[[str], None] = lambda _reason: None
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    _failures: int = field(default=0, init=False)

    async def items(self) -> AsyncGenerator[StreamItem, None]:
        """Yield what happens, until the room is over; a break is resumed without a gap."""
        while True:
            try:
                async with aclosing(self._once()) as once:
                    async for item in once:
                        self._failures = 0
                        yield item
                        if isinstance(item, RoomOver):
                            return
                reason = "the stream ended"
            except UnknownRoom:
                yield RoomOver(is_known=False)
                return
            except (LobbyUnavailable, SeatRefused, httpx.HTTPError) as error:
                reason = str(error) or type(error).__name__
            self._failures += 1
            self.on_break(reason)
            await self.sleep(_BACKOFF.pause_s(self._failures))

    async def _once(self) -> AsyncGenerator[StreamItem, None]:
        headers = {} if self.cursor is None else {"last-event-id": str(self.cursor)}
        path = f"{room_path(self.room_id)}/stream"
        request = self.lobby.http.build_request("GET", path, headers=headers)
        request.extensions["timeout"] = httpx.Timeout(_SILENCE_S).as_dict()
        response = await self.lobby.http.send(request, stream=True)
        try:
            if not response.is_success:
                await response.aread()
                raise refusal_of(response)
            async for frame in frames(response.aiter_bytes()):
                item = self._item(frame)
                if item is not None:
                    yield item
        finally:
            await response.aclose()

    def _item(self, frame: Frame) -> StreamItem | None:
        try:
            match frame.name:
                case "snapshot":
                    snapshot = RoomStreamSnapshot.model_validate_json(frame.data)
                    self.cursor = snapshot.cursor
                    return RoomState(snapshot.room, snapshot.cursor)
                case "table_event":
                    streamed = StreamedEvent.model_validate_json(frame.data)
                    self.cursor = streamed.cursor
                    return RoomHappened(streamed.event, streamed.cursor)
                case "room_closed":
                    return RoomOver(is_known=True)
                case _:
                    return None  # `lagged`: the stream ends, and is resumed
        except ValidationError as error:
            raise LobbyUnavailable(f"the stream has a {frame.name} that cannot be read") from error
