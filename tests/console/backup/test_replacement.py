"""What a restore replaces: kept under another name, and put back if anything fails."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from casino.backup.replacement import replacement
from casino.errors import BackupFailed
from support.requirements import unavailable

from .conftest import FILES, Command, files_of, hands_in


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
    assert (await run("backup", file, "--data", data, CASINO_LOBBY_DATABASE=url)).exit_code == 0
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
