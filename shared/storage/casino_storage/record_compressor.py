"""Compress stored records one by one, with a dictionary of what they have in common.

A table event of 400 bytes takes 70, and can still be read alone. The format is Zstandard (RFC 8878)
with the dictionary of this package; each record names its dictionary by number, so that another one
can follow. Without the dictionary a record cannot be read: its file is never changed.
"""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Final

import zstandard

_DICTIONARY: Final = 1
_LEVEL: Final = 3
_MOST_BYTES: Final = 64 * 1024 * 1024  # the largest record; a damaged one could announce any size


class DamagedRecord(ValueError):
    """Bytes that are no compressed record."""


class RecordCompressor:
    """Compresses and decompresses records; each thread needs one of its own.

    >>> compressor = RecordCompressor()
    >>> compressor.decompress(compressor.compress(b'{"tableId":"main"}'))
    b'{"tableId":"main"}'
    """

    def __init__(self) -> None:
        dictionary = _dictionary(_DICTIONARY)
        self._compressor = zstandard.ZstdCompressor(
            level=_LEVEL, dict_data=dictionary, write_checksum=False
        )
        self._decompressor = zstandard.ZstdDecompressor(dict_data=dictionary)

    def compress(self, content: bytes) -> bytes:
        return self._compressor.compress(content)

    def compress_all(self, contents: Sequence[bytes]) -> list[bytes]:
        """Other threads run meanwhile; `compress` would wait for the interpreter each time."""
        if zstandard.backend != "cext" or len(contents) <= 1 or not all(contents):
            # Only that backend compresses many, and refuses those that are empty.
            return [self._compressor.compress(content) for content in contents]
        frames = self._compressor.multi_compress_to_buffer(list(contents))
        return [frames[number].tobytes() for number in range(len(frames))]

    def decompress(self, compressed: bytes) -> bytes:
        """Return the content of a compressed record. Raises DamagedRecord."""
        try:
            frame = zstandard.get_frame_parameters(compressed)
            if frame.dict_id != _DICTIONARY or frame.content_size > _MOST_BYTES:
                raise DamagedRecord("no compressed record")
            return self._decompressor.decompress(compressed)
        except zstandard.ZstdError as error:
            raise DamagedRecord("no compressed record") from error


@cache
def _dictionary(number: int) -> zstandard.ZstdCompressionDict:
    """Return a dictionary of this package, prepared once for all compressors of a process."""
    content = files(__package__).joinpath(f"records-{number}.dictionary").read_bytes()
    dictionary = zstandard.ZstdCompressionDict(content, zstandard.DICT_TYPE_FULLDICT)
    dictionary.precompute_compress(level=_LEVEL)
    return dictionary
