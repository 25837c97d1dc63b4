"""The strip at rows 52 to 63: a slider for an amount, and below it the buttons."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from casino_evaluator.frames.canvas import SIZE
from casino_evaluator.frames.choices import Choice, Range

Json = dict[str, Any]

SLIDER_Y, SLIDER_HEIGHT = 52, 3
SLIDER_X, SLIDER_WIDTH = 1, 62
BUTTONS_Y, BUTTONS_HEIGHT = 55, 9
_LINES = ((1, 7), (2, 4), (3, 3), (4, 2))
"""Lines of buttons, and how wide the buttons of so many lines are at least."""


@dataclass(frozen=True, slots=True)
class Rectangle:
    """Some pixels, from the top left one."""

    x: int
    y: int
    width: int
    height: int

    def contains(self, x: int, y: int) -> bool:
        """Return whether a pixel is one of them."""
        return self.x <= x < self.x + self.width and self.y <= y < self.y + self.height


@dataclass(frozen=True, slots=True)
class Button:
    """A choice and its place."""

    place: Rectangle
    choice: Choice
    is_odd: bool = False
    """Neighbours differ in it, so that they can be drawn apart."""


@dataclass(frozen=True, slots=True)
class Slider:
    """Columns that stand for amounts, the least one on the left."""

    place: Rectangle
    range: Range

    def amount_at(self, x: int) -> int:
        """Return the amount of a column."""
        span = self.range.most - self.range.least
        return self.range.least + span * (x - self.place.x) // (self.place.width - 1)

    def column_of(self, amount: int) -> int:
        """Return the first column whose amount is at least this one."""
        span = max(1, self.range.most - self.range.least)
        steps = (amount - self.range.least) * (self.place.width - 1)
        return self.place.x - (-steps // span)


def slider_of(chosen: Range | None) -> Slider | None:
    """Return the slider of an offer with a range."""
    if chosen is None:
        return None
    return Slider(Rectangle(SLIDER_X, SLIDER_Y, SLIDER_WIDTH, SLIDER_HEIGHT), chosen)


def buttons_of(choices: Sequence[Choice]) -> tuple[Button, ...]:
    """Return the buttons, in up to four lines; more than 128 have no place."""
    lines, columns = _arranged(len(choices))
    height = BUTTONS_HEIGHT // lines
    buttons = []
    for index, choice in enumerate(choices[: lines * columns]):
        line, column = divmod(index, columns)
        left, right = column * SIZE // columns, (column + 1) * SIZE // columns
        place = Rectangle(left, BUTTONS_Y + line * height, right - left, height)
        buttons.append(Button(place, choice, is_odd=(line + column) % 2 == 1))
    return tuple(buttons)


def _arranged(count: int) -> tuple[int, int]:
    """Return how many lines and columns so many buttons take."""
    for lines, width in _LINES:
        columns = max(1, -(-count // lines))
        if columns * width <= SIZE:
            return lines, columns
    lines, width = _LINES[-1]
    return lines, SIZE // width
