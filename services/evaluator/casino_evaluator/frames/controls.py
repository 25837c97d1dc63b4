"""What ACTION1 to ACTION7 mean at a moment: `choices` has the table of the first five."""

from typing import Any

from casino_evaluator.domain.moment import Moment
from casino_evaluator.frames.choices import choices_of, range_in
from casino_evaluator.frames.strip import SLIDER_Y, buttons_of, slider_of

Json = dict[str, Any]
CLICK = 6
"""ACTION6, which has a column and a row. ACTION7 is no action of a game."""


def available_actions(moment: Moment) -> tuple[int, ...]:
    """Return the numbers of the available actions, sorted; none if nothing is offered."""
    choices = choices_of(moment)
    numbers = (choice.number for choice in choices if choice.number is not None)
    return (*numbers, CLICK) if choices else ()


def action_of(
    moment: Moment, number: int, x: int | None = None, y: int | None = None
) -> Json | None:
    """Return the action of a command, which answers one of the offers; None if there is none.

    `x` is the column and `y` the row of a click (number 6), from the top left.
    """
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
