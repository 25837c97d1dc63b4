"""Catalogue of the styles of the sample players: a new one is a function and two lines here.

The console reads its names here too: nothing but the contracts is imported.
"""

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Literal

from casino_contracts import ActionRequest, ActionResponse

Decide = Callable[[ActionRequest], ActionResponse]

STYLES: dict[str, str] = {
    "aggressive": "raises and bluffs in good position, and folds to resistance",
    "caller": "calls everything",
    "cautious": "waits for the best hands, and gives up the others",
    "equity": "plays its chances, measured by dealing the rest of the hand many times",
    "loose": "comes along with many hands, and seldom raises",
    "maniac": "raises whenever it may",
    "random": "does anything that is legal",
    "tight": "plays few hands and plays them well",
    "tricky": "checks its strong hands, to raise later",
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

_FUNCTIONS = {
    "aggressive": "characters.be_aggressive",
    "caller": "simple_styles.call_everything",
    "cautious": "characters.be_cautious",
    "disconnecting": "simple_styles.be_interrupted",
    "equity": "equity.decide",
    "garbage": "simple_styles.be_interrupted",
    "illegal": "simple_styles.break_rules",
    "loose": "characters.be_loose",
    "maniac": "simple_styles.raise_often",
    "random": "simple_styles.play_at_random",
    "slow": "simple_styles.call_everything",
    "tight": "characters.be_tight",
    "tricky": "characters.be_tricky",
}
"""The functions of the styles by module and name."""


def decide_of(style: str) -> Decide:
    """Return a style's function; its module is imported lazily, since `equity` needs numpy."""
    module, name = _FUNCTIONS[style].split(".")
    decide: Decide = getattr(import_module(f"casino_player_example.styles.{module}"), name)
    return decide
