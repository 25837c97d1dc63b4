"""Commands as they were answered, with their frames: what a replay shows."""

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from casino_storage.sqlite_file import SqliteFile
from sqlalchemy import delete, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from casino_evaluator.domain.evaluation_session import State
from casino_evaluator.store.evaluator_schema import commands

Json = dict[str, Any]
Grid = Sequence[Sequence[int]]

COMMANDS_KEPT = 5_000
BYTES_KEPT = 16 * 1024 * 1024
"""The newest commands and bytes of each session that are kept."""
ALL_BYTES_KEPT = 2 * 1024**3
"""The newest bytes of all sessions together."""

SIDE = 64
_PIXELS = SIDE * SIDE
_TRIMMED_EVERY = 50
_FORGOTTEN_AT_ONCE = 1_000
_FRAMES_AT_ONCE = 400
"""Most frames of one part of a replay, unless one command has more."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """One command as it was answered."""

    action_input: Json = field(repr=False)
    """`id`, `data` and `reasoning`, as they were echoed."""
    frames: tuple[Grid, ...] = field(repr=False)
    state: State
    score: int
    available_actions: tuple[int, ...]
    full_reset: bool = False


@dataclass(frozen=True, slots=True)
class ReplayPart:
    """A part of a session's commands, and which of them are still kept."""

    commands: list[Json] = field(repr=False)
    """With `number`, from 1, and `frames` as 4096 hexadecimal digits each, row by row."""
    oldest: int
    """The number of the oldest command that is kept; 0 if none is."""
    newest: int


class CommandRows:
    """Commands in the database; every method raises StoreFailed.

    Each session keeps its newest commands, and all of them together so many bytes; the oldest go.
    """

    def __init__(
        self,
        database: SqliteFile,
        *,
        kept: int = COMMANDS_KEPT,
        bytes_kept: int = BYTES_KEPT,
        all_bytes_kept: int = ALL_BYTES_KEPT,
        all_trimmed_every: int = 2_000,
    ) -> None:
        self._database = database
        self._all_trimmed_every = all_trimmed_every
        self._kept = kept
        self._bytes_kept = bytes_kept
        self._all_bytes_kept = all_bytes_kept
        self._stored = 0

    async def put(
        self, connection: AsyncConnection, guid: str, number: int, recorded: Recorded
    ) -> None:
        content = _packed(recorded)
        await connection.execute(
            commands.insert().values(guid=guid, number=number, size=len(content), content=content)
        )
        self._stored += 1
        if number % _TRIMMED_EVERY == 0:
            await self._trim(connection, guid, number)
        if self._stored % self._all_trimmed_every == 1:
            await self._trim_all(connection)

    async def part(self, guid: str, first: int, limit: int) -> ReplayPart:
        bounds = select(func.min(commands.c.number), func.max(commands.c.number)).where(
            commands.c.guid == guid
        )
        query = (
            select(commands.c.number, commands.c.content)
            .where(commands.c.guid == guid, commands.c.number >= first)
            .order_by(commands.c.number)
            .limit(limit)
        )
        shown: list[Json] = []
        frames = 0
        async with self._database.reading() as connection:
            oldest, newest = (await connection.execute(bounds)).one()
            for number, content in (await connection.execute(query)).all():
                command = _unpacked(number, content)
                frames += len(command["frames"])
                if shown and frames > _FRAMES_AT_ONCE:
                    break
                shown.append(command)
        return ReplayPart(shown, oldest or 0, newest or 0)

    async def _trim(self, connection: AsyncConnection, guid: str, newest: int) -> None:
        query = (
            select(commands.c.number, commands.c.size)
            .where(commands.c.guid == guid)
            .order_by(commands.c.number.desc())
        )
        left = self._bytes_kept
        oldest = newest - self._kept
        for number, size in (await connection.execute(query)).all():
            left -= size
            if left < 0:
                oldest = max(oldest, number)
                break
        await connection.execute(
            delete(commands).where(commands.c.guid == guid, commands.c.number <= oldest)
        )

    async def _trim_all(self, connection: AsyncConnection) -> None:
        total = select(func.coalesce(func.sum(commands.c.size), 0))
        oldest = select(commands.c.place).order_by(commands.c.place).limit(_FORGOTTEN_AT_ONCE)
        while (await connection.execute(total)).scalar_one() > self._all_bytes_kept:
            await connection.execute(delete(commands).where(commands.c.place.in_(oldest)))


def _packed(recorded: Recorded) -> bytes:
    """Return a line of JSON, then one byte for each pixel of each frame, compressed."""
    head = {
        "action_input": recorded.action_input,
        "state": recorded.state,
        "score": recorded.score,
        "full_reset": recorded.full_reset,
        "available_actions": recorded.available_actions,
    }
    pixels = b"".join(bytes(row) for frame in recorded.frames for row in frame)
    return zlib.compress(json.dumps(head).encode() + b"\n" + pixels, level=1)


def _unpacked(number: int, content: bytes) -> Json:
    head, _, pixels = zlib.decompress(content).partition(b"\n")
    digits = pixels.hex()[1::2]  # a colour is below 16: its first digit is 0
    frames = [digits[start : start + _PIXELS] for start in range(0, len(digits), _PIXELS)]
    return {"number": number, **json.loads(head), "frames": frames}
