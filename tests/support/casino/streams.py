"""Streams of a lobby: on a real socket with clients, and without HTTP."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import aiohttp
from casino_agentkit import Service
from casino_agentkit.server.serving import bind
from casino_lobby.app import build_app
from casino_lobby.domain.lobby_events import EventsCommitted, EventsMissed, RoomChanged
from casino_lobby.domain.room import Room
from casino_lobby.event_stream import Broadcaster, EventBroadcaster, Item, Pages
from casino_lobby.service.use_cases import HandRecordCache
from casino_lobby.settings import LobbySettings
from casino_lobby.store import MemoryStore, Store
from casino_lobby.stream_reader import HandDelay, StreamReader
from prometheus_client import generate_latest

from support.in_process import InProcessTransport
from support.listening import accepting
from support.processes import PATIENCE_S, eventually

TOKEN = "sesame-open"
BEARER = {"authorization": f"Bearer {TOKEN}"}


class StreamEvent(NamedTuple):
    """One server-sent event."""

    name: str
    data: Any
    id: int | None = None


def stream_events(text: str) -> list[StreamEvent]:
    """Return the complete events of a text, without comments."""
    events = []
    for block in text.split("\n\n")[:-1]:
        fields = dict(line.split(": ", 1) for line in block.split("\n") if line[:1] != ":")
        if fields:
            cursor = int(fields["id"]) if "id" in fields else None
            events.append(StreamEvent(fields["event"], json.loads(fields["data"]), cursor))
    return events


class Client:
    """Follows one stream."""

    def __init__(self, reply: aiohttp.ClientResponse) -> None:
        self.reply = reply
        self.comments: list[str] = []

    async def next(self) -> StreamEvent | None:
        """Return the next event, None at the end."""
        async with asyncio.timeout(PATIENCE_S):
            block = b""
            async for line in self.reply.content:
                block += line
                if line.startswith(b":"):
                    self.comments.append(line.decode().strip())
                elif line == b"\n" and (sent := stream_events(block.decode())):
                    return sent[0]
            return None

    async def rest(self) -> list[StreamEvent]:
        """Return all events until the end."""
        events = []
        while (sent := await self.next()) is not None:
            events.append(sent)
        return events

    async def until_cursor(self, cursor: int) -> list[StreamEvent]:
        return await self.until(lambda sent: sent.id == cursor)

    async def until(self, is_last: Callable[[StreamEvent], bool]) -> list[StreamEvent]:
        events = []
        while (sent := await self.next()) is not None:
            events.append(sent)
            if is_last(sent):
                return events
        raise AssertionError(f"the stream ended after {events[-1:]}")


@dataclass
class LiveLobby:
    """A lobby that listens on a port of its own."""

    service: Service
    store: Store
    url: str
    http: aiohttp.ClientSession

    @asynccontextmanager
    async def stream(
        self, path: str, *, last: int | None = None, token: str | None = None
    ) -> AsyncIterator[Client]:
        headers = {} if token is None else {"authorization": f"Bearer {token}"}
        if last is not None:
            headers["Last-Event-ID"] = str(last)
        async with self.http.get(self.url + path, headers=headers) as reply:
            assert reply.status == 200, await reply.text()
            yield Client(reply)

    async def problem(self, path: str, method: str = "GET", **headers: str) -> Any:
        async with self.http.request(method, self.url + path, headers=headers) as reply:
            assert reply.content_type == "application/problem+json"
            sent = json.loads(await reply.text())
            assert sent["status"] == reply.status
            return {**sent, "headers": reply.headers}

    async def metric(self, line: str) -> float:
        for sent in generate_latest(self.service.registry).decode().splitlines():
            name, _, value = sent.rpartition(" ")
            if name == line:
                return float(value)
        raise AssertionError(f"no {line}")

    async def until_metric(self, line: str, value: float) -> None:
        """Wait until a line of the lobby's metrics has a value."""

        async def has_value() -> bool:
            return await self.metric(line) == value

        await eventually(has_value)


@asynccontextmanager
async def live(service: Service, store: Store) -> AsyncIterator[LiveLobby]:
    """Serve a running lobby."""
    listener = bind("127.0.0.1", 0)
    # Small, so that who does not read is felt soon.
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 16_384)
    async with accepting(listener, service, None), aiohttp.ClientSession() as http:
        port = listener.getsockname()[1]
        try:
            yield LiveLobby(service, store, f"http://127.0.0.1:{port}", http)
        finally:
            await service.finish()


@asynccontextmanager
async def lobby_of(
    *rooms: Room, store: Store | None = None, **settings: Any
) -> AsyncIterator[LiveLobby]:
    """Serve a lobby of rooms whose events a test records."""
    store = store or MemoryStore(20_000)
    given = LobbySettings.model_validate(
        {"launch_tables": False, "operator_token": TOKEN, **settings}
    )
    service = build_app(given, "http://lobby", transport=InProcessTransport(), store=store)
    async with service.running():
        for room in rooms:
            await store.add(room)
        async with live(service, store) as lobby:
            yield lobby


class StreamHarness:
    """Everything between a commit and the bytes of a stream."""

    def __init__(self, store: Store, behind: int = 1_000) -> None:
        self.store = store
        self.feed = Broadcaster(behind)
        event_broadcaster = EventBroadcaster(self.feed)
        store.bus.subscribe(EventsCommitted, event_broadcaster.publish_events)
        store.bus.subscribe(RoomChanged, event_broadcaster.publish_room)
        store.bus.subscribe(EventsMissed, event_broadcaster.miss_events)

    def reader(self, room: Room | None, after: int | None = None) -> Pages:
        """Follow the public feed."""
        return StreamReader(self.store, self.feed, room, after).pages()

    def commentator(self, room: Room, records: HandRecordCache, after: int | None = None) -> Pages:
        pages = StreamReader(self.store, self.feed, room, after, late=True).pages()
        return HandDelay(room, records).late(pages)


def events_in(page: Sequence[Item]) -> list[StreamEvent]:
    return stream_events(b"".join(item.data for item in page).decode())


async def read_to_end(pages: Pages) -> list[StreamEvent]:
    return [one async for page in pages for one in events_in(page)]
