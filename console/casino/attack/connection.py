"""A bare TCP connection, for requests that no HTTP client would send."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

from casino.errors import NotRead

_WRITE_S = 5.0


class Connection:
    """One TCP connection; `heard` is called with all received bytes."""

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
        """Send bytes; return whether the connection is still open.

        Raises NotRead if the peer has read nothing for 5 s.
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
        """Return the next bytes, b"" if the connection ended, None on a timeout."""
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
        """Abort the connection, discarding unsent bytes, and wait until it is closed."""
        self._writer.transport.abort()
        with suppress(OSError):
            await self._writer.wait_closed()
