"""The file of a backup: a tar of members with a manifest of their checksums."""

import contextlib
import gzip
import hashlib
import io
import os
import re
import shutil
import tarfile
import tempfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, Literal, cast

from casino_agentkit.process.private_file import make_private
from casino_contracts.foreign_text import FILE_LIMITS, json_of
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.alias_generators import to_camel

from casino.errors import BackupFailed

FORMAT = 1
"""Version of the layout of backups; a release reads its own and all earlier versions."""

DatabaseKind = Literal["sqlite", "postgresql"]


class _TarEntry(BaseModel):
    model_config = ConfigDict(frozen=True, alias_generator=to_camel, populate_by_name=True)


class BackupMember(_TarEntry):
    """A file of the backup: its size in bytes and the SHA-256 of its content."""

    name: str
    size: int
    sha256: str


class DatabaseOrigin(_TarEntry):
    """The database that was copied; `db_schema` is the PostgreSQL schema of its tables."""

    kind: DatabaseKind
    db_schema: str | None = None


class Manifest(_TarEntry):
    """The last member of a backup: a file without it is incomplete."""

    format: int = FORMAT
    release: str
    created_at: datetime
    database: DatabaseOrigin
    members: tuple[BackupMember, ...]

    @property
    def size(self) -> int:
        return sum(member.size for member in self.members)

    def to_json(self) -> bytes:
        return self.model_dump_json(by_alias=True, exclude_none=True, indent=1).encode() + b"\n"


def read_manifest(content: bytes, release: str) -> Manifest:
    """Parse a manifest. Raises BackupFailed if it is unreadable or of a newer format or release."""
    try:
        document = json_of(content, FILE_LIMITS)
        written_in, made_by = int(document["format"]), str(document["release"])
    except (ValueError, TypeError, KeyError) as error:
        raise BackupFailed("its manifest cannot be read: it is damaged, or no backup") from error
    if written_in > FORMAT or _numbers(made_by) > _numbers(release):
        raise BackupFailed(
            f"it was made by release {made_by} (format {written_in}), and this is release {release}"
            f" (format {FORMAT}): restore it with release {made_by} or a newer one"
        )
    try:
        return Manifest.model_validate(document)
    except ValidationError as error:
        raise BackupFailed("its manifest cannot be read: it is damaged") from error


def _numbers(release: str) -> tuple[int, ...]:
    """Return the leading numbers of a version: (0, 3, 1) of "0.3.1.dev2"."""
    leading = re.match(r"\d+(?:\.\d+)*", release)
    return tuple(int(number) for number in leading[0].split(".")) if leading else ()


MANIFEST = "manifest.json"
_COMPRESSED = (".gz", ".tgz")
_OWNER_ONLY = 0o600
_CHUNK = 1 << 20
_HEADER = 8 << 10
"""What a member counts for, however small it is: its header takes time and memory."""
_GZIP = b"\x1f\x8b"


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
        self._members: list[BackupMember] = []

    def add(self, name: str, source: Path) -> None:
        """Add a file that nothing changes meanwhile; raises OSError."""
        with source.open("rb") as content:
            hashing = _Hashing(content)
            size = os.fstat(content.fileno()).st_size
            self._write(name, size, cast("IO[bytes]", hashing))
        self._members.append(BackupMember(name=name, size=size, sha256=hashing.sha256.hexdigest()))

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
    """Create a backup, complete and private or not at all; raises BackupFailed."""
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


@dataclass(frozen=True)
class ArchiveLimits:
    """How much a backup may unpack to: `ratio` times the size of its file, and `allowance` more.

    Of a manifest half are hashes, which nothing compresses: it has `manifest_ratio` times that.
    """

    ratio: int = 200
    manifest_ratio: int = 10
    allowance: int = 8 << 20


def unpack(
    path: Path, directory: Path, release: str, limits: ArchiveLimits = ArchiveLimits()
) -> Manifest:
    """Unpack a backup into a directory and verify it; return its manifest.

    The manifest is read first, and only members that it has are unpacked. Raises BackupFailed if
    the file is damaged, incomplete, of a newer release, names a member outside the directory, or
    unpacks to more than the limits or the disk take.
    """
    try:
        with _opened(path) as tar:
            manifest = _manifest_of(tar, path, release, limits)
        if manifest.size > shutil.disk_usage(directory).free:
            raise BackupFailed(f"{path} unpacks to {manifest.size} bytes: the disk has not so many")
        with _opened(path) as tar:
            _unpack_members(tar, path, directory, manifest)
    except (tarfile.TarError, EOFError, zlib.error, ValueError, ArithmeticError) as error:
        raise BackupFailed(f"{path} is damaged, or no backup: {error}") from error
    except RecursionError as error:  # headers that only announce the next one
        raise BackupFailed(f"{path} is no backup: it has too many headers") from error
    except OSError as error:  # a damaged gzip, too
        raise BackupFailed(f"{path} cannot be unpacked: {error.strerror or error}") from error
    return manifest


