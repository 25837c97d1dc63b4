"""Definition of a game's specification, and how a game came out by it.

A game's `spec.py` has its `SPECIFICATION`: prose, and pydantic models of a player's state
(`{"public": …, "private": …}`), of its answer, and of a hand's result. The schemas are generated
from the models; `spec_document.py` records the examples from the game, validates them against the
models, and builds the document.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Generic, Literal, NamedTuple, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from casino_games.errors import InconsistentSpecification
from casino_games.game import Game, Json

CardName: TypeAlias = Annotated[
    str, Field(pattern="^[2-9TJQKA][cdhs]$", description="Rank and suit, such as `Ah` or `Tc`.")
]
Chips: TypeAlias = Annotated[int, Field(ge=0)]


class Closed(BaseModel):
    """Base of all models of a specification; forbids additional fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


PublicT = TypeVar("PublicT", bound=Closed)
PrivateT = TypeVar("PrivateT", bound=Closed)


class GameState(Closed, Generic[PublicT, PrivateT]):
    """What a player is shown when it is asked to act."""

    public: PublicT = Field(description="What everybody may know.")
    private: PrivateT = Field(description="What only this player may know.")


class GameResult(Closed, Generic[PublicT]):
    """How a hand came out."""

    scores: dict[str, int] = Field(
        description="Chips won or, negative, lost in this hand, by player; where a bank plays, "
        "`house` is among them. They add up to 0."
    )
    winner: str | None = Field(description="Who alone won most, null when nobody did.")
    winners: tuple[str, ...] = Field(description="Everybody who won chips, in seat order.")
    total_rake: Literal[0] = Field(alias="totalRake", description="Nothing is taken from a pot.")
    public: PublicT = Field(description="The public state at the end.")


@dataclass(frozen=True, slots=True)
class GameSpecification:
    """One game's specification. Raises `InconsistentSpecification` for an invalid version.

    `version` changes with the content: MAJOR if something is removed, renamed or newly required,
    MINOR if something optional is added, PATCH otherwise (checked by `tools/release_specs.py`).
    `action_model` is a model, or a union of models discriminated by `action_type`; their
    docstrings become the Actions section.
    """

    game_type: str
    version: str
    name: str
    category: Literal["card", "table", "dice"]
    players_min: int
    players_max: int
    game_model: Literal["turn_based", "phase_based"]
    house_edge: str
    default_timeout_action: str
    overview: str
    rules: str
    strategy_hints: str
    state_model: type[BaseModel]
    action_model: Any
    result_model: type[BaseModel]
    example_config: Mapping[str, Any] = field(default_factory=dict)
    example_players: tuple[str, ...] = ("ann", "ben")
    example_seeds: tuple[str, ...] = ("example 1", "example 2")

    def __post_init__(self) -> None:
        parts = self.version.split(".")
        if len(parts) != len(("major", "minor", "patch")) or not all(
            part.isascii() and part.isdigit() and str(int(part)) == part for part in parts
        ):
            raise InconsistentSpecification(
                f"{self.game_type}: version {self.version!r} is not MAJOR.MINOR.PATCH"
            )

    def front_matter(self) -> Json:
        return {
            "gameType": self.game_type,
            "version": self.version,
            "name": self.name,
            "category": self.category,
            "gameModel": self.game_model,
            "players": {"min": self.players_min, "max": self.players_max},
            "houseEdge": self.house_edge,
            "defaultTimeoutAction": self.default_timeout_action,
            "schemaFormat": "json-schema",
        }


def state_of(game: Game, player_id: str) -> Json:
    """Return a player's state, as in the State Schema; raises `UnknownPlayer`."""
    return {"public": game.get_public_state(), "private": game.get_private_state(player_id)}


def result_of(game: Game) -> Json:
    """Return the result of a completed hand, as in the Result Schema."""
    scores = game.get_scores()
    return {
        "scores": scores,
        "winner": game.get_winner(),
        "winners": [player_id for player_id in game.get_players() if scores[player_id] > 0],
        "totalRake": 0,
        "public": game.get_public_state(),
    }


class Rank(NamedTuple):
    """A player's points and place: 1 is the best, and players may share one."""

    player_id: str
    points: float
    place: int


def ranking(game: Game) -> list[Rank]:
    """Return places by points, best first; whom the game names as winner is before all others."""
    scores = game.get_scores()
    first = _named_winners(game)
    order = sorted(scores, key=lambda player_id: (player_id not in first, -scores[player_id]))
    ranks: list[Rank] = []
    for number, player_id in enumerate(order, start=1):
        before = ranks[-1] if ranks else None
        is_tie = before is not None and (
            (before.player_id in first) == (player_id in first)
            and (player_id in first or before.points == scores[player_id])
        )
        place = before.place if before is not None and is_tie else number
        ranks.append(Rank(player_id, scores[player_id], place))
    return ranks


def result_for_points(game: Game) -> Json:
    """Return the result of a game played for points; `winners` are those of place 1."""
    best = [rank.player_id for rank in ranking(game) if rank.place == 1]
    return {
        **result_of(game),
        "winners": [player for player in game.get_players() if player in best],
    }


def _named_winners(game: Game) -> list[str]:
    winner = game.get_winner()
    if winner is None:
        return []
    return (game.get_teams() or {}).get(winner, [winner])
