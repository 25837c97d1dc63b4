"""Which games there are.  A game's module is imported when somebody plays it, not before."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any, TypedDict, cast

from pydantic import BaseModel

from casino_games.errors import UnknownGame
from casino_games.game import ArenaConfig, Game


class GameEntry(TypedDict):
    """Where the parts of a game are, as dotted paths."""

    game_module: str
    game_class: str
    game_factory: str
    config_class: str


GAME_REGISTRY: dict[str, GameEntry] = {
    "texas-holdem": {
        "game_module": "casino_games.holdem",
        "game_class": "casino_games.holdem.game.HoldemGame",
        "game_factory": "casino_games.holdem.create_game",
        "config_class": "casino_games.holdem.config.HoldemConfig",
    },
}


def create_game(game_type: str, arena_config: ArenaConfig) -> Game:
    """Return a game that waits for its ``reset``; ``UnknownGame`` or ``InvalidConfig``."""
    factory = _resolve(_entry(game_type)["game_factory"])
    return cast("Game", factory(arena_config))


def restore_game(game_type: str, data: Mapping[str, Any]) -> Game:
    """Return the game of a snapshot; ``UnknownGame`` or ``InvalidSnapshot``."""
    return game_class(game_type).deserialize(data)


def game_class(game_type: str) -> type[Game]:
    """Return the class of a game, which knows how many may play; or raise ``UnknownGame``."""
    return cast("type[Game]", _resolve(_entry(game_type)["game_class"]))


def config_class(game_type: str) -> type[BaseModel]:
    """Return the model of a game's settings; or raise ``UnknownGame``."""
    return cast("type[BaseModel]", _resolve(_entry(game_type)["config_class"]))


def minimum_players(game_type: str) -> int:
    """Return how many players a game needs; or raise ``UnknownGame``."""
    return game_class(game_type).min_players


def _entry(game_type: str) -> GameEntry:
    entry = GAME_REGISTRY.get(game_type)
    if entry is None:
        known = ", ".join(sorted(GAME_REGISTRY))
        raise UnknownGame(f"no game is called {game_type!r:.80}; the known ones are: {known}")
    return entry


def _resolve(path: str) -> Any:
    module, _, name = path.rpartition(".")
    return getattr(import_module(module), name)
