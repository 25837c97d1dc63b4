"""A casino in PostgreSQL: dumped, restored in one transaction, and no password in a list."""

import asyncio
import contextlib
import os
import sys
from pathlib import Path

import psutil
import pytest
from casino.backup.postgres_dump import client_environment
from casino_lobby.store import SqlStore
from support.casino.postgres import DATABASE, Postgres
from support.casino.store_side import played
from support.processes import run_until

from .conftest import Command, hands_in

pytestmark = pytest.mark.full


def url_of(server: Postgres, database: str = DATABASE) -> str:
    return f"postgresql+asyncpg://casino:s3cret@/{database}?host={server.socket}"


def client(server: Postgres, database: str = DATABASE) -> dict[str, str]:
    """Return the environment of a command that backs up a database."""
    return {"PATH": os.environ["PATH"], "CASINO_LOBBY_DATABASE": url_of(server, database)}


def fresh(server: Postgres, name: str) -> str:
    """Create an empty database and return its name."""
    server.run(f"DROP DATABASE IF EXISTS {name}", "postgres")
    server.run(f"CREATE DATABASE {name}", "postgres")
    return name


@pytest.fixture
async def server(postgres_server: Postgres, tmp_path: Path) -> Postgres:
    """Return a server with a lobby's database, and the data directory beside it."""
    store = SqlStore(postgres_server.empty_url())
    await store.open()
    await played(store, hands=3)
    await store.close()
    (tmp_path / "casino-data").mkdir()
    (tmp_path / "casino-data" / "card-key.pem").write_text("the key\n")
    return postgres_server


async def test_a_database_is_restored_into_an_empty_one(
    run: Command, server: Postgres, tmp_path: Path
) -> None:
    file, data = tmp_path / "casino.tar", tmp_path / "casino-data"
    ended = await run("backup", file, "--data", data, **client(server))
    assert (ended.exit_code, ended.stderr) == (0, "")
    assert "postgresql database and 1 files of the data directory" in ended.stdout
    name = fresh(server, "restored")
    ended = await run("restore", file, "--data", tmp_path / "fresh", **client(server, name))
    assert (ended.exit_code, ended.stderr) == (0, "")
    assert await hands_in(url_of(server, name)) == 3
    assert (tmp_path / "fresh" / "card-key.pem").read_text() == "the key\n"


async def test_present_tables_are_replaced_only_on_request(
    run: Command, server: Postgres, tmp_path: Path
) -> None:
    """They are kept in a schema of another name, each time."""
    file, data = tmp_path / "casino.tar", tmp_path / "casino-data"
    await run("backup", file, "--data", data, **client(server))
    server.run("CREATE TABLE of_a_newer_release (x integer)")
    ended = await run("restore", file, "--data", data, **client(server))
    assert ended.exit_code == 1
    assert "the database has tables: restore into an empty one, or use --replace" in ended.stderr
    assert (tmp_path / "casino-data" / "card-key.pem").exists()
    for number in (1, 2):
        ended = await run("restore", file, "--data", data, "--replace", **client(server))
        assert (ended.exit_code, ended.stderr) == (0, "")
        kept = f"public_before_restore_{number}"
        assert f"what was there before is kept: schema {kept}\n" in ended.stdout
        assert server.run(f"SELECT count(*) > 0 FROM {kept}.event") == "t"
    tables = "SELECT relnamespace::regnamespace FROM pg_class WHERE relname = 'of_a_newer_release'"
    assert server.run(tables) == "public_before_restore_1"
    assert await hands_in(url_of(server)) == 3
    for number in (1, 2):
        server.run(f"DROP SCHEMA public_before_restore_{number} CASCADE")


async def test_it_is_refused_while_a_lobby_holds_the_database(
    run: Command, server: Postgres, tmp_path: Path
) -> None:
    file, data = tmp_path / "casino.tar", tmp_path / "casino-data"
    lobby = SqlStore(url_of(server))
    await lobby.open()
    try:
        ended = await run("backup", file, "--data", data, **client(server))
        assert ended.exit_code == 0, ended.stderr
        ended = await run("restore", file, "--data", data, "--replace", **client(server))
    finally:
        await lobby.close()
    assert ended.exit_code == 1
    assert ended.stderr == ("casino restore: a lobby holds the database: stop the lobby first\n")


