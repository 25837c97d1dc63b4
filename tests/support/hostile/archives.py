"""Backups that are bombs, and the limits that refuse them or let them through."""

import gzip
import hashlib
import io
import json
import random
import sys
import tarfile
from collections.abc import Callable, Iterable, Iterator

from casino.backup.backup_archive import MANIFEST, ArchiveLimits

from support.hostile.texts import Case

Archive = Callable[[], bytes]

UNLIMITED = ArchiveLimits(sys.maxsize, sys.maxsize, sys.maxsize)
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


def archive_cases(seed: int, count: int) -> Iterator[Case]:
    """Yield so many archives: all bombs, and then a valid one with changed bytes or header."""
    for number in range(count):
        if number < len(BOMBS):
            name = list(BOMBS)[number]
            yield Case(f"archive: {name}", "archive", BOMBS[name]())
            continue
        rng = random.Random(f"{seed}/{number}")
        content = bytearray(gzip.decompress(_valid()))
        for _ in range(rng.randint(1, 4)):
            place = rng.choice([rng.randrange(len(content)), 512 * (rng.randrange(4) * 2) + 156])
            content[place % len(content)] = rng.choice(b"\0\x80\xff0127LxgKSV/.")
        if rng.random() < 0.5:
            header = bytearray(content[:512])
            header[148:156] = b" " * 8
            content[148:156] = b"%06o\0 " % sum(header)
        del content[rng.choice([len(content), rng.randrange(len(content))]) :]
        packed_up = gzip.compress(bytes(content)) if rng.random() < 0.5 else bytes(content)
        yield Case(f"archive: seed {seed}, number {number}", "archive", packed_up)


def _valid() -> bytes:
    names = {"database/casino.db": bytes(range(256)), "data/a": b"a", "data/b/c": b"c" * 600}
    members = [(tarfile.TarInfo(name), held) for name, held in names.items()]
    return packed([*members, manifest(**names)])
