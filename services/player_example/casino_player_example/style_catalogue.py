"""Catalogue of the styles of the sample players."""

from collections.abc import Callable
from importlib import import_module

from casino_contracts import ActionRequest, ActionResponse

from casino_player_example.settings import Style

Decide = Callable[[ActionRequest], ActionResponse]

STYLES: dict[Style, str] = {
    "caller": "calls everything",
    "equity": "plays its chances, measured by dealing the rest of the hand many times",
    "maniac": "raises whenever it may",
    "random": "does anything that is legal",
    "tight": "plays few hands and plays them well",
}
"""Descriptions of the Hold'em styles by name."""

ANY_GAME_STYLES: dict[Style, str] = {
    "generic": "plays any game by its specification",
    "llm": "asks a language model, in any game",
}
"""Descriptions of the styles for any game by name."""

SABOTEURS: dict[Style, str] = {
    "disconnecting": "closes the connection in the middle of every answer",
    "garbage": "answers with what is no reply",
    "illegal": "chooses what is not legal",
    "slow": "answers when its clock has ended",
}
"""Descriptions of the styles with a fault, to see another bot play beside them, by name."""

_MODULES = {
    "random": "random_player",
    "disconnecting": "interrupted",
    "garbage": "interrupted",
    "slow": "caller",
}
"""Modules of the styles that have another name."""


def decide_of(style: str) -> Decide:
    """Return a style's function; its module is imported lazily, since `equity` needs numpy."""
    module = _MODULES.get(style, style)
    decide: Decide = import_module(f"casino_player_example.styles.{module}").decide
    return decide
