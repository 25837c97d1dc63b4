"""The bare drivers of bench/ingest.py: sqlite3 and asyncpg write finished rows."""

import sqlite3
import time
from collections.abc import Sequence
from typing import Any

import asyncpg  # type: ignore[import-untyped]
from casino_lobby.store import SqlStore
from casino_lobby.store.statements import Rows, Statements
from sqlalchemy import make_url

Commit = Sequence[Rows]
"""The rows of the batches that are committed together."""
Finished = list[tuple[str, list[Any]]]
"""The statements of a commit with their rows."""


def finished(url: str, commits: Sequence[Commit], *, is_packed: bool) -> list[Finished]:
    """Return the statements of each commit with their rows; the events as JSON, or packed."""
    statements = Statements.of(make_url(url).get_dialect()())
    all_finished = []
    for commit in commits:
        pairs = statements.of_rows(commit)
        if not is_packed:
            plain = [
                (cursor, *row)
                for rows in commit
                for cursor, row in enumerate(rows.events, rows.after + 1)
            ]
            pairs = [pair for pair in pairs if pair[0] is not statements.events]
            pairs.insert(0, (statements.events, plain))
        all_finished.append(pairs)
    return all_finished


async def sqlite_seconds(url: str, commits: list[Finished]) -> float:
    """Return the seconds that sqlite3 needs to write the commits."""
    await migrated(url)
    connection = sqlite3.connect(url.removeprefix("sqlite+aiosqlite:///"))
    connection.execute("PRAGMA synchronous=normal")
    started = time.perf_counter()
    for commit in commits:
        for statement, values in commit:
            connection.executemany(statement, values)
        connection.commit()
    elapsed = time.perf_counter() - started
    connection.close()
    return elapsed


async def asyncpg_seconds(url: str, commits: list[Finished]) -> float:
    """Return the seconds that asyncpg needs to write the commits."""
    await migrated(url)
    connection = await asyncpg.connect(url.replace("+asyncpg", ""))
    started = time.perf_counter()
    for commit in commits:
        async with connection.transaction():
            for statement, values in commit:
                await connection.executemany(statement, values)
    elapsed = time.perf_counter() - started
    await connection.close()
    return elapsed


async def migrated(url: str) -> None:
    """Create the schema."""
    store = SqlStore(url)
    await store.open()
    await store.close()
