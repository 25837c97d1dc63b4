"""The event streams of a lobby: decoded as the HTML standard specifies, resumed after a break."""

import asyncio
import codecs
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import aclosing
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, NamedTuple

from casino_agentkit.process.background_tasks import Backoff
from casino_agentkit.violations import violations_text
from casino_contracts import (
    Lagged,
    LobbyStreamSnapshot,
    RoomStreamSnapshot,
    StreamedEvent,
    StreamedRoom,
    StreamedWaits,
    WireModel,
)
from pydantic import ValidationError

from casino_lobby_client.errors import CallFailed, LobbyAway, UnknownRoom
from casino_lobby_client.lobby_client import LobbyClient

EVENT_LIMIT: Final = 16 * 1024 * 1024
"""Characters of an event: a snapshot has up to 200 events of a table, each of at most 64 KiB."""
_BOM = "\ufeff"
_BACKOFF: Final = Backoff(first_s=0.5, slowest_s=15.0)
_MESSAGES: dict[str, type[WireModel]] = {
    "table_event": StreamedEvent,
    "room_opened": StreamedRoom,
    "room_closed": StreamedRoom,
    "room_waits": StreamedWaits,
    "lagged": Lagged,
}


@dataclass(frozen=True)
class ServerSentEvent:
    """One event of a stream."""

    name: str  # the event type; `message` if the stream sends none
    data: str
    last_id: str  # the id to send as `Last-Event-ID` to resume after this event; "" for none


class Decoder:
    r"""Incremental decoder: takes bytes, cut anywhere, and yields events.

    >>> decoder = Decoder()
    >>> list(decoder.feed(b"id: 7\nda"))
    []
    >>> list(decoder.feed(b"ta: x\n\n"))
    [ServerSentEvent(name='message', data='x', last_id='7')]
    """

    def __init__(self, last_id: str = "", limit: int = EVENT_LIMIT) -> None:
        self.last_id = last_id
        self.retry_ms: int | None = None
        """Reconnection delay in milliseconds that the stream requests, None for none."""
        self._limit = limit
        self._utf8 = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._is_first = True
        self._line: list[str] = []
        self._ended_with_cr = False
        self._id = last_id
        self._name = ""
        self._data: list[str] = []
        self._size = 0  # characters of the event that is not complete

    def feed(self, chunk: bytes) -> Iterator[ServerSentEvent]:
        """Yield what a chunk completes, by a blank line; raises LobbyAway beyond the limit."""
        text = self._utf8.decode(chunk)
        if text and self._is_first:
            text, self._is_first = text.removeprefix(_BOM), False
        if text and self._ended_with_cr:
            text, self._ended_with_cr = text.removeprefix("\n"), False
        if not text:
            return
        self._ended_with_cr = text.endswith("\r")
        # Only CR, LF and CRLF end a line; str.splitlines would also split at other characters.
        *lines, rest = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        for line in lines:
            self._line.append(line)
            self._size += len(line)
            event = self._take("".join(self._line))
            self._line = []
            if event:
                yield event
        self._line.append(rest)
        self._size += len(rest)
        if self._size > self._limit:
            raise LobbyAway(f"the stream has an event of more than {self._limit} characters")

    def _take(self, line: str) -> ServerSentEvent | None:
        if not line:
            return self._dispatch()
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        match name:
            case "event":
                self._name = value
            case "data":
                self._data.append(value)
            case "id" if "\0" not in value:
                self._id = value
            case "retry" if value.isascii() and value.isdigit():
                self.retry_ms = int(value)
        return None  # comments (with the name "") and unknown fields are ignored

    def _dispatch(self) -> ServerSentEvent | None:
        name, data = self._name, self._data
        self.last_id, self._name, self._data, self._size = self._id, "", [], 0
        return ServerSentEvent(name or "message", "\n".join(data), self.last_id) if data else None


class StreamItem(NamedTuple):
    """An event of a stream with its message, which is None if its type is unknown."""

    event: ServerSentEvent
    message: WireModel | None


@dataclass(frozen=True)
class Interruption:
    """The stream was interrupted; the client reconnects after `wait`."""

    why: str
    wait: timedelta


async def follow(
    client: LobbyClient,
    room_id: str | None,
    *,
    last_id: str = "",
    backoff: Backoff = _BACKOFF,
    is_patient: bool = False,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> AsyncGenerator[StreamItem | Interruption, None]:
    """Yield the events of a room, until its `room_closed`, or of all rooms, each once.

    It begins after `last_id`, and resumes after the last event whatever breaks. Raises UnknownRoom,
    CallFailed if the lobby refuses or sends what cannot be read, and LobbyAway if the first
    connection fails; one that `is_patient` tries again after all but the first of them.
    """
    failures, has_answered = 0, is_patient
    while True:
        decoder = Decoder(last_id)
        why = "the stream ended"
        try:
            async with aclosing(client.stream(room_id, last_id)) as chunks:
                async for chunk in chunks:
                    for event in decoder.feed(chunk):
                        message = message_of(event, room_id)
                        failures, has_answered, last_id = 0, True, event.last_id
                        yield StreamItem(event, message)
                        if room_id is not None and event.name == "room_closed":
                            return
        except CallFailed as error:
            is_passing = isinstance(error, LobbyAway) and has_answered
            if isinstance(error, UnknownRoom) or not (is_patient or is_passing):
                raise
            why = str(error)
        failures += 1
        retry_s = min((decoder.retry_ms or 0) / 1000, backoff.slowest_s)
        wait_s = max(backoff.pause_s(failures), retry_s)
        yield Interruption(why, timedelta(seconds=wait_s))
        await sleep(wait_s)


def message_of(event: ServerSentEvent, room_id: str | None) -> WireModel | None:
    """Return its message, None if its type is unknown. Raises CallFailed."""
    model = _MESSAGES.get(event.name)
    if event.name == "snapshot":
        model = LobbyStreamSnapshot if room_id is None else RoomStreamSnapshot
    try:
        return model.model_validate_json(event.data) if model else None
    except ValidationError as error:
        fault = violations_text(error, "data", at_most=1)
        raise CallFailed(f"the stream's {event.name} cannot be read: {fault}") from error
