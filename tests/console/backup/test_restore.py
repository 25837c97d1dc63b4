"""`casino backup` and `casino restore` of a casino in SQLite, as from a shell."""

import asyncio
import json
import os
import stat
import sys
from pathlib import Path

import pytest
from casino_agentkit.process.locked_file import lock_file

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
    """Nothing is put aside, and nothing is left behind."""
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
