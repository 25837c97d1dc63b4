"""The file of a backup: whole or refused, private, and never outside its directory."""

import gzip
import io
import stat
import tarfile
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

import pytest
from casino.backup.backup_archive import (
    MANIFEST,
    ArchiveLimits,
    DatabaseOrigin,
    new_archive,
    unpack,
)
from casino.errors import BackupFailed
from support.hostile.archives import BOMBS, LIMITED, UNLIMITED, ZEROS

RELEASE = "1.2.3"
NOW = datetime(2026, 11, 20, 19, 43, tzinfo=UTC)
CONTENT = bytes(range(256)) * 40


def written(path: Path, release: str = RELEASE, *, can_overwrite: bool = False) -> Path:
    """Write a backup of two files."""
    with new_archive(path, NOW, can_overwrite=can_overwrite) as archive:
        for name in ("database/casino.db", "data/tables/_1/tables-1-of-1.journal"):
            source = archive.staging / "file"
            source.write_bytes(CONTENT)
            archive.add(name, source)
        archive.finish(release, DatabaseOrigin(kind="sqlite"))
    return path


def unpacked(path: Path, release: str = RELEASE) -> Path:
    """Unpack a backup into a new directory beside it."""
    directory = path.parent / "unpacked"
    directory.mkdir()
    unpack(path, directory, release)
    return directory


@pytest.mark.parametrize("name", ["casino.tar", "casino.tar.gz", "casino.tgz"])
def test_what_is_packed_is_unpacked(tmp_path: Path, name: str) -> None:
    """Compressed by its name; readable by its owner only, and with nothing left beside it."""
    path = written(tmp_path / name)
    assert [file.name for file in tmp_path.iterdir()] == [name]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert (path.read_bytes()[:2] == b"\x1f\x8b") is name.endswith("gz")
    directory = unpacked(path)
    for member in ("database/casino.db", "data/tables/_1/tables-1-of-1.journal"):
        assert (directory / member).read_bytes() == CONTENT
        assert stat.S_IMODE((directory / member).stat().st_mode) == 0o600


def is_refused(path: Path, directory: Path) -> bool:
    """Return whether a backup is refused; one that is not has every file as it was packed."""
    directory.mkdir()
    try:
        manifest = unpack(path, directory, RELEASE)
    except BackupFailed:
        return True
    assert len(manifest.members) == 2
    for member in manifest.members:
        assert (directory / member.name).read_bytes() == CONTENT
    return False


