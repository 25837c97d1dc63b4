"""The processes of a casino on this machine: started with their own settings, watched, stopped."""

import asyncio
import contextlib
import os
from collections.abc import Mapping, Sequence
from datetime import timedelta
from tempfile import TemporaryDirectory
from typing import Final
from urllib.parse import urlsplit

from casino_agentkit import Child, ChildFailed, KitReason
from casino_agentkit.process.child import usable_cores
from casino_agentkit.process.secret_keys import service_key

from casino.operator_key import FAULTS_KEY, OperatorKey
from casino.output import counted
from casino.up.casino_plan import READY_WITHIN, CasinoPlan
from casino.up.casino_ports import KeptPort, KeptPorts
from casino.up.run_report import Report

LOBBY_MODULE: Final = "casino_lobby"
PLAYER_MODULE: Final = "casino_player_example"
GATEWAY_MODULE: Final = "casino_gateway"
EVALUATOR_MODULE: Final = "casino_evaluator"
TABLE_MODULE: Final = "casino_table"

_CONSOLE: Final = ("CASINO_OPERATOR_", "CASINO_DEALER_")
_CASINO: Final = ("CASINO_PLAYER_", "CASINO_LOBBY_", "CASINO_TABLE_")
_SIDE_SERVICES: Final = ("CASINO_GATEWAY_", "CASINO_EVALUATOR_")
_WITHHELD_PREFIXES: Final = {
    LOBBY_MODULE: (*_CONSOLE, *_SIDE_SERVICES, FAULTS_KEY),
    PLAYER_MODULE: (*_CONSOLE, *_SIDE_SERVICES, "CASINO_LOBBY_", "CASINO_TABLE_"),
    GATEWAY_MODULE: (*_CONSOLE, "CASINO_EVALUATOR_", *_CASINO),
    EVALUATOR_MODULE: (*_CONSOLE, "CASINO_GATEWAY_", *_CASINO),
    TABLE_MODULE: (*_CONSOLE, *_SIDE_SERVICES, "CASINO_PLAYER_", "CASINO_LOBBY_", "CASINO_TABLE_"),
}
"""Prefixes of the settings, including keys, that are not passed to each module's processes."""

_HAND_GRACE: Final = timedelta(seconds=60)
"""For a process that finishes running hands."""
_GRACE: Final = timedelta(seconds=5)
_ENDING_S: Final = 2.0
"""How long the end of a lobby that does not answer may take to be noticed."""


class ServiceProcesses:
    """Starts processes, and reports those that end by themselves.

    Each has `ready_within` to be ready.
    The end of one without which nothing is played sets `stopping`; nothing is reported once that is
    set.
    """

    def __init__(
        self, report: Report, stopping: asyncio.Event, ready_within: timedelta = READY_WITHIN
    ) -> None:
        self._report = report
        self._stopping = stopping
        self._ready_within = ready_within
        self._started: dict[Child, str] = {}
        """The module of each process."""
        self._watchers: list[asyncio.Task[None]] = []
        self._needed: set[Child] = set()
        self.lobby: Child | None = None
        self.has_lost_needed = False

    async def start(
        self, name: str, module: str, arguments: Sequence[str], port: KeptPort, **settings: str
    ) -> Child:
        """Start a process; raises ChildFailed, and PortTaken for a port that was asked for.

        Another port that somebody else has taken meanwhile is replaced by a free one.
        """
        defaults = {"CASINO_LOBBY_DATABASE": "memory", **os.environ}
        environment = {**environment_of(module, defaults), **settings}
        try:
            child = await Child.start(
                name,
                module,
                [*arguments, "--port", str(port.number)],
                environment=environment,
                timeout=self._ready_within,
            )
        except ChildFailed as failed:
            if failed.reason != KitReason.PORT_TAKEN or not port.number:
                raise
            if port.option:
                raise port.refused(failed) from failed
            self._report.say(f"port {port.number} is taken: {name} has a free one")
            return await self.start(name, module, arguments, KeptPort(), **settings)
        if module == LOBBY_MODULE:
            self.lobby = child
            self.need(child)
        self._started[child] = module
        self._watchers.append(asyncio.create_task(self._watch(child)))
        return child

    def need(self, child: Child) -> None:
        self._needed.add(child)

    async def stop(self) -> None:
        """Stop evaluator and tables, then the lobby, then the players, who finish its hand."""
        self._stopping.set()
        for first in (EVALUATOR_MODULE, TABLE_MODULE):
            for child, module in self._started.items():
                if module == first:
                    await child.stop(_HAND_GRACE if child in self._needed else _GRACE)
        if self.lobby:
            await self.lobby.stop(_HAND_GRACE)
        await asyncio.gather(*(child.stop(_GRACE) for child in self._started))
        for task in self._watchers:
            task.cancel()

    async def has_lost_needed_soon(self) -> bool:
        """Return whether a needed process has ended, reported: a failed call may come first."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_ENDING_S):
                await self._stopping.wait()
        return self.has_lost_needed

    async def _watch(self, child: Child) -> None:
        code = await child.wait()
        if self._stopping.is_set():
            return
        self._report.trouble(f"{child.name} ended with code {code}; end of its log:", (*child.log,))
        if child in self._needed:
            self.has_lost_needed = True
            self._stopping.set()


def environment_of(module: str, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment for a process, without the settings and keys of other components."""
    withheld = _WITHHELD_PREFIXES[module]
    return {name: value for name, value in environment.items() if not name.startswith(withheld)}


