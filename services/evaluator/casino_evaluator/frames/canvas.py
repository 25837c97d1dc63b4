"""64 x 64 colours to draw on; whatever reaches over the edge is clipped."""

from casino_evaluator.frames.font import HEIGHT, PITCH, WIDTH, Glyph, glyph, width_of

SIZE = 64

Grid = list[list[int]]
"""64 rows of 64 colours 0 to 15 (`palette.HEX`)."""


class Canvas:
    """Colours by row, from the top left."""

    def __init__(self, colour: int) -> None:
        self._colours = bytearray([colour]) * (SIZE * SIZE)

    @property
    def grid(self) -> Grid:
        """A copy as rows."""
        colours = self._colours
        return [list(colours[start : start + SIZE]) for start in range(0, SIZE * SIZE, SIZE)]

    def fill(self, x: int, y: int, width: int, height: int, colour: int) -> None:
        """Fill a rectangle."""
        left, right = max(0, x), min(SIZE, x + width)
        if left >= right:
            return
        row = bytes([colour]) * (right - left)
        for line in range(max(0, y), min(SIZE, y + height)):
            start = line * SIZE + left
            self._colours[start : start + len(row)] = row

    def outline(self, x: int, y: int, width: int, height: int, colour: int) -> None:
        """Draw the edge of a rectangle."""
        self.fill(x, y, width, 1, colour)
        self.fill(x, y + height - 1, width, 1, colour)
        self.fill(x, y, 1, height, colour)
        self.fill(x + width - 1, y, 1, height, colour)

    def draw(self, x: int, y: int, shape: Glyph, colour: int) -> None:
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
