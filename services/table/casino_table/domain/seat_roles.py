"""Teams, roles and types of players by seat, from a room's `gameConfig.players`. Pure."""

from collections.abc import Mapping
from typing import Annotated, Any

from casino_games import ArenaPlayer, InvalidConfig, config_class
from casino_games.faults import faults_in
from casino_games.game import MOST_SEATS
from pydantic import BaseModel, ConfigDict, Field, ValidationError

_KEY = "players"

Name = Annotated[str, Field(min_length=1, max_length=128)]


class SeatRole(BaseModel):
    """What a room says about the player of one seat."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    team: Name | None = None
    role: Name = "player"
    type: Name = "agent"

    def player(self, player_id: str) -> ArenaPlayer:
        """Return a player with this role."""
        return ArenaPlayer(player_id, self.team, self.role, self.type)


class _Roles(BaseModel):
    players: Annotated[tuple[SeatRole, ...], Field(max_length=MOST_SEATS)]


def roles_in(game_type: str, game_config: Mapping[str, Any]) -> tuple[SeatRole, ...]:
    """Return the roles by seat number, () where the room gives none.

    A game whose own settings have `players` reads them itself. Raises `InvalidConfig`.
    """
    if _KEY not in game_config or _is_own(game_type):
        return ()
    try:
        return _Roles(players=game_config[_KEY]).players
    except ValidationError as error:
        raise InvalidConfig(faults_in(error, _KEY)) from None


def settings_in(game_type: str, game_config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the game's own settings."""
    if _is_own(game_type):
        return dict(game_config)
    return {name: value for name, value in game_config.items() if name != _KEY}


def _is_own(game_type: str) -> bool:
    return _KEY in config_class(game_type).model_fields
