"""Backups that are bombs, and the limits that refuse them or let them through."""

import gzip
import hashlib
import io
import json
import sys
import tarfile
from collections.abc import Callable, Iterable

from casino.backup.archive import MANIFEST, ArchiveLimits

Archive = Callable[[], bytes]

UNLIMITED = ArchiveLimits(ratio=sys.maxsize, allowance=sys.maxsize)
LIMITED = ArchiveLimits(allowance=1 << 20)
ZEROS = bytes(8 << 20)


def packed(members: Iterable[tuple[tarfile.TarInfo, bytes]]) -> bytes:
    """Return a compressed tar of these members."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for info, content in members:
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return gzip.compress(buffer.getvalue())


def manifest(**members: bytes) -> tuple[tarfile.TarInfo, bytes]:
    """Return the manifest of these members."""
    entries = [
        {"name": name, "size": len(held), "sha256": hashlib.sha256(held).hexdigest()}
        for name, held in members.items()
    ]
    document = {
        "format": 1,
        "release": "1.0.0",
        "createdAt": "2026-11-20T19:43:00Z",
        "database": {"kind": "sqlite"},
        "members": entries,
    }
    return tarfile.TarInfo(MANIFEST), json.dumps(document).encode()


def _header(kind: bytes, size: int, name: str = "x") -> bytes:
    info = tarfile.TarInfo(name)
    info.type, info.size = kind, size
    return info.tobuf(tarfile.GNU_FORMAT)


def _sparse() -> bytes:
    """Return a tar whose only member is empty, and claims to be a file of a terabyte of holes."""
    header = bytearray(_header(tarfile.GNUTYPE_SPARSE, 0))
    header[483:495] = b"\x80" + (1 << 40).to_bytes(11, "big")
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return gzip.compress(bytes(header) + bytes(1024))


BOMBS: dict[str, Archive] = {
    "zeros without a manifest": lambda: packed([(tarfile.TarInfo("zeros"), ZEROS)]),
    "zeros that the manifest names": lambda: packed(
        [(tarfile.TarInfo("zeros"), ZEROS), manifest(zeros=ZEROS)]
    ),
    "a name of eight megabytes": lambda: gzip.compress(
        _header(tarfile.GNUTYPE_LONGNAME, len(ZEROS)) + ZEROS
    ),
    "an attribute of eight megabytes": lambda: gzip.compress(
        _header(tarfile.XHDTYPE, len(ZEROS)) + ZEROS
    ),
    "names of names": lambda: gzip.compress(
        (_header(tarfile.GNUTYPE_LONGNAME, 2) + b"y".ljust(512, b"\0")) * 5_000
    ),
    "a manifest of zeros": lambda: packed([(tarfile.TarInfo(MANIFEST), ZEROS)]),
    "a manifest of nothing but lists": lambda: packed(
        [(tarfile.TarInfo(MANIFEST), b"[" * 500_000)]
    ),
    "ten thousand empty files": lambda: packed(
        (tarfile.TarInfo(f"data/{number}"), b"") for number in range(10_000)
    ),
    "a file of holes": _sparse,
}
"""Archives of which nothing may be unpacked."""