_TABLES = 16
"""As many as a lobby takes of one origin."""
_ORIGINS = "CASINO_GATEWAY_CORS_ORIGINS"
FLEET_KEY = "CASINO_LOBBY_FLEET_KEY"
"""The lobby's setting of the key that its tables have, too."""
_SHARED = {
    FLEET_KEY: "CASINO_TABLE_FLEET_KEY",
    "CASINO_LOBBY_FLEET_KEY_FILE": "CASINO_TABLE_FLEET_KEY_FILE",
}
"""The lobby's settings that its tables need, and their names at the table."""


class SideServices:
    """Starts the services that a plan has.

    Their data ends with the casino, unless settings say where it is.
    """

    def __init__(
        self,
        plan: CasinoPlan,
        processes: ServiceProcesses,
        report: Report,
        key: OperatorKey,
        fleet: Mapping[str, str],
        ports: KeptPorts,
    ) -> None:
        self._plan = plan
        self._processes = processes
        self._report = report
        self._key = key
        self._fleet = fleet
        self._ports = ports
        self._data: list[TemporaryDirectory[str]] = []
        self.gateway_url = ""
        """The gateway's URL, "" until it has started."""

    async def start_gateway(self, lobby_url: str) -> None:
        if self._plan.has_gateway:
            _, _, lobby_port = lobby_url.rpartition(":")
            origins = [lobby_url, f"http://localhost:{lobby_port}", os.environ.get(_ORIGINS)]
            settings = {_ORIGINS: ",".join(filter(None, origins))}
            if evaluator := self._ports.numbers("evaluator"):
                settings["CASINO_GATEWAY_EVALUATOR_URL"] = f"http://127.0.0.1:{evaluator[0]}"
            (port,) = self._ports.release("gateway")
            # Not to be replaced: the lobby names it already.
            port = KeptPort(port.number, port.option or "--gateway-port")
            self.gateway_url = await self._start(
                "gateway", GATEWAY_MODULE, port, lobby_url, settings
            )

    async def start_evaluator(self, lobby_url: str) -> None:
        """Start the evaluator, and tables that stand ready for its rooms; raises ChildFailed."""
        if self._plan.has_evaluator:
            tables = {"CASINO_TABLE_LOBBY_URL": lobby_url, "CASINO_TABLE_COUNT": str(_TABLES)}
            tables["CASINO_TABLE_PROCESSES"] = "1"
            tables["CASINO_TABLE_DRAIN_TIMEOUT"] = "1s"
            for of_lobby, of_table in _SHARED.items():
                if value := self._fleet.get(of_lobby) or os.environ.get(of_lobby):
                    tables[of_table] = value
            port, port_of_tables = self._ports.release("evaluator")
            await self._processes.start("tables", TABLE_MODULE, [], port_of_tables, **tables)
            await self._start("evaluator", EVALUATOR_MODULE, port, lobby_url, {})

    def remove_data(self) -> None:
        for directory in self._data:
            directory.cleanup()

    async def _start(
        self, name: str, module: str, port: KeptPort, lobby_url: str, settings: dict[str, str]
    ) -> str:
        """Start a service; return its URL."""
        prefix = f"CASINO_{name.upper()}_"
        settings[prefix + "LOBBY_URL"] = lobby_url
        if self._key.value:
            settings[prefix + "OPERATOR_TOKEN"] = service_key(self._key.value, name)
        if not {prefix + "DATA", prefix + "DATABASE"} & os.environ.keys():
            self._data.append(TemporaryDirectory(prefix=f"casino-{name}-"))
            settings[prefix + "DATA"] = self._data[-1].name
        child = await self._processes.start(name, module, [], port, **settings)
        self._report.say(f"{name:8} {child.url}", url=child.url, pid=child.pid)
        return child.url


_PREFIX: Final = "CASINO_TABLE_"
_TAKEN_OVER: Final = ("GAMES", "LOG_LEVEL", "CALL_ADDRESSES", "MAX_UNDELIVERED", "TLS_CA")
"""Settings of tables that are those of these tables, too."""


def processes_of_tables(plan: CasinoPlan) -> int:
    """Return how many processes have the tables; the lobby launches a single one itself."""
    return (plan.table_processes or min(usable_cores(), plan.tables)) if plan.tables > 1 else 0


async def start_tables(
    processes: ServiceProcesses, plan: CasinoPlan, report: Report, ports: Sequence[KeptPort]
) -> dict[str, str]:
    """Start several rooms' tables; return the card URLs by room. Raises ChildFailed, PortTaken."""
    settings = {
        name: os.environ[name] for part in _TAKEN_OVER if (name := _PREFIX + part) in os.environ
    }
    settings[f"{_PREFIX}COUNT"] = str(plan.tables)
    settings[f"{_PREFIX}PROCESSES"] = str(len(ports))
    first = ports[0]  # the others count up from it
    is_row = [port.number - first.number for port in ports] == [*range(len(ports))]
    port = first if is_row else KeptPort()
    tables = await processes.start("tables", TABLE_MODULE, [], port, **settings)
    processes.need(tables)
    report.say(_described(tables), url=tables.url, pid=tables.pid)
    return dict(zip(plan.rooms, tables.cards, strict=True))


def _described(tables: Child) -> str:
    number = len({urlsplit(card).netloc for card in tables.cards})
    shared = "1 process" if number == 1 else f"{number} processes"
    return f"tables   {tables.url}   {counted(len(tables.cards), 'table')} in {shared}"
