"""A PostgreSQL database: its URL, dumped and restored by PostgreSQL's own programs."""

import contextlib
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO
from urllib.parse import parse_qs, unquote, urlsplit

from casino.errors import BackupFailed


def has_password(url: str) -> bool:
    parts = urlsplit(url)
    return parts.password is not None or "password" in parse_qs(parts.query)


def client_environment(url: str, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment in which `psql` and `pg_dump` connect to the database of a URL.

    A password is passed on here and never as an argument, which all users of the machine can read.
    What the URL does not say is left to the environment: `PGPASSWORD`, `PGPASSFILE`, `PGSSLMODE`.
    Raises BackupFailed.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise BackupFailed(f"the database's URL cannot be read: {error}") from error
    query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    hosts = parse_qs(parts.query).get("host", [])
    pairs = [_host_and_port(host) for host in hosts]
    settings = {
        "PGHOST": ",".join(host for host, _ in pairs) or parts.hostname,
        "PGPORT": ",".join(number for _, number in pairs).strip(",")
        or query.get("port")
        or (str(port) if port else None),
        "PGUSER": unquote(parts.username) if parts.username else query.get("user"),
        "PGPASSWORD": unquote(parts.password) if parts.password else query.get("password"),
        "PGDATABASE": unquote(parts.path.lstrip("/")) or query.get("database"),
        "PGSSLMODE": query.get("sslmode") or query.get("ssl"),
        "PGAPPNAME": "a2a-casino backup",
        # The lines of errors are recognised by their first word.
        "LC_MESSAGES": "C",
    }
    return {**environment, **{name: value for name, value in settings.items() if value}}


def _host_and_port(host: str) -> tuple[str, str]:
    if host.startswith("/"):
        return host, ""
    name, _, port = host.partition(":")
    return name, port


_LOBBY_LOCK = 0x_A2A_CA51_4010_BB1
"""Key of the advisory lock that a lobby holds; the same as in its store."""

_PSQL = ("psql", "-X", "-A", "-t", "-q", "-w", "-v", "ON_ERROR_STOP=1")
_HELD = "a lobby holds the database: stop the lobby first"
_LOADED = "casino: everything is loaded"
_OBJECTS = (
    "SELECT count(*) FROM pg_class WHERE relnamespace = current_schema()::regnamespace"
    " AND relkind IN ('r', 'p', 'v', 'm', 'S', 'f')"
)


class PostgresDatabase:
    """The database of a URL."""

    def __init__(self, url: str, environment: Mapping[str, str]) -> None:
        self._environment = client_environment(url, environment)

    def current_schema(self) -> str:
        """Return the schema in which the lobby's tables are; raises BackupFailed."""
        return self._query("SELECT current_schema()")

    def is_empty(self) -> bool:
        return self._query(_OBJECTS) == "0"

    def dump(self, schema: str, target: Path) -> None:
        """Write a dump of the state of one moment while others write; raises BackupFailed."""
        self._check_version("pg_dump")
        selection = (f"--schema={_quoted(schema)}", "--no-owner", "--no-privileges")
        _run("pg_dump", "-w", "--format=custom", *selection, f"--file={target}", of=self)

    def check_free(self) -> None:
        """Raise BackupFailed if a lobby holds the database, or it cannot be reached."""
        if self._query(f"SELECT pg_try_advisory_lock({_LOBBY_LOCK})") != "t":
            raise BackupFailed(_HELD)

    def check_restorable(self, schema: str, *, can_replace: bool) -> None:
        """Raise BackupFailed if a dump of a schema cannot be restored here."""
        self._check_version("pg_restore")
        here = self.current_schema()
        if here != schema:
            raise BackupFailed(
                f"the backup is of the schema {schema}, and this database uses {here or 'none'}:"
                f" restore into a database whose search_path begins with {schema}"
            )
        if not can_replace and not self.is_empty():
            raise BackupFailed(
                "the database has tables: restore into an empty one, or use --replace, which keeps"
                " the present tables in a schema of another name"
            )

    @contextlib.contextmanager
    def restoring(self, dump: Path, schema: str) -> Iterator[str | None]:
        """Load a dump; commit when the block ends without an exception.

        Present tables are kept, as the yielded schema. One transaction does all of it: it is never
        half done, whichever process ends. Raises BackupFailed.
        """
        aside = None if self.is_empty() else self._free_name(f"{schema}_before_restore_")
        with tempfile.TemporaryFile() as errors, self._session(errors) as psql:
            assert psql.stdin is not None  # noqa: S101  both are pipes
            assert psql.stdout is not None  # noqa: S101
            try:
                psql.stdin.write(_beginning(schema, aside).encode())
                self._load(dump, schema, psql.stdin)
                psql.stdin.write(f"\\echo {_LOADED}\n".encode())
                psql.stdin.flush()
            except BrokenPipeError:
                pass  # psql stopped at an error, which its missing answer shows
            if not any(line.strip() == _LOADED.encode() for line in psql.stdout):
                raise BackupFailed(_reason(errors, "psql"))
            yield aside
            # Without this line the session ends with a rollback.
            with contextlib.suppress(BrokenPipeError):
                psql.stdin.write(b"COMMIT;\n")
                psql.stdin.close()
            if psql.wait():
                raise BackupFailed(_reason(errors, "psql"))

    @contextlib.contextmanager
    def _session(self, errors: IO[bytes]) -> Iterator[subprocess.Popen[bytes]]:
        psql = _start(*_PSQL, of=self, errors=errors, stdin=subprocess.PIPE)
        try:
            yield psql
        finally:
            psql.kill()
            psql.wait()
            for pipe in (psql.stdin, psql.stdout):
                with contextlib.suppress(BrokenPipeError):
                    assert pipe is not None  # noqa: S101
                    pipe.close()

    def _load(self, dump: Path, schema: str, target: IO[bytes]) -> None:
        command = ("pg_restore", f"--schema={schema}", "--no-owner", "--no-privileges", "-f", "-")
        with tempfile.TemporaryFile() as errors:
            restore = _start(*command, str(dump), of=self, errors=errors)
            assert restore.stdout is not None  # noqa: S101
            try:
                shutil.copyfileobj(restore.stdout, target)
            finally:
                restore.stdout.close()
                code = restore.wait()
            if code:
                raise BackupFailed(_reason(errors, "pg_restore"))

    def _free_name(self, prefix: str) -> str:
        taken = self._query("SELECT nspname FROM pg_namespace").splitlines()
        return next(f"{prefix}{n}" for n in range(1, len(taken) + 2) if f"{prefix}{n}" not in taken)

    def _check_version(self, program: str) -> None:
        """Raise BackupFailed if a program is older than the server."""
        server = int(self._query("SHOW server_version_num")) // 10_000
        version = re.search(r"\d+", _run(program, "--version", of=self))
        if version is None or int(version[0]) < server:
            raise BackupFailed(
                f"{program} is of PostgreSQL {version[0] if version else '?'}, older than the"
                f" server's {server}: install the client programs of PostgreSQL {server}"
            )

    def _query(self, statement: str) -> str:
        return _run(*_PSQL, "-c", statement, of=self).strip()

    @property
    def environment(self) -> dict[str, str]:
        """The environment of its programs, which holds the password."""
        return self._environment


def _beginning(schema: str, aside: str | None) -> str:
    take_lock = (
        f"DO $$ BEGIN IF NOT pg_try_advisory_xact_lock({_LOBBY_LOCK}) THEN"
        f" RAISE '{_HELD}'; END IF; END $$;"
    )
    lines = ["BEGIN;", take_lock]
    if aside is not None:
        lines += [
            f"ALTER SCHEMA {_quoted(schema)} RENAME TO {_quoted(aside)};",
            f"CREATE SCHEMA {_quoted(schema)};",
        ]
    return "\n".join(lines) + "\n"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _start(
    program: str,
    *arguments: str,
    of: PostgresDatabase,
    errors: IO[bytes],
    stdin: int = subprocess.DEVNULL,
) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(  # noqa: S603  a fixed program, without a shell
            [program, *arguments],
            env=of.environment,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=errors,
        )
    except FileNotFoundError as error:
        raise BackupFailed(
            f"{program} is not installed: install PostgreSQL's client programs"
            " (postgresql-client), of the server's release or a newer one"
        ) from error


def _run(program: str, *arguments: str, of: PostgresDatabase) -> str:
    """Run a program to its end and return what it writes; raises BackupFailed."""
    with tempfile.TemporaryFile() as errors:
        process = _start(program, *arguments, of=of, errors=errors)
        try:
            output, _ = process.communicate()
        except BaseException:
            process.kill()
            process.wait()
            raise
        if process.returncode:
            raise BackupFailed(_reason(errors, program))
    return output.decode(errors="replace")


def _reason(errors: IO[bytes], program: str) -> str:
    """Return the first error that a program wrote, on one line."""
    errors.seek(0)
    lines = errors.read().decode(errors="replace").splitlines()
    described = next((line for line in lines if "rror:" in line or "ERROR:" in line), "")
    message = (described or " ".join(lines)).partition("ERROR:")
    return f"{program}: {' '.join((message[2] or message[0]).split()) or 'failed'}"
