"""Lines that a person types, or a pipe delivers, without blocking the event loop."""

import asyncio
import os
import threading
from collections.abc import AsyncIterator
from dataclasses import dataclass

_LINE_BYTES = 4096
_WAITING = 64


@dataclass(frozen=True)
class TypedLines:
    """Lines as they come. On a terminal they belong to what is shown when they are typed."""

    lines: AsyncIterator[str]
    is_terminal: bool


def typed_lines(descriptor: int = 0) -> TypedLines:
    """Return the lines of a file descriptor, standard input by default; needs a running loop."""
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[str | None] = asyncio.Queue()
    places = threading.Semaphore(_WAITING)

    def put(line: str | None) -> None:
        places.acquire()
        loop.call_soon_threadsafe(queue.put_nowait, line)

    def read() -> None:
        rest = b""
        # The descriptor, because Python's own buffer may not be in use when the process ends.
        try:
            while content := os.read(descriptor, _LINE_BYTES):
                *lines, rest = (rest + content).split(b"\n")
                for line in lines:
                    put(line.decode(errors="replace"))
                rest = rest[:_LINE_BYTES]
            if rest:
                put(rest.decode(errors="replace"))
            put(None)
        except (OSError, RuntimeError):  # the descriptor or the loop is closed
            return

    async def lines() -> AsyncIterator[str]:
        while (line := await queue.get()) is not None:
            places.release()
            yield line

    threading.Thread(target=read, daemon=True, name="typed lines").start()
    return TypedLines(lines(), os.isatty(descriptor))
