"""`casino backup` and `casino restore` of a casino in SQLite, and what is kept of the old one."""

import asyncio
import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from casino.backup.data_directory import replacement
from casino.errors import BackupFailed
from casino_agentkit.process.private_file import lock_file
from support.requirements import unavailable

from .conftest import FILES, Command, files_of, hands_in, names_in


async def test_a_casino_is_restored_into_a_fresh_place(
    run: Command, data: Path, tmp_path: Path
) -> None:
    """Its files are readable by their owner only, and the output says what it is."""
    file, fresh = tmp_path / "casino.tar.gz", tmp_path / "fresh/casino-data"
    ended = await run("backup", file, "--data", data)
    assert (ended.exit_code, ended.stderr) == (0, "")
    assert f"{file}: sqlite database and 2 files of the data directory, " in ended.stdout
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    ended = await run("restore", file, CASINO_LOBBY_DATA=str(fresh))
    assert (ended.exit_code, ended.stderr) == (0, "")
    assert ended.stdout.startswith(f"{fresh}: the casino of 2")
    assert files_of(fresh.parent) == [f"casino-data/{name}" for name in FILES]
    for path in fresh.rglob("*"):
        assert not stat.S_IMODE(path.stat().st_mode) & 0o077, path
    assert (fresh / "card-key.pem").read_text() == "the key\n"
    assert await hands_in(fresh / "casino.db") == 3


async def test_the_result_is_written_as_json(run: Command, data: Path, tmp_path: Path) -> None:
    """With the manifest, and the places where the previous data are."""
    file = tmp_path / "casino.tar"
    written = json.loads((await run("backup", file, "--data", data, "--json")).stdout)
    assert written["file"] == str(file)
    assert written["database"]["kind"] == "sqlite"
    assert [member["name"] for member in written["members"]] == [
        "database/casino.db",
        "data/card-key.pem",
        "data/tables/_0123/tables-1-of-1.journal",
    ]
    restored = json.loads((await run("restore", file, "--data", data, "--json")).stdout)
    assert restored["kept"] == [f"{data}.before-restore-1"]
    assert restored["members"] == written["members"]


async def test_it_is_refused_while_a_lobby_holds_the_data(
    run: Command, data: Path, tmp_path: Path
) -> None:
    file = tmp_path / "casino.tar"
    lock = lock_file(data / "casino.db")
    try:
        assert (await run("backup", file, "--data", data)).exit_code == 0
        ended = await run("restore", file, "--data", data)
    finally:
        os.close(lock)
    assert ended.exit_code == 1
    assert ended.stderr == (
        f"casino restore: a lobby holds {data / 'casino.db'}: stop the lobby first\n"
    )
    assert names_in(tmp_path) == ["casino-data", "casino.tar"]
    assert (await run("restore", file, "--data", data)).exit_code == 0


HOLDING = """
import sys
from pathlib import Path
from casino_table.journal.journal_file import JournalFile

file = JournalFile(Path(sys.argv[1]))
print("open", flush=True)
sys.stdin.read()
"""
"""A table with an open journal, which ends with its input."""


@pytest.mark.full
async def test_it_is_refused_while_a_table_holds_its_journal(
    run: Command, data: Path, tmp_path: Path
) -> None:
    """The table of a killed lobby may still play its hand; a backup is not refused."""
    file, journal = tmp_path / "casino.tar", data / "tables/_0123/tables-1-of-1.journal"
    table = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", HOLDING, journal),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert table.stdout is not None
    assert await table.stdout.readline() == b"open\n"
    assert (await run("backup", file, "--data", data)).exit_code == 0
    ended = await run("restore", file, "--data", data)
    await table.communicate(b"")
    assert (ended.exit_code, names_in(tmp_path)) == (1, ["casino-data", "casino.tar"])
    assert ended.stderr == (
        f"casino restore: a table holds {journal}: wait until its process has ended\n"
    )
    assert (await run("restore", file, "--data", data)).exit_code == 0


