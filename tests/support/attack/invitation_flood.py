"""A flood of invitations at a player, as third parties may send them, by many lines at a time."""

import asyncio
import json
from asyncio import StreamReader, StreamWriter
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from itertools import count
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from support.attack.seated_player import QUESTION, invitation
from support.processes import eventually

LINES = 20
OK = b"HTTP/1.1 200 OK"
_QUESTIONS_EVERY = 10
_RETRY_S = 0.02


class Sent(NamedTuple):
    """A request; its answers are counted by `what`."""

    what: str
    method: str
    path: str
    body: bytes = b""


def invitations(table_id: str, player_id: str) -> Iterator[Sent]:
    """Yield invitations of `player_id` to its running table and to others, without end.

    Their tokens and names are of all kinds. One call in eleven is a question in the table's name.
    """
    for number in count():
        yield _sent(
            "signup",
            {
                **invitation(table_id if number % 2 else f"table-{number}", f"{number:032}"),
                "playerId": player_id if number % 3 else f"player-{number}",
                "displayName": "n" * (number % 64),
            },
        )
        if number % _QUESTIONS_EVERY == 0:
            request_id = f"{table_id}/1:{number}"
            yield _sent("act", {**QUESTION, "tableId": table_id, "requestId": request_id})


def _sent(skill: str, data: Any) -> Sent:
    return Sent(skill, "POST", f"/entrypoints/{skill}/invoke", json.dumps(data).encode())


class Flood:
    """Requests to one player over `LINES` connections, each as soon as the last one is answered.

    A line that is cut opens another, so that a flood outlasts a restart of its player.
    """

    def __init__(self, url: str) -> None:
        self._host = urlsplit(url).netloc
        self.answers: dict[str, Counter[bytes]] = {}
        """Status lines by what was sent."""

    async def send(self, requests: Iterable[Sent]) -> None:
        """Send requests until each is answered."""
        left = iter(requests)
        await asyncio.gather(*(self._line(left) for _ in range(LINES)))

    async def _line(self, left: Iterator[Sent]) -> None:
        request = next(left, None)
        while request is not None:
            reader, writer = await self._opened()
            with closing(writer), suppress(OSError, asyncio.IncompleteReadError):
                while request is not None:
                    status = await self._answer(reader, writer, request)
                    self.answers.setdefault(request.what, Counter())[status] += 1
                    request = next(left, None)

    async def _opened(self) -> tuple[StreamReader, StreamWriter]:
        """Return a connection as soon as there is one."""
        lines: list[tuple[StreamReader, StreamWriter]] = []
        host, _, port = self._host.rpartition(":")

        async def is_open() -> bool:
            with suppress(OSError):
                lines.append(await asyncio.open_connection(host, int(port)))
            return bool(lines)

        await eventually(is_open, every=_RETRY_S)
        return lines[0]

    async def _answer(self, reader: StreamReader, writer: StreamWriter, request: Sent) -> bytes:
        writer.write(
            f"{request.method} {request.path} HTTP/1.1\r\nhost: {self._host}\r\ncontent-type:"
            f" application/json\r\ncontent-length: {len(request.body)}\r\n\r\n".encode()
            + request.body
        )
        head = await reader.readuntil(b"\r\n\r\n")
        length = head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0]
        await reader.readexactly(int(length))
        return head.split(b"\r\n")[0]
