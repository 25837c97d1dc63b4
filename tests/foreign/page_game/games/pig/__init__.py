"""Pig, the dice game, for two or more players."""

from .action_parser import ActionParseError, PigActionParser
from .config import PigConfig
from .game import PigGame
from .state_adapter import PigStateAdapter

__all__ = [
    "ActionParseError",
    "PigActionParser",
    "PigConfig",
    "PigGame",
    "PigStateAdapter",
    "create_game",
]


def create_game(arena_config):
    """Create a Pig game from an ArenaConfig."""
    config = _pig_config(arena_config)
    players = [p.id for p in arena_config.players]
    return PigGame(players=players, seed=arena_config.seed, target=config.target)


def _pig_config(arena_config):
    # The interface page does not name the field that holds the game's own
    # parameters; `game_config` is assumed, as a dict or a validated PigConfig.
    raw = getattr(arena_config, "game_config", None)
    if raw is None:
        return PigConfig()
    if isinstance(raw, PigConfig):
        return raw
    return PigConfig(**(raw if isinstance(raw, dict) else raw.model_dump()))
