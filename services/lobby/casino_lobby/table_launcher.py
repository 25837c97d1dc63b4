"""Start table processes for rooms, and read what a table offers without serving a room."""

import asyncio
import contextlib
import hashlib
import os
import socket
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from types import MappingProxyType

import structlog
from casino_agentkit import Child, ChildFailed, CommandRefused, KitReason, PortTaken
from casino_agentkit.process.background_tasks import BackgroundTasks
from casino_agentkit.process.fork_server import ForkServer
from casino_agentkit.server.serving import bind
from casino_contracts import Reason

from casino_lobby.domain.lobby_events import MessageBus, TableLost
from casino_lobby.settings import PortRange

TABLE_MODULE = "casino_table"
_HOST = "127.0.0.1"
_INHERITED = {"PATH", "HOME", "LANG", "TZ", "TMPDIR", "LD_LIBRARY_PATH", "VIRTUAL_ENV"}
_INHERITED_PREFIXES = ("LC_", "PYTHON", "SSL_", "CASINO_TABLE_")
"""Environment variables that a table process inherits, by name and by prefix.

No others are passed on, in particular no keys of other services.
"""
_LOBBY_LOG_LEVEL, _TABLE_LOG_LEVEL = "CASINO_LOBBY_LOG_LEVEL", "CASINO_TABLE_LOG_LEVEL"
_NOT_INHERITED = {
    "CASINO_TABLE_HOST",
    "CASINO_TABLE_PORT",
    "CASINO_TABLE_LOBBY_URL",
    "CASINO_TABLE_PUBLIC_URL",
    "CASINO_TABLE_COUNT",
    "CASINO_TABLE_PROCESSES",
    "CASINO_TABLE_DATA",
    "CASINO_TABLE_CARD_KEY",
    "CASINO_TABLE_TLS_CERT",
    "CASINO_TABLE_TLS_KEY",
}
"""Settings of standalone tables; a launched table serves one room and does not announce itself."""

_GRPC_PORT, _ANY_PORT = "CASINO_TABLE_GRPC_PORT", "0"
_TIMEOUT_S = 20.0

logger = structlog.get_logger(__name__)


def journal_directory(tables: Path, room_id: str) -> Path:
    """Return the directory below `tables` of a room's journals, named by a hash of its id.

    An id may hold `/`, or differ from another only in case.
    """
    return tables / f"_{hashlib.sha256(room_id.encode()).hexdigest()[:32]}"


def environment_of_tables(environment: Mapping[str, str]) -> dict[str, str]:
    """Return what launched tables inherit, with the lobby's log level by default.

    A port of gRPC stands for one for each table.
    """
    level = environment.get(_LOBBY_LOG_LEVEL)
    inherited = {_TABLE_LOG_LEVEL: level} if level else {}
    return inherited | {
        name: value if name != _GRPC_PORT else _ANY_PORT
        for name, value in environment.items()
        if (name in _INHERITED or name.startswith(_INHERITED_PREFIXES))
        and name not in _NOT_INHERITED
    }


