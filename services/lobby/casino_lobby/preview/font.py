"""The letters and suits of cards: rasterised by `tools/card_font.py` from DejaVu Sans."""

import json
import lzma
import unicodedata
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


@dataclass(frozen=True)
class Glyph:
    """A letter: its rows of levels, where the first column is, and how far the next letter is."""

    rows: tuple[bytes, ...]
    left: int
    width: int
    advance: int


class Typeface:
    """All letters in one size; all have the same number of rows."""

    def __init__(self, height: int, glyphs: dict[str, Glyph]) -> None:
        self.height = height
        self._glyphs = glyphs

    def has(self, letter: str) -> bool:
        """Return whether the typeface has a letter."""
        return letter in self._glyphs

    def glyph(self, letter: str) -> Glyph:
        """Return a letter, or the box."""
        return self._glyphs.get(letter) or self._glyphs[BOX]

    def width(self, text: str) -> int:
        """Return the width of a text in pixels."""
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
            glyphs[letter] = Glyph(rows, left, width, advance)
            at += width * height
        made[name] = Typeface(height, glyphs)
    return made
