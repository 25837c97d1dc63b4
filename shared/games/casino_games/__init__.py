"""The rules of the games: pure, synchronous and deterministic."""

from casino_games.errors import (
    GameError,
    IllegalAction,
    InvalidConfig,
    InvalidSnapshot,
    InvalidSpecification,
    NotDealt,
    UnknownGame,
    UnknownPlayer,
)
from casino_games.game import ArenaConfig, ArenaPlayer, Game
from casino_games.registry import (
    GAME_REGISTRY,
    config_class,
    create_game,
    game_class,
    minimum_players,
    restore_game,
)

__all__ = [
    "GAME_REGISTRY",
    "ArenaConfig",
    "ArenaPlayer",
    "Game",
    "GameError",
    "IllegalAction",
    "InvalidConfig",
    "InvalidSnapshot",
    "InvalidSpecification",
    "NotDealt",
    "UnknownGame",
    "UnknownPlayer",
    "config_class",
    "create_game",
    "game_class",
    "minimum_players",
    "restore_game",
]
