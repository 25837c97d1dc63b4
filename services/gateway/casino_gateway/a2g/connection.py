"""One socket's outgoing messages: bounded, in order."""

import asyncio
from collections import deque

from starlette.websockets import WebSocket

REPLACED = 4001
"""Close code: a newer socket of the same login took its place."""
REFUSED = 1008
"""Close code: not authenticated, the login is over, or too many messages."""
TOO_SLOW = 1013
"""Close code: the client reads too slowly; it may come again."""

_MESSAGES = 512
_SIZE = 2 * 1024 * 1024


class Connection:
    """Messages that wait until the socket takes them, and how it is closed after them."""

    def __init__(self) -> None:
        self._waiting: deque[bytes] = deque()
        self._size = 0
        self._wake = asyncio.Event()
        self._ending: tuple[int, str] | None = None
        self.is_full = asyncio.Event()
        """Set when the client reads too slowly; then nothing more can be sent."""

    def put(self, body: bytes) -> None:
        """Send a message after those that wait; nothing is sent after `close`."""
        if self._ending is not None:
            return
        if len(self._waiting) >= _MESSAGES or self._size + len(body) > _SIZE:
            self._waiting.clear()
            self.close(TOO_SLOW, "reads too slowly")
            self.is_full.set()
            return
        self._waiting.append(body)
        self._size += len(body)
        self._wake.set()

    def close(self, code: int, reason: str) -> None:
        """Close the socket after the messages that wait."""
        if self._ending is None:
            self._ending = (code, reason)
            self._wake.set()

    async def send_all(self, websocket: WebSocket) -> None:
        """Send until `close`; then close the socket."""
        while True:
            while self._waiting:
                body = self._waiting.popleft()
                self._size -= len(body)
                await websocket.send_text(body.decode())
            if self._ending is not None:
                await websocket.close(*self._ending)
                return
            self._wake.clear()
            await self._wake.wait()