async def test_a_damaged_backup_changes_nothing(run: Command, data: Path, tmp_path: Path) -> None:
    file = tmp_path / "casino.tar"
    await run("backup", file, "--data", data)
    content = bytearray(file.read_bytes())
    content[5_000] ^= 0xFF
    file.write_bytes(content)
    ended = await run("restore", file, "--data", data)
    assert ended.exit_code == 1
    assert ended.stderr == (
        f"casino restore: {file} is damaged: database/casino.db is not the file of the manifest\n"
    )
    assert names_in(tmp_path) == ["casino-data", "casino.tar"]
    assert await hands_in(data / "casino.db") == 3


async def test_a_directory_with_other_files_is_not_replaced(
    run: Command, data: Path, tmp_path: Path
) -> None:
    """A wrong --data is noticed before anything is moved."""
    file, home = tmp_path / "casino.tar", tmp_path / "home"
    await run("backup", file, "--data", data)
    home.mkdir()
    (home / "letter.txt").write_text("dear")
    ended = await run("restore", file, "--data", home)
    assert (ended.exit_code, files_of(home)) == (1, ["letter.txt"])
    assert "holds other files than a casino's" in ended.stderr
    ended = await run("restore", file, "--data", home / "letter.txt")
    assert (ended.exit_code, (home / "letter.txt").read_text()) == (1, "dear")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "casino.db is no lobby's database: name the data directory with --data"),
        (["--database", "memory"], "the database is `memory`: such a casino stores nothing"),
        (["--database", "mysql://host/name"], "no lobby uses such a database: write sqlite+aiosq"),
        (["--database", "postgresql+asyncpg://h:port/n"], "the database's URL cannot be read"),
    ],
)
async def test_a_casino_that_is_not_there_is_an_error(
    run: Command, tmp_path: Path, arguments: list[str], message: str
) -> None:
    ended = await run("backup", tmp_path / "casino.tar", "--data", tmp_path / "no", *arguments)
    assert (ended.exit_code, ended.stderr.count("\n")) == (1, 1)
    assert message in ended.stderr
    assert names_in(tmp_path) == []


async def test_a_password_is_no_option(run: Command, tmp_path: Path) -> None:
    """The message says where it belongs, and does not repeat it."""
    for url in ("postgresql+asyncpg://me:s3cret@h/n", "postgresql+asyncpg://h/n?password=s3cret"):
        ended = await run("backup", tmp_path / "casino.tar", "--database", url)
        assert ended.exit_code == 2
        assert "PGPASSWORD" in ended.stderr
        assert "s3cret" not in ended.stderr


async def test_a_linked_directory_is_refused(run: Command, data: Path, tmp_path: Path) -> None:
    """It would be missing in the backup. A linked file is in it, with its content."""
    (tmp_path / "tables").mkdir()
    (tmp_path / "key").write_text("another key\n")
    (data / "card-key.pem").unlink()
    (data / "card-key.pem").symlink_to(tmp_path / "key")
    assert (await run("backup", tmp_path / "1.tar", "--data", data)).exit_code == 0
    await run("restore", tmp_path / "1.tar", "--data", tmp_path / "fresh")
    assert (tmp_path / "fresh/card-key.pem").read_text() == "another key\n"
    (data / "linked").symlink_to(tmp_path / "tables")
    ended = await run("backup", tmp_path / "2.tar", "--data", data)
    assert (ended.exit_code, (tmp_path / "2.tar").exists()) == (1, False)
    assert "linked is a symbolic link to a directory" in ended.stderr


async def test_previous_data_are_kept(run: Command, data: Path, tmp_path: Path) -> None:
    """Each time under another name, with everything that was in them."""
    file = tmp_path / "casino.tar"
    await run("backup", file, "--data", data)
    (data / "notes.txt").write_text("of the operator")
    for number in (1, 2):
        ended = await run("restore", file, "--data", data)
        kept = tmp_path / f"casino-data.before-restore-{number}"
        assert f"what was there before is kept: {kept}\n" in ended.stdout
        assert kept.is_dir()
        assert files_of(data) == FILES
    first = tmp_path / "casino-data.before-restore-1"
    assert (first / "notes.txt").read_text() == "of the operator"
    assert await hands_in(first / "casino.db") == 3


