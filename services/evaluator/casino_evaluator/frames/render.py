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

from casino_evaluator.domain.moment import Moment
from casino_evaluator.frames.amounts import short
from casino_evaluator.frames.canvas import Canvas, Grid
from casino_evaluator.frames.choices import choices_of, range_in
from casino_evaluator.frames.palette import DARK, GREEN, ORANGE, SILVER
from casino_evaluator.frames.scenes import scene_of
from casino_evaluator.frames.strip import buttons_of, slider_of
from casino_evaluator.frames.strip_drawing import draw_strip, draw_words
from casino_evaluator.frames.table_drawing import draw_scene, draw_standing
from casino_evaluator.frames.values import fields, whole

_NET_ROOM = 6


def render(moment: Moment) -> Grid:
    """Return the frame of a moment. Pure; never raises: what does not fit is clipped."""
    canvas = Canvas(DARK)
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
