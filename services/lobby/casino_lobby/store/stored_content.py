"""The stored form of an event's JSON: compressed."""

import threading
from collections.abc import Sequence
from typing import Any, Final

from casino_compression import RecordCompressor


class _Compressors(threading.local):
    """A compressor for each thread."""

    def __init__(self) -> None:
        self.own = RecordCompressor()


_compressors: Final = _Compressors()


def packed(content: bytes) -> bytes:
    """Return the stored form of JSON."""
    return _compressors.own.compress(content)


def all_packed(contents: Sequence[bytes]) -> list[bytes]:
    """Return the stored forms of JSON texts, in less time than one by one."""
    return _compressors.own.compress_all(contents)


def unpacked(stored: Any) -> bytes:
    """Return the JSON of a stored form. Raises DamagedRecord, and TypeError if it is none."""
    if isinstance(stored, bytes):
        return _compressors.own.decompress(stored)
    raise TypeError("it is not binary")