async def test_a_database_outside_the_data_directory_is_restored_there(
    run: Command, data: Path, tmp_path: Path
) -> None:
    """The previous one is kept beside it, with its write-ahead log."""
    file, database = tmp_path / "casino.tar", tmp_path / "elsewhere/lobby.db"
    database.parent.mkdir()
    (data / "casino.db").rename(database)
    url = f"sqlite+aiosqlite:///{database}"
    (named := tmp_path / "url").write_text(url)
    ended = await run("backup", file, "--data", data, CASINO_LOBBY_DATABASE_FILE=str(named))
    assert (ended.exit_code, ended.stderr) == (0, "")
    database.with_name("lobby.db-wal").touch()
    ended = await run("restore", file, "--data", data, "--database", url)
    assert (ended.exit_code, ended.stderr) == (0, "")
    assert files_of(data) == [name for name in FILES if name != "casino.db"]
    assert files_of(database.parent) == [
        "lobby.db",
        "lobby.db.before-restore-1",
        "lobby.db.before-restore-1-wal",
    ]
    assert await hands_in(database) == 3


def test_failed_renames_are_undone(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_text(name)

    def replace() -> None:
        with replacement() as renames:
            renames.make_directory(tmp_path / "aside")
            renames.rename(tmp_path / "a", tmp_path / "aside/a")
            renames.rename(tmp_path / "b", tmp_path / "a")
            renames.rename(tmp_path / "c", tmp_path / "b")

    with pytest.raises(BackupFailed, match="the restore was undone"):
        replace()
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a": "a", "b": "b"}
    with pytest.raises(BackupFailed, match="exists"), replacement() as renames:
        renames.rename(tmp_path / "a", tmp_path / "b")
    assert (tmp_path / "b").read_text() == "b"


@pytest.fixture
def mounted(tmp_path: Path) -> Iterator[Path]:
    """Mount a file system; without the right to, the test is skipped, in CI it fails."""
    path = tmp_path / "volume"
    path.mkdir()
    command: list[str | Path] = ["mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs", path]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        unavailable(f"nothing can be mounted here: {done.stderr.strip()}")
    yield path
    subprocess.run(["umount", "--lazy", path], check=True)


@pytest.mark.full
async def test_a_mount_point_keeps_its_place(
    run: Command, data: Path, tmp_path: Path, mounted: Path
) -> None:
    """It cannot be renamed, so its entries are; such as the volume of a container."""
    file = tmp_path / "casino.tar"
    await run("backup", file, "--data", data)
    assert (await run("restore", file, "--data", mounted)).exit_code == 0
    assert files_of(mounted) == FILES
    (mounted / "notes.txt").write_text("of the operator")
    ended = await run("restore", file, "--data", mounted)
    kept = mounted / "before-restore-1"
    assert f"what was there before is kept: {kept}\n" in ended.stdout
    assert files_of(kept) == sorted([*FILES, "notes.txt"])
    assert await hands_in(mounted / "casino.db") == 3
    await run("backup", tmp_path / "second.tar", "--data", mounted)
    await run("restore", tmp_path / "second.tar", "--data", tmp_path / "fresh")
    assert files_of(tmp_path / "fresh") == FILES  # what is kept is in no backup


async def test_an_sqlite_database_needs_no_leave_to_be_replaced(
    run: Command, data: Path, tmp_path: Path
) -> None:
    """So the option that gives it is refused there, and nothing is restored."""
    file = tmp_path / "casino.tar"
    assert (await run("backup", file, "--data", data)).exit_code == 0
    ended = await run("restore", file, "--data", data, "--replace")
    assert (ended.exit_code, "has no effect on an SQLite database" in ended.stderr) == (2, True)
    assert not data.with_name(f"{data.name}.before-restore-1").exists()
