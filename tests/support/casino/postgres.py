"""A PostgreSQL server of the tests, in a temporary directory and behind a Unix socket."""

import asyncio
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from support.casino.store_side import create_tables

_DEBIAN = Path("/usr/lib/postgresql")
_USER = "casino"
DATABASE = "casino"
_MIGRATED = "migrated"
_CLEAR = """
DO $$ BEGIN
    EXECUTE (SELECT 'TRUNCATE ' || string_agg(tablename, ', ') || ' RESTART IDENTITY'
        FROM pg_tables WHERE schemaname = 'public'
        AND tablename NOT IN ('alembic_version', 'lobby_order'));
    UPDATE lobby_order SET newest = 0, deleted_until = NULL;
END $$
"""


class NoPostgres(Exception):
    """This machine has no PostgreSQL server program."""


class Postgres:
    """A running server behind a Unix socket.

    Of its two databases, `empty_url` gives one without tables, and `new_url` one that has those of
    this release: to empty tables takes a quarter of the time that a copy of a template takes, and
    a tenth of that of the migrations.
    """

    def __init__(self, binaries: Path, socket: Path) -> None:
        self.socket = socket
        self._binaries = binaries
        self._database = DATABASE
        self.run(f"CREATE DATABASE {DATABASE}", "postgres")

    def empty_url(self) -> str:
        """Remove everything from the database and return its URL."""
        self._database = DATABASE
        self.run("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
        return self._url

    def migrate(self) -> None:
        """Create the database of `new_url`; not within an event loop."""
        self.run(f"CREATE DATABASE {_MIGRATED}", "postgres")
        self._database = _MIGRATED
        asyncio.run(create_tables(self._url))

    def new_url(self) -> str:
        """Empty the tables of the database that `migrate` created, and return its URL."""
        self._database = _MIGRATED
        self.run(_CLEAR)
        return self._url

    @property
    def _url(self) -> str:
        return f"postgresql+asyncpg://{_USER}@/{self._database}?host={self.socket}"

    def end_sessions(self, which: str = "true") -> None:
        """End the database's sessions of which a condition holds, as if they had been killed."""
        self.run(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            f" WHERE datname = current_database() AND pid <> pg_backend_pid() AND ({which})"
        )

    def run(self, statement: str, database: str | None = None) -> str:
        """Run a statement, in the database of the newest URL, and return its answer as text."""
        where = ["-h", str(self.socket), "-U", _USER, "-d", database or self._database]
        done = subprocess.run(
            [self._binaries / "psql", *where, "-v", "ON_ERROR_STOP=1", "-Atqc", statement],
            capture_output=True,
            check=False,
            text=True,
            env={**os.environ, "PGOPTIONS": "-c client_min_messages=warning"},
        )
        if done.returncode:
            raise RuntimeError(f"psql: {done.stderr}")
        return done.stdout.strip()


@contextmanager
def postgres(*, fsync: bool = False) -> Iterator[Postgres]:
    """Run a server; raises NoPostgres. As root it runs as another user."""
    binaries = _binaries()
    owner = _owner()
    home = Path(tempfile.mkdtemp(prefix="casino-pg-"))
    try:
        if owner is not None:
            os.chown(home, owner.pw_uid, owner.pw_gid)
        data = home / "data"
        _run(owner, binaries / "initdb", "-D", data, "-U", _USER, "-A", "trust", "-E", "UTF8", "-N")
        options = f"-k {home} -c listen_addresses= -c fsync={'on' if fsync else 'off'}"
        pg_ctl = (binaries / "pg_ctl", "-D", data, "-w", "-s")
        _run(owner, *pg_ctl, "-l", home / "log", "-o", options, "start")
        try:
            yield Postgres(binaries, home)
        finally:
            _run(owner, *pg_ctl, "-m", "immediate", "stop")
    finally:
        shutil.rmtree(home)


def _binaries() -> Path:
    on_path = shutil.which("initdb")
    if on_path:
        return Path(on_path).resolve().parent
    installed = sorted(_DEBIAN.glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if not installed:
        raise NoPostgres(
            "there is no PostgreSQL server here: neither on PATH nor in " + str(_DEBIAN)
        )
    return installed[-1].parent


def _owner() -> pwd.struct_passwd | None:
    if os.getuid() != 0:
        return None
    users = {user.pw_name: user for user in pwd.getpwall()}
    return users.get("postgres") or users["nobody"]


def _run(owner: pwd.struct_passwd | None, *command: str | Path) -> None:
    done = subprocess.run(
        command,
        capture_output=True,
        check=False,
        text=True,
        cwd="/",
        user=owner.pw_uid if owner else None,
        group=owner.pw_gid if owner else None,
        extra_groups=[] if owner else None,
        env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"},
    )
    if done.returncode:
        raise RuntimeError(f"{command[0]}: {done.stdout}{done.stderr}")
