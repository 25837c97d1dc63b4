"""What a table must know of a game's classes before it creates one, with the defaults."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from casino_games.errors import GameFault
from casino_games.game import MOST_SEATS, Game, GameModel
from casino_games.registry import config_class, game_class

REQUIRED = (
    *("game_type", "reset", "get_current_player", "get_current_role", "get_public_state"),
    *("get_private_state", "get_available_actions", "step", "is_over", "get_winner", "get_scores"),
)
"""What the game-interface document requires of a game."""


@dataclass(frozen=True, slots=True)
class GameTraits:
    """The traits of a game's classes.

    `is_minimum_said`: its author wrote `min_players`.
    `plays_for_chips`: its settings have the players' `stacks`, so its scores are chips. The scores
    of any other game are points, which move no chips.
    """

    min_players: int
    max_players: int
    is_minimum_said: bool
    plays_for_chips: bool
    game_model: GameModel
    timeout_action: str


def traits_of(game_type: str) -> GameTraits:
    """Return the traits of a game; raises `UnknownGame`, `BrokenRegistration`, `GameFault`."""
    game: Any = game_class(game_type)  # of a third party: anything at all
    settings: Any = config_class(game_type)
    if not isinstance(game, type):
        raise GameFault("game_class: its path must lead to a class")
    if missing := sorted(getattr(game, "__abstractmethods__", ())):
        raise GameFault(f"{missing[0]}: {game.__name__} must implement {', '.join(missing)}")
    if not isinstance(settings, type) or not issubclass(settings, BaseModel):
        raise GameFault("config_class: its path must lead to a pydantic BaseModel")
    least = _count(game, "min_players", 2)
    most = _count(game, "max_players", max(least, MOST_SEATS))
    if least > most:
        raise GameFault(f"max_players: {most} is less than min_players, {least}")
    return GameTraits(
        least,
        most,
        any("min_players" in vars(part) for part in game.__mro__ if part is not Game),
        "stacks" in settings.model_fields,
        game.game_model if issubclass(game, Game) else "turn_based",
        game.timeout_action if issubclass(game, Game) else "",
    )


def chips_needed(game_type: str, game_config: Mapping[str, Any]) -> int:
    """Return the smallest stack, 1 if no chips; raises `InvalidConfig`, as `traits_of`."""
    game: Any = game_class(game_type)
    is_said = issubclass(game, Game) and traits_of(game_type).plays_for_chips
    needed: int = game.chips_needed(game_config) if is_said else 1
    return needed


def _count(game: Any, name: str, default: int) -> int:
    count: Any = getattr(game, name, default)
    if type(count) is int and count > 0:
        return count
    raise GameFault(f"{name}: must be a whole number of at least 1")
