"""The file of a backup: a tar of members, each with a checksum in the manifest."""

import contextlib
import hashlib
import io
import os
import shutil
import tarfile
import tempfile
import zlib
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import IO, cast

from casino_agentkit.process.private_directory import make_private

from casino.backup.manifest import DatabaseOrigin, Manifest, Member, read_manifest
from casino.errors import BackupFailed

MANIFEST = "manifest.json"
_COMPRESSED = (".gz", ".tgz")
_OWNER_ONLY = 0o600
_CHUNK = 1 << 20


class _Hashing(io.RawIOBase):
    """Computes the SHA-256 of what is read."""

    def __init__(self, inner: IO[bytes]) -> None:
        self._inner = inner
        self.sha256 = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        chunk = self._inner.read(size)
        self.sha256.update(chunk)
        return chunk


class ArchiveWriter:
    """Adds members to a new backup; `staging` is a private directory for files to be added."""

    def __init__(self, tar: tarfile.TarFile, staging: Path, created_at: datetime) -> None:
        self.staging = staging
        self._tar = tar
        self._created_at = created_at
        self._members: list[Member] = []

    def add(self, name: str, source: Path) -> None:
        """Add a file that nothing changes meanwhile; raises OSError."""
        with source.open("rb") as content:
            hashing = _Hashing(content)
            size = os.fstat(content.fileno()).st_size
            self._write(name, size, cast("IO[bytes]", hashing))
        self._members.append(Member(name=name, size=size, sha256=hashing.sha256.hexdigest()))

    def finish(self, release: str, database: DatabaseOrigin) -> Manifest:
        """Add the manifest, the last member: its absence marks an incomplete file."""
        manifest = Manifest(
            release=release,
            created_at=self._created_at,
            database=database,
            members=tuple(self._members),
        )
        content = manifest.to_json()
        self._write(MANIFEST, len(content), io.BytesIO(content))
        return manifest

    def _write(self, name: str, size: int, content: IO[bytes]) -> None:
        info = tarfile.TarInfo(name)
        info.size, info.mode, info.mtime = size, _OWNER_ONLY, int(self._created_at.timestamp())
        self._tar.addfile(info, content)


@contextlib.contextmanager
def new_archive(
    path: Path, created_at: datetime, *, can_overwrite: bool
) -> Iterator[ArchiveWriter]:
    """Create the file of a backup, which appears complete and private, or not at all.

    Raises BackupFailed if the file exists (unless `can_overwrite`) or cannot be written.
    """
    if path.exists() and not can_overwrite:
        raise BackupFailed(f"{path} exists: choose another name, or overwrite it with --force")
    try:
        # Beside the file, because a rename is atomic within one file system only.
        with tempfile.TemporaryDirectory(prefix=f".{path.name}.", dir=path.parent) as directory:
            staging = Path(directory)
            unfinished = staging / "unfinished.tar"
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
            with os.fdopen(os.open(unfinished, flags, _OWNER_ONLY), "wb") as file:
                is_compressed = path.name.endswith(_COMPRESSED)
                with tarfile.open(fileobj=file, mode="w:gz" if is_compressed else "w") as tar:
                    yield ArchiveWriter(tar, staging, created_at)
                file.flush()
                os.fsync(file.fileno())
            _publish(unfinished, path, can_overwrite=can_overwrite)
            sync_directory(path.parent)
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        reason = f"{error.strerror or error}{where}"
        raise BackupFailed(f"{path} cannot be written: {reason}") from error


def _publish(finished: Path, path: Path, *, can_overwrite: bool) -> None:
    if can_overwrite:
        finished.replace(path)
        return
    try:
        os.link(finished, path)  # unlike a rename it never replaces a file that appeared meanwhile
    except FileExistsError as error:
        raise BackupFailed(f"{path} exists: it was created meanwhile") from error
    except PermissionError:  # a file system without links
        finished.replace(path)


def unpack(path: Path, directory: Path, release: str) -> Manifest:
    """Unpack a backup into a directory and verify it; return its manifest.

    Raises BackupFailed if it is damaged, incomplete, of a newer release, or names a member outside
    the directory.
    """
    try:
        with tarfile.open(path, "r:*") as tar:
            unpacked = _unpack_members(tar, directory)
            content = unpacked.pop(MANIFEST, None)
    except (tarfile.TarError, EOFError, zlib.error, OverflowError) as error:
        raise BackupFailed(f"{path} is damaged, or no backup: {error}") from error
    except OSError as error:  # a damaged gzip, too
        raise BackupFailed(f"{path} cannot be unpacked: {error.strerror or error}") from error
    if content is None:
        raise BackupFailed(f"{path} is damaged or incomplete: it has no manifest")
    try:
        manifest = read_manifest((directory / MANIFEST).read_bytes(), release)
    except BackupFailed as error:
        raise BackupFailed(f"{path} cannot be restored: {error}") from error
    expected = {member.name: member for member in manifest.members}
    for name in sorted(expected.keys() | unpacked.keys()):
        if unpacked.get(name) != expected.get(name):
            raise BackupFailed(f"{path} is damaged: {name} is not the file of the manifest")
    return manifest


def _unpack_members(tar: tarfile.TarFile, directory: Path) -> dict[str, Member]:
    unpacked: dict[str, Member] = {}
    for info in tar:
        name = PurePosixPath(info.name)
        is_inside = not name.is_absolute() and name.parts and ".." not in name.parts
        if not info.isreg() or not is_inside or "\\" in info.name or info.name in unpacked:
            raise tarfile.TarError(f"{info.name!r} is no file of a backup")
        target = directory / name
        make_private(target.parent)
        content = tar.extractfile(info)
        assert content is not None  # noqa: S101  a regular file has content
        hashing = _Hashing(content)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        with os.fdopen(os.open(target, flags, _OWNER_ONLY), "wb") as file:
            shutil.copyfileobj(cast("IO[bytes]", hashing), file, _CHUNK)
            file.flush()
            os.fsync(file.fileno())
            size = file.tell()
        unpacked[info.name] = Member(name=info.name, size=size, sha256=hashing.sha256.hexdigest())
    for parent, _, _ in os.walk(directory):
        sync_directory(Path(parent))
    return unpacked


def sync_directory(directory: Path) -> None:
    """Write the entries of a directory to the disk; raises OSError."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
