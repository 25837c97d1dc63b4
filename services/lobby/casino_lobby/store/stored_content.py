"""The stored form of an event's JSON: compressed, or plain where an older release stored it."""

import threading
from collections.abc import Sequence
from typing import Any, Final

from casino_compression import RecordCompressor

_MAGIC: Final = b"\x28\xb5\x2f\xfd"
"""The first bytes of a Zstandard frame; no JSON begins with them."""


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


def unpacked(stored: Any) -> bytes | str:
    """Return the JSON of a stored form. Raises DamagedRecord, and TypeError if it is neither."""
    if isinstance(stored, bytes):
        return _compressors.own.decompress(stored) if stored.startswith(_MAGIC) else stored
    if isinstance(stored, str):
        return stored
    raise TypeError("it is neither binary nor text")
