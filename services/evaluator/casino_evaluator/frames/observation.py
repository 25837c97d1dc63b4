"""A moment as JSON, for agents that read text."""

from dataclasses import asdict
from typing import Any

from casino_evaluator.domain.moment import Moment
from casino_evaluator.frames.choices import choices_of, range_in
from casino_evaluator.frames.controls import CLICK
from casino_evaluator.frames.strip import buttons_of, slider_of

Json = dict[str, Any]


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
