"""Writes PNG images of up to 256 colours (PNG, third edition: colour type 3)."""

import struct
import zlib
from collections.abc import Sequence

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_COLOURS_FROM_PALETTE = 3


def png(width: int, pixels: bytes, palette: Sequence[int]) -> bytes:
    r"""Return an image whose pixels are indexes of the palette, row by row; colours are 0xRRGGBB.

    >>> png(1, b"\0", [0xFF0000])[:8] == _SIGNATURE
    True
    """
    height = len(pixels) // width
    rows = b"".join(b"\0" + pixels[at : at + width] for at in range(0, width * height, width))
    head = struct.pack(">IIBBBBB", width, height, 8, _COLOURS_FROM_PALETTE, 0, 0, 0)
    colours = b"".join(colour.to_bytes(3) for colour in palette)
    return b"".join(
        [
            _SIGNATURE,
            _chunk(b"IHDR", head),
            _chunk(b"PLTE", colours),
            _chunk(b"IDAT", zlib.compress(rows, 6)),
            _chunk(b"IEND", b""),
        ]
    )


def _chunk(kind: bytes, content: bytes) -> bytes:
    return (
        struct.pack(">I", len(content))
        + kind
        + content
        + struct.pack(">I", zlib.crc32(kind + content))
    )