class _InPieces(io.BufferedReader):
    """Reads at most a piece at once: a header of a tar names any length, and is read whole."""

    def read(self, size: int | None = -1, /) -> bytes:
        """Return at most so many bytes; raises TarError for more than a piece."""
        if size is None or not 0 <= size <= _CHUNK:
            raise tarfile.TarError("a header is too long")
        return super().read(size)


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[tarfile.TarFile]:
    """Open a backup, which may be compressed with gzip; raises TarError, OSError."""
    with path.open("rb") as file:
        magic = file.read(len(_GZIP))
        file.seek(0)
        with gzip.GzipFile(fileobj=file) if magic == _GZIP else file as content:
            pieces = _InPieces(cast("io.RawIOBase", content))
            with tarfile.open(fileobj=pieces, mode="r:") as tar:
                yield tar


def _manifest_of(tar: tarfile.TarFile, path: Path, release: str, limits: ArchiveLimits) -> Manifest:
    """Return the manifest, which names every other member; raises BackupFailed, TarError."""
    left = limits.ratio * path.stat().st_size + limits.allowance
    sizes: dict[str, int] = {}
    stored: bytes | None = None
    for info in tar:
        left -= info.size + _HEADER
        if left < 0 or info.size < 0:
            raise BackupFailed(f"{path} is no backup: it unpacks to {limits.ratio} times its size")
        place = PurePosixPath(info.name)
        is_inside = not place.is_absolute() and place.parts and ".." not in place.parts
        is_plain = info.isreg() and not info.issparse() and "\\" not in info.name
        if not is_plain or not is_inside or info.name in sizes or stored is not None:
            raise tarfile.TarError(f"{info.name[:100]!r} is no file of a backup")
        if info.name != MANIFEST:
            sizes[info.name] = info.size
            continue
        if info.size > limits.manifest_ratio * path.stat().st_size + _CHUNK:
            raise tarfile.TarError("its manifest is too large")
        stored = b"".join(iter(partial(_content_of(tar, info).read, _CHUNK), b""))
    if stored is None:
        raise BackupFailed(f"{path} is damaged or incomplete: it has no manifest")
    try:
        manifest = read_manifest(stored, release)
    except BackupFailed as error:
        raise BackupFailed(f"{path} cannot be restored: {error}") from error
    expected = {member.name: member.size for member in manifest.members}
    for name in sorted(expected.keys() | sizes.keys()):
        if sizes.get(name) != expected.get(name):
            raise BackupFailed(f"{path} is damaged: {name} is not the file of the manifest")
    return manifest


def _content_of(tar: tarfile.TarFile, info: tarfile.TarInfo) -> IO[bytes]:
    content = tar.extractfile(info)
    assert content is not None  # noqa: S101  a regular file has content
    return content


def _unpack_members(tar: tarfile.TarFile, path: Path, directory: Path, manifest: Manifest) -> None:
    expected = {member.name: member for member in manifest.members}
    for info in tar:
        if info.name == MANIFEST:
            continue
        member = expected.pop(info.name, None)
        if member is None or info.size != member.size:
            raise tarfile.TarError(f"{info.name[:100]!r} has changed meanwhile")
        target = directory / info.name
        make_private(target.parent)
        hashing = _Hashing(_content_of(tar, info))
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        with os.fdopen(os.open(target, flags, _OWNER_ONLY), "wb") as file:
            shutil.copyfileobj(cast("IO[bytes]", hashing), file, _CHUNK)
            file.flush()
            os.fsync(file.fileno())
        if hashing.sha256.hexdigest() != member.sha256:
            raise BackupFailed(f"{path} is damaged: {info.name} is not the file of the manifest")
    for parent, _, _ in os.walk(directory):
        sync_directory(Path(parent))


def sync_directory(directory: Path) -> None:
    """Write the entries of a directory to the disk; raises OSError."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
