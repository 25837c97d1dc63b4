"""Where a casino's data are: its data directory and its database."""

from dataclasses import dataclass
from pathlib import Path

from casino.backup.data_directory import DATABASE
from casino.errors import BackupFailed

_SQLITE, _POSTGRESQL = "sqlite+aiosqlite:///", "postgresql+asyncpg://"


@dataclass(frozen=True)
class CasinoLocation:
    """The data directory, and the database: an SQLite file or the URL of a PostgreSQL database."""

    data: Path
    database: Path | str

    @classmethod
    def of(cls, data: Path, database_url: str | None) -> "CasinoLocation":
        """Read the lobby's settings `CASINO_LOBBY_DATA` and `…_DATABASE`; raises BackupFailed."""
        if not database_url:
            return cls(data, data / DATABASE)
        if database_url.startswith(_SQLITE):
            return cls(data, Path(database_url.removeprefix(_SQLITE)))
        if database_url.startswith(_POSTGRESQL):
            return cls(data, database_url)
        if database_url == "memory":
            raise BackupFailed("the database is `memory`: such a casino stores nothing")
        raise BackupFailed(
            f"no lobby uses such a database: write {_SQLITE}FILE or {_POSTGRESQL}user@host/name"
        )

    @property
    def is_inside(self) -> bool:
        """Whether the database is the file of the data directory."""
        return self.database == self.data / DATABASE