class TableLauncher:
    """Launches one table process per room; publishes `TableLost` when one ends unexpectedly.

    `on_log` gets the tables' log lines. `data` is the directory of the tables' journals, from which
    a restarted table continues. `environment` is the lobby's, of which tables inherit a part;
    `secrets` are settings for the tables that take precedence over it.
    """

    def __init__(
        self,
        ports: PortRange,
        *,
        bus: MessageBus,
        on_log: Callable[[str], None],
        environment: Mapping[str, str] | None = None,
        secrets: Mapping[str, str] = MappingProxyType({}),
        grace: timedelta,
        data: Path | None = None,
    ) -> None:
        self._ports = ports
        self._bus = bus
        self._on_log = on_log
        self._grace = grace
        self._data = data
        inherited = environment_of_tables(os.environ if environment is None else environment)
        for name in secrets:  # a value together with a file for it would be an error
            inherited.pop(f"{name}_FILE", None)
        self._environment = {**inherited, **secrets}
        self._server = ForkServer(TABLE_MODULE, self._environment)
        self._children: dict[str, Child] = {}
        self._watching = BackgroundTasks()
        self._stopping: set[str] = set()

    async def launch(
        self, room_id: str, pinned_port: int | None, earlier_port: int | None = None
    ) -> str:
        """Launch a table and return its card URL; its port is the earlier one, if that is free.

        Raises CommandRefused: PORT_TAKEN for a pinned port that is in use (it is never taken over),
        TABLE_DAMAGED for a damaged journal, NO_TABLE if no table could be started.
        """
        with self._listener(pinned_port, earlier_port) as listener:
            child = await self._start(room_id, listener)
        self._children[room_id] = child
        self._watching.begin(self._watch(room_id, child))
        logger.info("table_launched", room=room_id, url=child.url, pid=child.pid)
        return child.cards[0]

    def runs(self, room_id: str) -> bool:
        return room_id in self._children

    async def stop(self, room_id: str) -> None:
        """After its running hand."""
        child = self._children.get(room_id)
        if child is not None:
            self._stopping.add(room_id)
            await child.stop(self._grace)

    async def stop_all(self) -> None:
        """After their running hands."""
        await asyncio.gather(*(self.stop(room_id) for room_id in list(self._children)))
        await self._watching.wait()
        await self._server.close()

    def _listener(self, pinned: int | None, earlier: int | None) -> socket.socket:
        """Return a socket that listens for a table: its port is nobody else's from now on."""
        ports = [*range(self._ports.first, self._ports.last + 1)] if pinned is None else [pinned]
        for port in ports if earlier is None else (earlier, *ports):
            with contextlib.suppress(PortTaken):
                return bind(_HOST, port)
            if port == earlier:
                logger.warning("table_port_taken", port=port)
        if pinned is not None:
            message = f"Port {pinned} is in use; choose another or none."
            raise CommandRefused(KitReason.PORT_TAKEN, message)
        message = f"No port of {self._ports.first} to {self._ports.last} is free for a table."
        raise CommandRefused(Reason.NO_TABLE, message)

    async def _start(self, room_id: str, listener: socket.socket) -> Child:
        """Start a table that listens there; raises CommandRefused if it does not start."""
        environment = {**self._environment, "CASINO_TABLE_NAME": f"Table of {room_id}"}
        if self._data:
            environment["CASINO_TABLE_DATA"] = str(journal_directory(self._data, room_id))
        try:
            return await self._server.start(
                f"table {room_id}", environment=environment, listener=listener, on_log=self._on_log
            )
        except ChildFailed as failed:
            reason = (
                Reason.TABLE_DAMAGED if failed.reason == Reason.JOURNAL_DAMAGED else Reason.NO_TABLE
            )
            raise CommandRefused(reason, f"The table process did not start: {failed}") from failed

    async def _watch(self, room_id: str, child: Child) -> None:
        code = await child.wait()
        self._children.pop(room_id, None)
        if room_id in self._stopping:
            self._stopping.discard(room_id)
            return
        exit_status = f"signal {-code}" if code < 0 else f"code {code}"
        logger.error(
            "table_process_ended", room=room_id, exit=exit_status, log=list(child.log)[-5:]
        )
        self._bus.publish(TableLost(room_id))


class TableProbe:
    """Runs a table process to completion and returns its output."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment_of_tables(environment)

    async def __call__(self, *arguments: str) -> str:
        """Return the standard output for some arguments; raises CommandRefused: NO_TABLE."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            TABLE_MODULE,
            *arguments,
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=PIPE,
            env=self._environment,
        )
        try:
            async with asyncio.timeout(_TIMEOUT_S):
                output, log = await process.communicate()
        except TimeoutError:
            raise CommandRefused(
                Reason.NO_TABLE, f"A table process printed nothing within {_TIMEOUT_S:.0f} s."
            ) from None
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        if process.returncode:
            last = log.decode(errors="replace").strip().rpartition("\n")[2]
            raise CommandRefused(Reason.NO_TABLE, f"A table process did not start: {last}")
        return output.decode()
