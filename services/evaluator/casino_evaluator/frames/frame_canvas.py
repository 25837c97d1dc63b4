"""64 x 64 colours to draw on: the sixteen colours, pixel letters, and the canvas."""

from dataclasses import dataclass

WHITE, LIGHT, SILVER, GRAY, DARK, BLACK, MAGENTA, PINK = range(8)
RED, BLUE, SKY, YELLOW, ORANGE, MAROON, GREEN, PURPLE = range(8, 16)

HEX = (
    "#ffffff",
    "#cccccc",
    "#999999",
    "#666666",
    "#333333",
    "#000000",
    "#e53aa3",
    "#ff7bcc",
    "#f93c31",
    "#1e93ff",
    "#88d8f1",
    "#ffdc00",
    "#ff851b",
    "#921231",
    "#4fcc30",
    "#a356d6",
)
"""The sRGB value of each colour."""


WIDTH = 3
HEIGHT = 5
PITCH = 4
"""Columns from one letter to the next."""
SUIT_WIDTH = 5

_ROWS = {
    "A": "010 101 111 101 101",
    "B": "110 101 110 101 110",
    "C": "011 100 100 100 011",
    "D": "110 101 101 101 110",
    "E": "111 100 110 100 111",
    "F": "111 100 110 100 100",
    "G": "011 100 101 101 011",
    "H": "101 101 111 101 101",
    "I": "111 010 010 010 111",
    "J": "001 001 001 101 010",
    "K": "101 101 110 101 101",
    "L": "100 100 100 100 111",
    "M": "101 111 111 101 101",
    "N": "110 101 101 101 101",
    "O": "010 101 101 101 010",
    "P": "110 101 110 100 100",
    "Q": "010 101 101 110 011",
    "R": "110 101 110 101 101",
    "S": "011 100 010 001 110",
    "T": "111 010 010 010 010",
    "U": "101 101 101 101 111",
    "V": "101 101 101 101 010",
    "W": "101 101 111 111 101",
    "X": "101 101 010 101 101",
    "Y": "101 101 010 010 010",
    "Z": "111 001 010 100 111",
    "0": "111 101 101 101 111",
    "1": "010 110 010 010 111",
    "2": "110 001 010 100 111",
    "3": "111 001 011 001 111",
    "4": "101 101 111 001 001",
    "5": "111 100 110 001 110",
    "6": "011 100 111 101 111",
    "7": "111 001 010 010 010",
    "8": "111 101 111 101 111",
    "9": "111 101 111 001 110",
    "+": "000 010 111 010 000",
    "-": "000 000 111 000 000",
    "/": "001 001 010 100 100",
    ":": "000 010 000 010 000",
    ".": "000 000 000 000 010",
    "?": "110 001 010 000 010",
    " ": "000 000 000 000 000",
}
_OTHER = "101 010 101 010 101"
"""Drawn for a character without a glyph."""
_SUITS = {
    "c": "01110 01110 11111 11111 00100",
    "d": "00100 01110 11111 01110 00100",
    "h": "01010 11111 11111 01110 00100",
    "s": "00100 01110 11111 10101 01110",
}
SIZE = 64
Grid = list[list[int]]
"""64 rows of 64 colours 0 to 15 (`palette.HEX`)."""


@dataclass(frozen=True, slots=True)
class PixelGlyph:
    """A drawn character."""

    width: int
    rows: tuple[tuple[int, ...], ...]
    """The columns that are set, for each row."""


def _glyph(rows: str) -> PixelGlyph:
    lines = rows.split(" ")
    return PixelGlyph(
        len(lines[0]),
        tuple(tuple(place for place, bit in enumerate(bits) if bit == "1") for bits in lines),
    )


GLYPHS = {character: _glyph(rows) for character, rows in _ROWS.items()}
SUITS = {suit: _glyph(rows) for suit, rows in _SUITS.items()}
_UNDRAWN = _glyph(_OTHER)


def glyph(character: str) -> PixelGlyph:
    return GLYPHS.get(character, _UNDRAWN)


def width_of(text: str) -> int:
    return max(0, len(text) * PITCH - 1)


class FrameCanvas:
    """Colours by row, from the top left."""

    def __init__(self, colour: int) -> None:
        self._colours = bytearray([colour]) * (SIZE * SIZE)

    @property
    def grid(self) -> Grid:
        colours = self._colours
        return [list(colours[start : start + SIZE]) for start in range(0, SIZE * SIZE, SIZE)]

    def fill(self, x: int, y: int, width: int, height: int, colour: int) -> None:
        left, right = max(0, x), min(SIZE, x + width)
        if left >= right:
            return
        row = bytes([colour]) * (right - left)
        for line in range(max(0, y), min(SIZE, y + height)):
            start = line * SIZE + left
            self._colours[start : start + len(row)] = row

    def outline(self, x: int, y: int, width: int, height: int, colour: int) -> None:
        self.fill(x, y, width, 1, colour)
        self.fill(x, y + height - 1, width, 1, colour)
        self.fill(x, y, 1, height, colour)
        self.fill(x + width - 1, y, 1, height, colour)

    def draw(self, x: int, y: int, shape: PixelGlyph, colour: int) -> None:
        """Draw a glyph with its top left at `x`, `y`; nothing if it reaches over the edge."""
        if not (0 <= x <= SIZE - shape.width and 0 <= y <= SIZE - HEIGHT):
            return
        colours, start = self._colours, y * SIZE + x
        for row in shape.rows:
            for column in row:
                colours[start + column] = colour
            start += SIZE

    def text(self, x: int, y: int, text: str, colour: int, right: int = SIZE) -> None:
        """Write a text of capital letters; characters that reach beyond `right` are left out."""
        for character in text[: SIZE // PITCH]:
            if x + WIDTH > right:
                return
            self.draw(x, y, glyph(character), colour)
            x += PITCH

    def text_to(self, right: int, y: int, text: str, colour: int) -> None:
        """Write a text that ends before the column `right`."""
        self.text(right - width_of(text), y, text, colour, right)
