"""What ACTION1 to ACTION7 mean at a moment, where the buttons are, and the same as JSON."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from casino_evaluator.domain.evaluation_session import CLICK, Moment
from casino_evaluator.frames.choices import Choice, Range, choices_of, range_in
from casino_evaluator.frames.frame_canvas import SIZE

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
        span = self.range.most - self.range.least
        return self.range.least + span * (x - self.place.x) // (self.place.width - 1)

    def column_of(self, amount: int) -> int:
        """Return the first column whose amount is at least this one."""
        span = max(1, self.range.most - self.range.least)
        steps = (amount - self.range.least) * (self.place.width - 1)
        return self.place.x - (-steps // span)


def slider_of(chosen: Range | None) -> Slider | None:
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
    for lines, width in _LINES:
        columns = max(1, -(-count // lines))
        if columns * width <= SIZE:
            return lines, columns
    lines, width = _LINES[-1]
    return lines, SIZE // width


def available_actions(moment: Moment) -> tuple[int, ...]:
    """Return the numbers of the available actions, sorted; none if nothing is offered."""
    choices = choices_of(moment)
    numbers = (choice.number for choice in choices if choice.number is not None)
    return (*numbers, CLICK) if choices else ()


def action_of(
    moment: Moment, number: int, x: int | None = None, y: int | None = None
) -> Json | None:
    """Return the offered action of a command, None without; a click is at column `x`, row `y`."""
    if number == CLICK:
        return None if x is None or y is None or y < SLIDER_Y else _clicked(moment, x, y)
    choices = choices_of(moment)
    return next((choice.action for choice in choices if choice.number == number), None)


def _clicked(moment: Moment, x: int, y: int) -> Json | None:
    """Return the action of a pixel: of a button, or of a column of the slider."""
    for button in buttons_of(choices_of(moment)):
        if button.place.contains(x, y):
            return button.choice.action
    slider = slider_of(range_in(moment.offers))
    if slider and slider.place.contains(x, y):
        return slider.range.action(slider.amount_at(x))
    return None


def observation(moment: Moment) -> Json:
    """Return state, offers, standing and result, and what each available action does.

    `actions` has one entry for each available number: the first five have their `action` and a
    `label`; number 6 has the rectangles that can be clicked, in pixels from the top left.
    """
    choices = choices_of(moment)
    actions: list[Json] = [
        {"number": choice.number, "action": choice.action, "label": choice.label}
        for choice in choices
        if choice.number is not None
    ]
    if choices:
        actions.append({"number": CLICK, **_clicks(moment)})
    return {
        "game_type": moment.game_type,
        "hand_number": moment.hand_number,
        "player_id": moment.player_id,
        "opponent_id": moment.opponent_id,
        "state": moment.state,
        "offers": list(moment.offers),
        "standing": asdict(moment.standing),
        "result": moment.result,
        "actions": actions,
    }


def _clicks(moment: Moment) -> Json:
    buttons = [
        {**asdict(button.place), "action": button.choice.action, "label": button.choice.label}
        for button in buttons_of(choices_of(moment))
    ]
    slider = slider_of(range_in(moment.offers))
    if slider is None:
        return {"buttons": buttons, "slider": None}
    limits = {"min": slider.range.least, "max": slider.range.most}
    kind = slider.range.offer.get("action_type")
    return {"buttons": buttons, "slider": {**asdict(slider.place), "action_type": kind, **limits}}
