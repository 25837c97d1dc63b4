"""A canvas of palette colours, its letters, and the PNG image that it becomes.

Rectangles and letters have smooth edges. An edge is a mixture of two colours that are named, so
everything is drawn on a plain ground. The letters and suits are rasterised by `tools/card_font.py`
from DejaVu Sans.
"""

import json
import lzma
import struct
import unicodedata
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

GLYPHS: Final = Path(__file__).parent / "glyphs.xz"
LEVELS: Final = 16
"""How much of a pixel is covered: 0 to 15."""
BOX: Final = "□"
"""Drawn for a character that the font does not have."""
ELLIPSIS: Final = "…"
_INVISIBLE: Final = frozenset({"Mn", "Me", "Cf", "Cc"})

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_COLOURS_FROM_PALETTE = 3
_SAMPLES = 4
"""Samples of a corner's pixel in each direction."""


@dataclass(frozen=True)
class CardGlyph:
    """A letter: its rows of levels, where the first column is, and how far the next letter is."""

    rows: tuple[bytes, ...]
    left: int
    width: int
    advance: int


class Typeface:
    """All letters in one size; all have the same number of rows."""

    def __init__(self, height: int, glyphs: dict[str, CardGlyph]) -> None:
        self.height = height
        self._glyphs = glyphs

    def has(self, letter: str) -> bool:
        return letter in self._glyphs

    def glyph(self, letter: str) -> CardGlyph:
        return self._glyphs.get(letter) or self._glyphs[BOX]

    def width(self, text: str) -> int:
        return sum(self.glyph(letter).advance for letter in text)

    def fit(self, text: str, width: int) -> str:
        """Return a text as it is drawn within a width: cut, with an ellipsis, if it is longer."""
        text = "".join(
            letter
            for letter in unicodedata.normalize("NFC", text)
            if unicodedata.category(letter) not in _INVISIBLE
        )
        if self.width(text) <= width:
            return text
        left = width - self.glyph(ELLIPSIS).advance
        for at, letter in enumerate(text):
            left -= self.glyph(letter).advance
            if left < 0:
                return text[:at].rstrip() + ELLIPSIS
        return text


@cache
def typefaces() -> dict[str, Typeface]:
    """Return the typefaces by name; read when the first card is drawn."""
    head, _, pixels = lzma.decompress(GLYPHS.read_bytes()).partition(b"\n")
    made, at = {}, 0
    for name, typeface in json.loads(head).items():
        height, glyphs = typeface["height"], {}
        for letter, (advance, left, width) in typeface["glyphs"].items():
            rows = tuple(pixels[at + y * width : at + (y + 1) * width] for y in range(height))
            glyphs[letter] = CardGlyph(rows, left, width, advance)
            at += width * height
        made[name] = Typeface(height, glyphs)
    return made


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