@pytest.mark.parametrize("name", ["casino.tar", "casino.tar.gz"])
def test_a_changed_byte_is_noticed(tmp_path: Path, name: str) -> None:
    """Wherever it is in a file; one in a field of the tar that nobody reads changes nothing."""
    original = written(tmp_path / name).read_bytes()
    in_a_file = range(512, 512 + len(CONTENT)) if name == "casino.tar" else range(64, 400)
    step = max(1, len(original) // 70)
    for number, place in enumerate(range(0, len(original), step)):
        changed = bytearray(original)
        changed[place] ^= 0x41
        path = tmp_path / f"{number}-{name}"
        path.write_bytes(changed)
        refused = is_refused(path, tmp_path / f"unpacked-{number}")
        assert refused or place not in in_a_file, place


@pytest.mark.parametrize("name", ["casino.tar", "casino.tar.gz"])
def test_a_cut_file_is_noticed(tmp_path: Path, name: str) -> None:
    """At whatever length; only the empty blocks at the end may be missing."""
    original = written(tmp_path / name).read_bytes()
    end = len(original.rstrip(b"\0")) if name == "casino.tar" else len(original) - 32
    for length in range(0, len(original), max(1, len(original) // 40)):
        path = tmp_path / f"{length}-{name}"
        path.write_bytes(original[:length])
        refused = is_refused(path, tmp_path / f"unpacked-{length}")
        assert refused or length >= end, length


def with_member(path: Path, info: tarfile.TarInfo, content: bytes = b"") -> Path:
    """Write a backup with one more member, as a third party may."""
    written(path)
    with tarfile.open(path) as tar:
        members = [(member, tar.extractfile(member).read()) for member in tar]  # type: ignore[union-attr]
    info.size = len(content)
    with tarfile.open(path, "w") as tar:
        for member, held in [(info, content), *members]:
            tar.addfile(member, io.BytesIO(held))
    return path


@pytest.mark.parametrize(
    "name",
    ["../outside", "/tmp/outside", "data/../../outside", "data\\..\\outside", ".", MANIFEST],
)
def test_a_member_outside_is_refused(tmp_path: Path, name: str) -> None:
    """Nothing is written; a second manifest is refused, too."""
    path = with_member(tmp_path / "casino.tar", tarfile.TarInfo(name), b"evil")
    with pytest.raises(BackupFailed, match="no file of a backup"):
        unpacked(path)
    assert not (tmp_path / "outside").exists()


@pytest.mark.parametrize(
    "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE, tarfile.FIFOTYPE]
)
def test_a_member_that_is_no_file_is_refused(tmp_path: Path, kind: bytes) -> None:
    """A link would lead the next member outside."""
    info = tarfile.TarInfo("data/link")
    info.type, info.linkname = kind, "/etc/passwd"
    path = with_member(tmp_path / "casino.tar", info)
    with pytest.raises(BackupFailed, match="'data/link' is no file of a backup"):
        unpacked(path)


def test_a_member_that_the_manifest_does_not_name_is_refused(tmp_path: Path) -> None:
    path = with_member(tmp_path / "casino.tar", tarfile.TarInfo("data/more"), b"more")
    with pytest.raises(BackupFailed, match="data/more is not the file of the manifest"):
        unpacked(path)


@pytest.mark.parametrize(
    ("made_by", "installed"), [("1.10", "1.9"), ("2.0.0", "1.99"), ("1.2.4.dev1", "1.2.3")]
)
def test_a_backup_of_a_newer_release_is_refused(
    tmp_path: Path, made_by: str, installed: str
) -> None:
    """The message names the release that can restore it; an older one is accepted."""
    path = written(tmp_path / "casino.tar", made_by)
    with pytest.raises(BackupFailed, match=f"with release {made_by} or a newer one"):
        unpacked(path, installed)
    (tmp_path / "older").mkdir()
    assert unpacked(written(tmp_path / "older/casino.tar", installed), made_by).is_dir()


def test_an_existing_file_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "casino.tar"
    path.write_text("another")
    with pytest.raises(BackupFailed, match=r"casino.tar exists: .*--force"):
        written(path)
    assert path.read_text() == "another"
    written(path, can_overwrite=True)
    assert unpacked(path).is_dir()


def test_a_file_that_appears_meanwhile_is_kept(tmp_path: Path) -> None:
    """Two backups to one name: the second one fails."""
    path = tmp_path / "casino.tar"
    with ExitStack() as stack:
        archive = stack.enter_context(new_archive(path, NOW, can_overwrite=False))
        archive.finish(RELEASE, DatabaseOrigin(kind="sqlite"))
        path.write_text("another")
        with pytest.raises(BackupFailed, match="created meanwhile"):
            stack.close()
    assert path.read_text() == "another"
    assert [file.name for file in tmp_path.iterdir()] == ["casino.tar"]


def test_a_failed_backup_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "casino.tar"
    path.write_text("the last one")
    with (
        pytest.raises(BackupFailed, match="cannot be written: No such file"),
        new_archive(path, NOW, can_overwrite=True) as archive,
    ):
        archive.add("data/missing", tmp_path / "missing")
    assert path.read_text() == "the last one"
    assert [file.name for file in tmp_path.iterdir()] == ["casino.tar"]


def test_another_file_is_no_backup(tmp_path: Path) -> None:
    """Text, a compressed text, a tar of other things, and no file at all."""
    path = tmp_path / "casino.tar"
    with pytest.raises(BackupFailed, match="No such file"):
        unpack(path, tmp_path, RELEASE)
    for content in (b"a text\n" * 200, gzip.compress(b"a text\n" * 200)):
        path.write_bytes(content)
        with pytest.raises(BackupFailed, match="damaged, or no backup"):
            unpack(path, tmp_path, RELEASE)
    info = tarfile.TarInfo("notes.txt")
    with tarfile.open(path, "w") as tar:
        tar.addfile(info, io.BytesIO())
    with pytest.raises(BackupFailed, match="it has no manifest"):
        unpack(path, tmp_path, RELEASE)


@pytest.mark.parametrize("name", BOMBS)
@pytest.mark.parametrize("limits", [LIMITED, UNLIMITED], ids=["limited", "unlimited"])
def test_a_backup_that_unpacks_to_a_hundred_times_its_size_writes_nothing(
    tmp_path: Path, name: str, limits: ArchiveLimits
) -> None:
    """Not even where its manifest names it; without the limits one with a manifest is unpacked."""
    path, directory = tmp_path / "casino.tar.gz", tmp_path / "unpacked"
    path.write_bytes(BOMBS[name]())
    directory.mkdir()
    if limits == UNLIMITED and name == "zeros that the manifest names":
        assert unpack(path, directory, RELEASE, limits).size == len(ZEROS)
        return
    with pytest.raises(BackupFailed):
        unpack(path, directory, RELEASE, limits)
    assert list(directory.iterdir()) == []
