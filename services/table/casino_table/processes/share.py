"""Which process of a group has which tables. Pure."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Share:
    """The tables of one process of a group; tables and processes are numbered from 1.

    Of `tables` tables, `process` of `processes` has every `processes`-th one.

    >>> [list(Share(5, 2, process).numbers) for process in (1, 2)]
    [[1, 3, 5], [2, 4]]
    """

    tables: int = 1
    processes: int = 1
    process: int = 1

    @property
    def numbers(self) -> range:
        """The numbers of its tables."""
        return range(self.process, self.tables + 1, self.processes)

    @property
    def paths(self) -> list[str]:
        """The base paths of its tables."""
        return [self.path(table) for table in self.numbers]

    def path(self, table: int) -> str:
        """Return the base path of a table, which does not depend on the number of processes."""
        return "" if self.tables == 1 else f"/tables/{table}"

    def name(self, table: int, common: str) -> str:
        """Return the name on the card of a table."""
        return common if self.tables == 1 else f"{common} {table}"

    def holder(self, table: int) -> int | None:
        """Return the process that has a table, None if there is no such table."""
        if not 1 <= table <= self.tables:
            return None
        return (table - 1) % self.processes + 1