class CardCanvas:
    """An image that is filled with one colour; colours are 0xRRGGBB."""

    def __init__(self, width: int, height: int, ground: int) -> None:
        self.width = width
        self.height = height
        self._palette: dict[int, int] = {ground: 0}
        self._pixels = bytearray(width * height)

    def png(self) -> bytes:
        return png(self.width, bytes(self._pixels), list(self._palette))

    def box(self, x: int, y: int, width: int, height: int, colour: int) -> None:
        row = bytes([self._index(colour)]) * width
        for line in range(y, y + height):
            at = line * self.width + x
            self._pixels[at : at + width] = row

    def rounded(
        self, x: int, y: int, width: int, height: int, radius: int, colour: int, ground: int
    ) -> None:
        """Fill a rectangle with round corners on a plain ground."""
        self.box(x, y, width, height, colour)
        ramp = self._ramp(colour, ground)
        for line, corner in enumerate(_corner(radius)):
            left = corner.translate(ramp)
            for at_y in (y + line, y + height - 1 - line):
                at = at_y * self.width + x
                self._pixels[at : at + radius] = left
                end = at + width
                self._pixels[end - radius : end] = left[::-1]

    def text(self, x: int, y: int, text: str, typeface: Typeface, colour: int, ground: int) -> int:
        """Draw a text on a plain ground, `y` is its top; return where the next letter would be."""
        glyphs = [typeface.glyph(letter) for letter in text]
        width = sum(glyph.advance for glyph in glyphs)
        begin = max(0, x - typeface.height)  # letters may stand out, at most by their height
        end = min(self.width, x + width + typeface.height)
        rows = [bytearray(end - begin) for _ in range(typeface.height)]
        drawn = at = x - begin
        for glyph in glyphs:
            _merge(rows, glyph, at - glyph.left, drawn)
            drawn = max(drawn, at - glyph.left + glyph.width)
            at += glyph.advance
        self._put(rows, begin, y, colour, ground)
        return x + width

    def sign(self, x: int, y: int, sign: CardGlyph, colour: int, ground: int) -> None:
        rows = [bytearray(levels) for levels in sign.rows]
        self._put(rows, x, y, colour, ground)

    def _put(self, rows: list[bytearray], x: int, y: int, colour: int, ground: int) -> None:
        """Draw rows of levels; where nothing is covered, the image stays."""
        ramp = self._ramp(colour, ground)
        for line, row in enumerate(rows):
            first = len(row) - len(row.lstrip(b"\0"))
            last = len(row.rstrip(b"\0"))
            if first < last and 0 <= y + line < self.height:
                at = (y + line) * self.width + x
                self._pixels[at + first : at + last] = row[first:last].translate(ramp)

    def _ramp(self, colour: int, ground: int) -> bytes:
        table = [self._index(_mixed(colour, ground, level)) for level in range(LEVELS)]
        return bytes(table).ljust(256, b"\0")

    def _index(self, colour: int) -> int:
        """Return a colour's place in the palette; with 256 colours there, the nearest one's."""
        place = self._palette.get(colour)
        if place is not None:
            return place
        if len(self._palette) >= 256:  # noqa: PLR2004  what a byte can name
            return self._palette[min(self._palette, key=lambda other: _distance(other, colour))]
        return self._palette.setdefault(colour, len(self._palette))


def _merge(rows: list[bytearray], glyph: CardGlyph, x: int, drawn: int) -> None:
    """Put a glyph's levels into rows; columns before `drawn` may have some of the last letter."""
    shared = max(0, min(drawn - x, glyph.width))
    cut = max(0, -x)
    for row, levels in zip(rows, glyph.rows, strict=False):
        for column in range(cut, shared):
            row[x + column] = max(row[x + column], levels[column])
        first = max(shared, cut)
        end = min(glyph.width, len(row) - x)
        if first < end:
            row[x + first : x + end] = levels[first:end]


def _mixed(colour: int, ground: int, level: int) -> int:
    mixed = 0
    for shift in (16, 8, 0):
        over, under = colour >> shift & 255, ground >> shift & 255
        mixed |= round(under + (over - under) * level / (LEVELS - 1)) << shift
    return mixed


def _distance(colour: int, other: int) -> int:
    return sum(((colour >> shift & 255) - (other >> shift & 255)) ** 2 for shift in (16, 8, 0))


@cache
def _corner(radius: int) -> tuple[bytes, ...]:
    steps = range(radius * _SAMPLES)
    inside = [
        [(radius - (x + 0.5) / _SAMPLES) ** 2 + (radius - (y + 0.5) / _SAMPLES) ** 2 <= radius**2
         for x in steps]
        for y in steps
    ]  # fmt: skip
    return tuple(
        bytes(
            sum(
                inside[y * _SAMPLES + dy][x * _SAMPLES + dx]
                for dy in range(_SAMPLES)
                for dx in range(_SAMPLES)
            )
            * (LEVELS - 1)
            // _SAMPLES**2
            for x in range(radius)
        )
        for y in range(radius)
    )
