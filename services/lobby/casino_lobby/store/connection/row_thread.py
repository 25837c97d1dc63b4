"""A thread that commits rows to the file of SQLite, on a connection of its own.

A transaction costs one hand-over to the thread and one back, however many statements it has.
"""

import asyncio
import sqlite3
import threading
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import Final, NamedTuple

_NAME: Final = "store rows"

Work = Callable[[sqlite3.Connection], None]
"""Executes statements within a transaction, in the thread."""


class _Job(NamedTuple):
    work: Work | None
    """None for the last one."""
    done: "asyncio.Future[None]"


class RowThread:
    """Executes transactions in the order in which they are submitted.

    `connection` may be used by any thread, and begins no transaction by itself.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._jobs: SimpleQueue[_Job] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=_NAME, daemon=True)
        self._thread.start()

    async def transact(self, work: Work) -> None:
        """Execute and commit; raises sqlite3.Error, after which nothing was changed."""
        done = asyncio.get_running_loop().create_future()
        self._jobs.put(_Job(work, done))
        await done

    async def close(self) -> None:
        """End the thread after what was submitted, and close the connection."""
        ended = asyncio.get_running_loop().create_future()
        self._jobs.put(_Job(None, ended))
        await ended
        self._thread.join()

    def _run(self) -> None:
        is_open = True
        while is_open:
            work, done = self._jobs.get()
            if work is None:
                is_open, error = False, None
                self._connection.close()
            else:
                error = self._failure_of(work)
            with suppress(RuntimeError):  # the loop was closed: nobody waits any more
                done.get_loop().call_soon_threadsafe(_finish, done, error)

    def _failure_of(self, work: Work) -> Exception | None:
        connection = self._connection
        try:
            connection.execute("BEGIN IMMEDIATE")
            work(connection)
            connection.execute("COMMIT")
        except Exception as error:  # noqa: BLE001 - it is raised in the caller
            if connection.in_transaction:
                with suppress(sqlite3.Error):  # it was rolled back
                    connection.execute("ROLLBACK")
            return error
        return None


def _finish(done: "asyncio.Future[None]", error: Exception | None) -> None:
    if done.cancelled():
        return
    if error is None:
        done.set_result(None)
    else:
        done.set_exception(error)
