"""The services beside a casino's lobby: the gateway and the evaluator, each with its own data."""

import os
from collections.abc import Mapping
from tempfile import TemporaryDirectory

from casino_agentkit.process.key import service_key

from casino.operator_key import OperatorKey
from casino.up.plan import EVALUATOR_PORT, GATEWAY_PORT, Plan
from casino.up.processes import (
    EVALUATOR_MODULE,
    GATEWAY_MODULE,
    TABLE_MODULE,
    Processes,
    free_port,
    port_of,
)
from casino.up.report import Report

_TABLES = 16
"""As many as a lobby takes of one origin."""
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
        plan: Plan,
        processes: Processes,
        report: Report,
        key: OperatorKey,
        fleet: Mapping[str, str],
    ) -> None:
        self._plan = plan
        self._processes = processes
        self._report = report
        self._key = key
        self._fleet = fleet
        self._data: list[TemporaryDirectory[str]] = []
        self.gateway_port = free_port(GATEWAY_PORT if plan.lobby_port else 0)
        """The port that the gateway will have, so that the lobby can name it."""

    async def start_gateway(self, lobby_url: str) -> None:
        """Start the gateway, whose address the lobby already knows; raises ChildFailed."""
        if self._plan.has_gateway:
            _, _, lobby_port = lobby_url.rpartition(":")
            origins = f"{lobby_url},http://localhost:{lobby_port}"
            settings = {"CASINO_GATEWAY_CORS_ORIGINS": origins}
            await self._start("gateway", GATEWAY_MODULE, self.gateway_port, lobby_url, settings)

    async def start_evaluator(self, lobby_url: str) -> None:
        """Start the evaluator, and tables for its rooms; raises ChildFailed.

        Every level, and every RESET, opens a room: a table that stands ready costs no process.
        """
        if self._plan.has_evaluator:
            tables = {"CASINO_TABLE_LOBBY_URL": lobby_url, "CASINO_TABLE_COUNT": str(_TABLES)}
            tables["CASINO_TABLE_PROCESSES"] = "1"
            tables["CASINO_TABLE_DRAIN_TIMEOUT"] = "1s"
            for of_lobby, of_table in _SHARED.items():
                if value := self._fleet.get(of_lobby) or os.environ.get(of_lobby):
                    tables[of_table] = value
            await self._processes.start("tables", TABLE_MODULE, [], 0, **tables)
            port = port_of(EVALUATOR_PORT if self._plan.lobby_port else 0)
            await self._start("evaluator", EVALUATOR_MODULE, port, lobby_url, {})

    def remove_data(self) -> None:
        """Remove the data of services that have ended."""
        for directory in self._data:
            directory.cleanup()

    async def _start(
        self, name: str, module: str, port: int, lobby_url: str, settings: dict[str, str]
    ) -> None:
        prefix = f"CASINO_{name.upper()}_"
        settings[prefix + "LOBBY_URL"] = lobby_url
        if self._key.value:
            settings[prefix + "OPERATOR_TOKEN"] = service_key(self._key.value, name)
        if not {prefix + "DATA", prefix + "DATABASE"} & os.environ.keys():
            self._data.append(TemporaryDirectory(prefix=f"casino-{name}-"))
            settings[prefix + "DATA"] = self._data[-1].name
        child = await self._processes.start(name, module, [], port, **settings)
        self._report.say(f"{name:8} {child.url}", url=child.url, pid=child.pid)
