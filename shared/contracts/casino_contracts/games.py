"""Games that a lobby's tables offer, with the address of each specification."""

from typing import Literal

from pydantic import Field

from casino_contracts.base import WireModel, optional
from casino_contracts.numbers import PositiveWhole

SEMANTIC = r"^(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})$"


class PlayerCount(WireModel):
    """Minimum and maximum number of players."""

    min: PositiveWhole
    max: PositiveWhole


class OfferedGame(WireModel):
    """A game that a table offers, as declared in its agent card."""

    game_type: str = Field(min_length=1, max_length=128)
    version: str = Field(pattern=SEMANTIC)
    name: str = Field(max_length=256)
    category: str = Field(max_length=64)
    game_model: Literal["turn_based", "phase_based"]
    players: PlayerCount
    schema_format: Literal["json-schema"]
    default_timeout_action: str = Field(max_length=128)
    specification: str = Field(
        max_length=2048, description="URL or path of the game's specification."
    )
    house_edge: str | None = optional(max_length=256)


class ListedGame(WireModel):
    """One entry of the lobby's game list (A2G's `GET /api/games`)."""

    game_type: str
    name: str
    category: str
    game_model: Literal["turn_based", "phase_based"]
    players: PlayerCount
    spec_version: str = Field(
        description="Semantic version; fetch the specification again if newer."
    )
    schema_format: Literal["json-schema"]


class GameList(WireModel):
    """Every game that can be played at this lobby."""

    games: tuple[ListedGame, ...]
