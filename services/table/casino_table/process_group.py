"""The processes that share the tables of a configuration, and their addresses. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from casino_agentkit import InvalidSettings
from casino_agentkit.network import is_loopback

from casino_table.settings import SLOT, TableSettings

_LAST_PORT = 65_535


@dataclass(frozen=True)
class TableShare:
    """The tables of one process of a group; tables and processes are numbered from 1.

    Of `tables` tables, `process` of `processes` has every `processes`-th one.

    >>> [list(TableShare(5, 2, process).numbers) for process in (1, 2)]
    [[1, 3, 5], [2, 4]]
    """

    tables: int = 1
    processes: int = 1
    process: int = 1

    @property
    def numbers(self) -> range:
        return range(self.process, self.tables + 1, self.processes)

    @property
    def paths(self) -> list[str]:
        return [self.path(table) for table in self.numbers]

    def path(self, table: int) -> str:
        """Return the base path of a table, which does not depend on the number of processes."""
        return "" if self.tables == 1 else f"/tables/{table}"

    def name(self, table: int, common: str) -> str:
        return common if self.tables == 1 else f"{common} {table}"

    def holder(self, table: int) -> int | None:
        """Return the process that has a table, None if there is no such table."""
        if not 1 <= table <= self.tables:
            return None
        return (table - 1) % self.processes + 1


@dataclass(frozen=True)
class TableGroup:
    """The processes of a configuration; the first has its addresses, each next one counts them up.

    Process `k` (from 1) listens on the `k`-th port from `CASINO_TABLE_PORT`, or on any free one if
    that is 0; the ports of the public URL and of gRPC are counted up as well.
    """

    settings: TableSettings
    processes: int = 1

    @classmethod
    def of(cls, settings: TableSettings, cores: int) -> "TableGroup":
        """Raise InvalidSettings for more processes than tables, or uncountable addresses."""
        count, prefix = settings.count, settings.prefix
        processes = settings.processes
        if processes is None:
            processes = min(cores, count) if _is_local(settings) else 1
        if processes > count:
            raise InvalidSettings(
                f"{prefix}PROCESSES: {processes} processes cannot share {count} table(s): name at"
                f" most {count}, or more tables in {prefix}COUNT"
            )
        group = cls(settings, processes)
        if processes > 1:
            group._check_addresses()
        return group

    def share(self, process: int) -> TableShare:
        return TableShare(self.settings.count, self.processes, process)

    def port(self, process: int) -> int:
        """Return the port of a process; 0: any free one."""
        return self.settings.port + process - 1 if self.settings.port else 0

    def grpc_port(self, process: int) -> int | None:
        """Return the port of a process for gRPC; 0: any free one, None: gRPC is not served."""
        first = self.settings.grpc_port
        return first + process - 1 if first else first

    def public_url(self, process: int) -> str | None:
        if self.settings.public_url is None or process == 1:
            return self.settings.public_url
        parts = urlsplit(self.settings.public_url)
        place, _, _ = parts.netloc.rpartition(":")
        port = (parts.port or 0) + process - 1
        return parts._replace(netloc=f"{place}:{port}").geturl()

    def arguments(self, process: int, slot: str) -> list[str]:
        """Return the command line of a process; `slot` is the slot that the first one has."""
        slots = ["--slot", slot] if slot else []
        # Without the first process, the others free their ports and journals at once.
        own = ["--process", str(process), "--port", str(self.port(process)), "--orphan-grace", "0"]
        return [*own, *slots]

    def environment(self, process: int, inherited: Mapping[str, str]) -> dict[str, str]:
        """Return the environment of a process: that of the first one, with its own addresses."""
        own = {
            "PROCESSES": str(self.processes),
            "PUBLIC_URL": self.public_url(process),
            "GRPC_PORT": self.grpc_port(process),
        }
        prefix = self.settings.prefix
        return {**inherited} | {
            prefix + name: str(value) for name, value in own.items() if value is not None
        }

    def _check_addresses(self) -> None:
        """Raise InvalidSettings for ports and URLs that cannot be counted up."""
        settings, prefix, others = self.settings, self.settings.prefix, self.processes - 1
        for name, first in (("PORT", settings.port), ("GRPC_PORT", settings.grpc_port or 0)):
            if first + others > _LAST_PORT:
                raise InvalidSettings(
                    f"{prefix}{name}: {self.processes} processes need as many ports from {first}"
                    f" on, and the last one is {_LAST_PORT}: name at most {_LAST_PORT - others}, or"
                    f" set {prefix}PROCESSES=1"
                )
        if settings.public_url is None:
            return
        public = urlsplit(settings.public_url)
        if not settings.port:
            raise InvalidSettings(
                f"{prefix}PORT: must be set where {self.processes} processes have public URLs, such"
                f" as 4500, so that process 2 listens on 4501; or set {prefix}PROCESSES=1"
            )
        if public.port is None or public.port + others > _LAST_PORT:
            raise InvalidSettings(
                f"{prefix}PUBLIC_URL: must name a port from which {self.processes} processes count"
                f" up, such as {public.scheme}://{public.hostname}:4500; or set {prefix}PROCESSES=1"
            )


def _is_local(settings: TableSettings) -> bool:
    """Return whether callers are on this machine, and so reach every port of it."""
    is_shared = settings.data is not None and SLOT in str(settings.data)
    return is_loopback(settings.host) and settings.public_url is None and not is_shared
