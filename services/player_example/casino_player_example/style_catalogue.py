"""Catalogue of the styles of the sample players: a new one is a module and a line here.

The console reads its names here too: nothing but the contracts is imported.
"""

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Literal

from casino_contracts import ActionRequest, ActionResponse

Decide = Callable[[ActionRequest], ActionResponse]

STYLES: dict[str, str] = {
    "caller": "calls everything",
    "equity": "plays its chances, measured by dealing the rest of the hand many times",
    "maniac": "raises whenever it may",
    "random": "does anything that is legal",
    "tight": "plays few hands and plays them well",
}

ANY_GAME_STYLES: dict[str, str] = {
    "generic": "plays any game by its specification",
    "llm": "asks a language model, in any game",
}
"""Descriptions of the styles for any game by name."""

SABOTEURS: dict[str, str] = {
    "disconnecting": "closes the connection in the middle of every answer",
    "garbage": "answers with what is no reply",
    "illegal": "chooses what is not legal",
    "slow": "answers when its clock has ended",
}
"""Descriptions of the styles with a fault, to see another bot play beside them, by name."""

if TYPE_CHECKING:
    Style = str
else:
    Style = Literal[(*sorted((*STYLES, *ANY_GAME_STYLES)), *SABOTEURS)]
"""The name of a style; a checker of types cannot read a `Literal` that is computed."""

_SIMPLE = {
    "caller": "call_everything",
    "disconnecting": "be_interrupted",
    "garbage": "be_interrupted",
    "illegal": "break_rules",
    "maniac": "raise_often",
    "random": "play_at_random",
    "slow": "call_everything",
}
"""Functions of the styles in `simple_styles`; any other is `decide` of a module of its own."""


def decide_of(style: str) -> Decide:
    """Return a style's function; its module is imported lazily, since `equity` needs numpy."""
    module = "simple_styles" if style in _SIMPLE else style
    styles = import_module(f"casino_player_example.styles.{module}")
    decide: Decide = getattr(styles, _SIMPLE.get(style, "decide"))
    return decide
