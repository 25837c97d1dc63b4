"""A bare connection of the attacker's own, on which it says what no HTTP client would."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

_WRITE_S = 5.0


class NotRead(Exception):
    """The other side keeps the connection open and reads nothing of it."""


class Connection:
    """One TCP connection; `heard` gets every byte that comes."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        heard: Callable[[bytes], None],
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._heard = heard

    async def send(self, data: bytes) -> bool:
        """Send bytes; return whether the other side still takes them.

        Raises NotRead where it has read nothing for 5 s.
        """
        if self._writer.is_closing() or self._reader.at_eof():
            return False
        self._writer.write(data)
        try:
            async with asyncio.timeout(_WRITE_S):
                await self._writer.drain()
        except TimeoutError as error:
            raise NotRead(f"nothing was read for {_WRITE_S:g} s") from error
        except OSError:
            return False
        return not self._writer.is_closing()

    async def hear(self, timeout_s: float) -> bytes | None:
        """Return what comes next, b"" at the connection's end, None where nothing comes in time."""
        try:
            async with asyncio.timeout(timeout_s):
                data = await self._reader.read(65_536)
        except TimeoutError:
            return None
        except OSError:
            return b""
        self._heard(data)
        return data

    async def close(self) -> None:
        """Close the connection at once, whatever waits to be sent; return when it is closed."""
        self._writer.transport.abort()
        with suppress(OSError):
            await self._writer.wait_closed()
