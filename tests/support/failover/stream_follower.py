"""Follows the stream of all rooms through any lobby of a group, without loss or repetition."""

import asyncio
import contextlib
import random
from collections.abc import Callable, Sequence
from typing import Any

import aiohttp
import orjson


class StreamFollower:
    """Reads `/v1/stream` from the beginning; after a disconnection at another lobby.

    `lobbies` returns the URLs of those that live. `on_event` gets every event with its cursor.
    """

    def __init__(
        self,
        first: str,
        lobbies: Callable[[], Sequence[str]],
        on_event: Callable[[int, dict[str, Any]], None],
        rng: random.Random,
    ) -> None:
        self.url = first
        self.cursors: list[int] = []
        self.resumed = 0
        """How often it has gone on at a lobby."""
        self.begun_anew = 0
        """How often a stream did not resume, which loses events."""
        self._lobbies = lobbies
        self._on_event = on_event
        self._rng = rng

    async def run(self) -> None:
        """Follow until cancelled."""
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=5, sock_read=40)
        async with aiohttp.ClientSession(timeout=timeout) as session:
            while True:
                with contextlib.suppress(aiohttp.ClientError, TimeoutError):
                    await self._follow(session)
                await asyncio.sleep(0.05)
                self.url = self._rng.choice(self._lobbies())
                self.resumed += 1

    async def _follow(self, session: aiohttp.ClientSession) -> None:
        last = self.cursors[-1] if self.cursors else 0
        headers = {"Last-Event-ID": str(last)}
        async with session.get(f"{self.url}/v1/stream", headers=headers) as reply:
            if reply.status != 200:
                return
            name, cursor = b"", 0
            async for line in reply.content:
                field, _, value = line.rstrip(b"\n").partition(b": ")
                if field == b"event":
                    name = value
                elif field == b"id":
                    cursor = int(value)
                elif field == b"data" and name == b"table_event":
                    self._take(cursor, orjson.loads(value))
                elif field == b"data" and name == b"snapshot":
                    self.begun_anew += 1

    def _take(self, cursor: int, data: dict[str, Any]) -> None:
        self.cursors.append(cursor)
        self._on_event(cursor, data)