async def test_a_failed_restore_changes_nothing(
    run: Command, server: Postgres, tmp_path: Path
) -> None:
    """The data directory that cannot be renamed rolls the loaded database back."""
    file, data = tmp_path / "casino.tar", tmp_path / "casino-data"
    await run("backup", file, "--data", data, **client(server))
    name = fresh(server, "restored")
    data = data.rename(tmp_path / ("d" * 250))  # a longer name, to put it aside, is not possible
    ended = await run("restore", file, "--data", data, **client(server, name))
    assert (ended.exit_code, ended.stderr.count("\n")) == (1, 1)
    assert "the restore was undone" in ended.stderr
    assert (data / "card-key.pem").exists()
    assert server.run("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'", name) == "0"


async def test_the_kinds_of_database_are_not_mixed(
    run: Command, server: Postgres, data: Path, tmp_path: Path
) -> None:
    of_postgres, of_sqlite = tmp_path / "1.tar", tmp_path / "2.tar"
    await run("backup", of_postgres, "--data", data, **client(server))
    await run("backup", of_sqlite, "--data", data)
    ended = await run("restore", of_postgres, "--data", data)
    assert "holds a PostgreSQL database: name the one" in ended.stderr
    ended = await run("restore", of_sqlite, "--data", data, "--replace", **client(server))
    assert "holds an SQLite database, which cannot" in ended.stderr
    assert (data / "casino.db").exists()


async def test_missing_and_old_programs_are_named(
    run: Command, server: Postgres, tmp_path: Path
) -> None:
    file, data = tmp_path / "casino.tar", tmp_path / "casino-data"
    nothing = {**client(server), "PATH": str(tmp_path)}
    ended = await run("backup", file, "--data", data, **nothing)
    assert ended.stderr.startswith("casino backup: psql is not installed: install PostgreSQL's")
    old = tmp_path / "pg_dump"
    old.write_text("#!/bin/sh\necho 'pg_dump (PostgreSQL) 9.6.24'\n")
    old.chmod(0o755)
    first = {**client(server), "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    ended = await run("backup", file, "--data", data, **first)
    assert "pg_dump is of PostgreSQL 9, older than the server's" in ended.stderr
    assert not file.exists()


async def test_an_unreachable_or_empty_database_is_an_error(
    run: Command, server: Postgres, tmp_path: Path
) -> None:
    file, data = tmp_path / "casino.tar", tmp_path / "casino-data"
    ended = await run("backup", file, "--data", data, **client(server, "missing"))
    assert (ended.exit_code, ended.stderr.count("\n")) == (1, 1)
    assert 'database "missing" does not exist' in ended.stderr
    assert "s3cret" not in ended.stderr
    ended = await run("backup", file, "--data", data, **client(server, fresh(server, "bare")))
    assert "the database has no tables in the schema public" in ended.stderr
    assert not file.exists()


async def test_no_process_has_the_password_in_its_arguments(
    server: Postgres, tmp_path: Path
) -> None:
    """Those of the command and of everything that it starts are read until it ends."""
    backup = ("backup", tmp_path / "casino.tar", "--data", tmp_path / "casino-data")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "casino", *backup),
        env={**os.environ, **client(server)},
        stdout=asyncio.subprocess.DEVNULL,
    )
    seen: dict[int, list[str]] = {}

    def has_ended() -> bool:
        with contextlib.suppress(psutil.Error):
            running = psutil.Process(process.pid)
            for each in (running, *running.children(recursive=True)):
                if words := each.cmdline():
                    seen[each.pid] = words
        return process.returncode is not None

    await run_until(has_ended)
    assert process.returncode == 0
    assert any("pg_dump" in words[0] or "pg_dump" in words[1] for words in seen.values())
    assert not any("s3cret" in word for words in seen.values() for word in words)


def test_a_url_becomes_the_environment_of_the_programs() -> None:
    """What it does not say is left as it was."""
    ours = {"PATH": "/bin", "PGPASSFILE": "/run/pgpass"}
    environment = client_environment(
        "postgresql+asyncpg://me:p%40ss@db.example:5433/casino%2Done?ssl=require", ours
    )
    assert {name: environment.get(name) for name in ("PGHOST", "PGPORT", "PGUSER")} == {
        "PGHOST": "db.example",
        "PGPORT": "5433",
        "PGUSER": "me",
    }
    assert environment["PGPASSWORD"] == "p@ss"
    assert environment["PGDATABASE"] == "casino-one"
    assert environment["PGSSLMODE"] == "require"
    assert environment["PGPASSFILE"] == "/run/pgpass"
    several = client_environment("postgresql+asyncpg:///casino?host=a:1&host=b:2", ours)
    assert (several["PGHOST"], several["PGPORT"]) == ("a,b", "1,2")
    assert "PGPASSWORD" not in several
