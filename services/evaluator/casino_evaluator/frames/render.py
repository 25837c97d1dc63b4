"""Draw a moment as a frame of 64 x 64 colours.

| rows | what |
| --- | --- |
| 0..5 | level, hand of hands, target (T); a bar: the candidate's chips of the target |
| 6..18 | the opponent: cards, chips left, chips bet, its last action, D for the dealer button |
| 19..30 | open cards, and the pot |
| 32..44 | the candidate, like the opponent |
| 46..50 | what the buttons cost; at the end of a hand what it brought |
| 52..54 | the slider, while an amount may be chosen |
| 55..63 | the buttons |

A yellow bar at the left edge marks who decides. Suits have four colours.
"""

from collections.abc import Sequence

from casino_evaluator.domain.evaluation_session import Moment
from casino_evaluator.frames.choices import choices_of, range_in
from casino_evaluator.frames.controls import (
    SLIDER_Y,
    Button,
    Rectangle,
    Slider,
    buttons_of,
    slider_of,
)
from casino_evaluator.frames.frame_canvas import (
    BLACK,
    DARK,
    GRAY,
    GREEN,
    HEIGHT,
    LIGHT,
    ORANGE,
    PITCH,
    RED,
    SILVER,
    SIZE,
    SKY,
    WHITE,
    YELLOW,
    FrameCanvas,
    Grid,
    width_of,
)
from casino_evaluator.frames.scene_drawing import draw_scene, draw_standing
from casino_evaluator.frames.scenes import scene_of
from casino_evaluator.frames.state_values import fields, short, whole

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
_NET_ROOM = 6


def draw_strip(canvas: FrameCanvas, buttons: Sequence[Button], slider: Slider | None) -> None:
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


def draw_words(canvas: FrameCanvas, words: str, colour: int) -> None:
    """Write a message where the buttons' costs are, while there are none."""
    canvas.text(1, LEGEND_Y, words, colour)


def _colour(button: Button) -> int:
    number = button.choice.number
    return _COLOURS[number] if number else (SILVER, LIGHT)[button.is_odd]


def _draw_button(canvas: FrameCanvas, button: Button) -> None:
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


def _centre(canvas: FrameCanvas, place: Rectangle, y: int, text: str, colour: int) -> None:
    canvas.text(place.x + max(0, (place.width - width_of(text)) // 2), y, text, colour)


def render(moment: Moment) -> Grid:
    """Return the frame of a moment. Pure; never raises: what does not fit is clipped."""
    canvas = FrameCanvas(DARK)
    standing = moment.standing
    draw_standing(
        canvas,
        standing.level,
        (moment.hand_number, standing.hands),
        (standing.stack, standing.target),
    )
    draw_scene(canvas, scene_of(moment))
    draw_strip(canvas, buttons_of(choices_of(moment)), slider_of(range_in(moment.offers)))
    net = whole(fields(fields(moment.result).get("scores")).get(moment.player_id))
    if net is not None:
        sign = "+" if net > 0 else ""
        draw_words(canvas, f"HAND {sign}{short(net, _NET_ROOM)}", GREEN if net >= 0 else ORANGE)
    elif not moment.offers:
        draw_words(canvas, "WAIT", SILVER)
    return canvas.grid
