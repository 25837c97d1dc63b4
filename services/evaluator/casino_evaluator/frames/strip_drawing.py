"""Draw the strip of buttons and the slider, and above them what the buttons cost."""

from collections.abc import Sequence

from casino_evaluator.frames.amounts import short
from casino_evaluator.frames.canvas import SIZE, Canvas
from casino_evaluator.frames.font import HEIGHT, PITCH, width_of
from casino_evaluator.frames.palette import (
    BLACK,
    GRAY,
    GREEN,
    LIGHT,
    ORANGE,
    RED,
    SILVER,
    SKY,
    WHITE,
    YELLOW,
)
from casino_evaluator.frames.strip import SLIDER_Y, Button, Rectangle, Slider

LEGEND_Y = 46

_ABBREVIATIONS = {
    "check": "CHK",
    "fold": "FLD",
    "raise": "RAI",
    "double": "DBL",
    "split": "SPL",
    "all_in": "ALL",
    "all-in": "ALL",
    "stand": "STD",
}
_COLOURS = {1: RED, 2: GREEN, 3: YELLOW, 4: ORANGE, 5: SKY}


def draw_strip(canvas: Canvas, buttons: Sequence[Button], slider: Slider | None) -> None:
    """Draw the buttons with their words, and the slider with a mark for each of its buttons."""
    canvas.fill(0, SLIDER_Y, SIZE, SIZE - SLIDER_Y, BLACK)
    for button in buttons:
        _draw_button(canvas, button)
    if slider:
        place = slider.place
        canvas.fill(place.x, place.y, place.width, place.height, GRAY)
        canvas.fill(place.x, place.y + 1, place.width, 1, WHITE)
        for button in buttons:
            chips = button.choice.action.get("amount")
            if isinstance(chips, int):
                canvas.fill(slider.column_of(chips), place.y, 1, place.height, _colour(button))


def draw_words(canvas: Canvas, words: str, colour: int) -> None:
    """Write a message where the buttons' costs are, while there are none."""
    canvas.text(1, LEGEND_Y, words, colour)


def _colour(button: Button) -> int:
    number = button.choice.number
    return _COLOURS[number] if number else (SILVER, LIGHT)[button.is_odd]


def _draw_button(canvas: Canvas, button: Button) -> None:
    place, choice = button.place, button.choice
    canvas.fill(place.x, place.y, place.width, place.height, _colour(button))
    room = (place.width + 1) // PITCH
    if place.height >= HEIGHT and room:
        word = choice.word.upper()
        if len(word) > room:
            word = _ABBREVIATIONS.get(choice.word, word)[:room]
        _centre(canvas, place, place.y + (place.height - HEIGHT) // 2, word, BLACK)
        if choice.chips is not None:
            _centre(canvas, place, LEGEND_Y, short(choice.chips, room), WHITE)


def _centre(canvas: Canvas, place: Rectangle, y: int, text: str, colour: int) -> None:
    canvas.text(place.x + max(0, (place.width - width_of(text)) // 2), y, text, colour)
