"""The scene of a moment, by the type of its game."""

from collections.abc import Callable, Mapping
from typing import Any

from casino_evaluator.domain.moment import Moment
from casino_evaluator.frames.any_scene import any_scene
from casino_evaluator.frames.blackjack_scene import blackjack_scene
from casino_evaluator.frames.poker_scene import poker_scene
from casino_evaluator.frames.scene import Scene
from casino_evaluator.frames.simple_card_scene import simple_card_scene
from casino_evaluator.frames.values import fields

Json = dict[str, Any]

_SCENES: Mapping[str, Callable[[Moment, Json, Json], Scene]] = {
    "texas-holdem": poker_scene,
    "kuhn_poker": poker_scene,
    "leduc_poker": poker_scene,
    "blackjack": blackjack_scene,
    "simple_card": simple_card_scene,
}


def public_of(moment: Moment) -> Json:
    """Return the public state; at the end of a hand, that of the result."""
    final = fields(fields(moment.result).get("public"))
    return final or fields(fields(moment.state).get("public"))


def scene_of(moment: Moment) -> Scene:
    """Return what a frame of the moment shows."""
    private = fields(fields(moment.state).get("private"))
    return _SCENES.get(moment.game_type, any_scene)(moment, public_of(moment), private)
