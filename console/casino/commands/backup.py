"""Commands `casino backup` and `casino restore`."""

import contextlib
import signal
import sys
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer
from casino_agentkit import InvalidSecret, find_secret

from casino.backup.backup_restore import restore_backup, write_backup
from casino.backup.data_directory import CasinoLocation
from casino.backup.postgres_dump import has_password
from casino.commands.context import AsJson, context_of, one_line_for
from casino.errors import BackupFailed

_DATA, _DATABASE = "CASINO_LOBBY_DATA", "CASINO_LOBBY_DATABASE"
_PACKAGE = "a2a-casino"
_TERMINATED = 128 + signal.SIGTERM

Data = Annotated[
    Path | None, typer.Option(help=f"The lobby's data directory; else {_DATA}, else casino-data.")
]
Database = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help=f"The lobby's database, as in {_DATABASE}, which is the default; without a password.",
    ),
]


def backup(
    context: typer.Context,
    file: Annotated[
        Path, typer.Argument(help="The file to write, such as casino.tar, or casino.tar.gz.")
    ],
    data: Data = None,
    database: Database = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write a casino's database and data directory into one file, also while it plays.

    Run it as the user of the lobby. The file holds every secret of the casino; only you can read
    it.
    """
    with _reported(context):
        result = write_backup(
            _location(context, data, database),
            file,
            release=version(_PACKAGE),
            now=datetime.now(UTC),
            environment=context_of(context).environment,
            can_overwrite=force,
        )
    for warning in result.warnings:
        typer.echo(f"{context.command_path}: {warning}; it is in the backup as it is", err=True)
    output = context_of(context).output()
    manifest = result.manifest
    if as_json:
        output.json({"file": str(file), **manifest.model_dump(mode="json", by_alias=True)})
        return
    size = sum(member.size for member in manifest.members)
    output.line(
        f"{file}: {manifest.database.kind} database and {len(manifest.members) - 1} files of the"
        f" data directory, {size:,} bytes, release {manifest.release}"
    )


def restore(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="A file that `casino backup` wrote.")],
    data: Data = None,
    database: Database = None,
    replace: Annotated[
        bool,
        typer.Option(
            "--replace",
            help="Restore into a PostgreSQL database that has tables; they are kept in a schema of"
            " another name.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Restore a casino from a backup, while no lobby runs on the data.

    What was there before is kept under another name, which the output says.
    """
    with _reported(context):
        location = _location(context, data, database)
        if replace and isinstance(location.database, Path):
            raise typer.BadParameter(
                "has no effect on an SQLite database, which is always replaced: leave it out",
                param_hint="--replace",
            )
        result = restore_backup(
            file,
            location,
            release=version(_PACKAGE),
            environment=context_of(context).environment,
            can_replace=replace,
        )
    output = context_of(context).output()
    manifest = result.manifest
    if as_json:
        output.json(
            {
                "data": str(location.data),
                "kept": list(result.kept),
                **manifest.model_dump(mode="json", by_alias=True),
            }
        )
        return
    when = manifest.created_at.isoformat(timespec="seconds")
    output.line(f"{location.data}: the casino of {when}, release {manifest.release}")
    for name in result.kept:
        output.line(f"what was there before is kept: {name}")


def _location(context: typer.Context, data: Path | None, database: str | None) -> CasinoLocation:
    environment = context_of(context).environment
    if database and has_password(database):
        raise typer.BadParameter(
            "all users of this machine can read options: put the URL with its password into"
            f" {_DATABASE}, or the password into PGPASSWORD or ~/.pgpass",
            param_hint="--database",
        )
    directory = data or Path(environment.get(_DATA) or "casino-data")
    return CasinoLocation.of(directory, database or find_secret(environment, _DATABASE))


@contextlib.contextmanager
def _reported(context: typer.Context) -> Iterator[None]:
    """Make a failure one line on standard error with exit code 1, and SIGTERM an exit."""
    if threading.current_thread() is threading.main_thread():
        # An exit, and not the end of the process at once: unfinished files are removed.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(_TERMINATED))
    with one_line_for(context, BackupFailed, InvalidSecret):
        yield
