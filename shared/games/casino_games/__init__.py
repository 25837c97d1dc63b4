"""Game engines: pure, synchronous and deterministic."""

from casino_games.action_parser import ActionParser, JsonActionParser
from casino_games.errors import (
    ActionParseError,
    BrokenRegistration,
    GameError,
    IllegalAction,
    InvalidConfig,
    InvalidSnapshot,
    InvalidSpecification,
    NotDealt,
    UnknownGame,
    UnknownPlayer,
)
from casino_games.game import HOUSE, ArenaConfig, ArenaPlayer, Game
from casino_games.registry import (
    GAME_REGISTRY,
    GameEntry,
    action_parser,
    config_class,
    create_game,
    game_class,
    game_types,
    minimum_players,
    register_game,
    restore_game,
    specification,
    state_adapter,
)
from casino_games.state_adapter import JsonStateAdapter, StateAdapter

__all__ = [
    "GAME_REGISTRY",
    "HOUSE",
    "ActionParseError",
    "ActionParser",
    "ArenaConfig",
    "ArenaPlayer",
    "BrokenRegistration",
    "Game",
    "GameEntry",
    "GameError",
    "IllegalAction",
    "InvalidConfig",
    "InvalidSnapshot",
    "InvalidSpecification",
    "JsonActionParser",
    "JsonStateAdapter",
    "NotDealt",
    "StateAdapter",
    "UnknownGame",
    "UnknownPlayer",
    "action_parser",
    "config_class",
    "create_game",
    "game_class",
    "game_types",
    "minimum_players",
    "register_game",
    "restore_game",
    "specification",
    "state_adapter",
]
