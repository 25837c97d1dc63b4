"""Base class of games that are restored by replaying their decisions.

Their snapshot holds settings, the order of the cards and the decisions; restoring replays these, so
that the state is always consistent. A game implements `_deal` and `_perform`.
"""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Generic, NoReturn, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from casino_games import offers
from casino_games.chance import Chance
from casino_games.config import GameConfig
from casino_games.errors import GameError, InvalidConfig, InvalidSnapshot, NotDealt, UnknownPlayer
from casino_games.game import ArenaConfig, ArenaPlayer, Game, Json

ORDER_TAG = b"a2a-casino/order/v1"
"""Separates the order of cards from other uses of the same seed."""

ConfigT = TypeVar("ConfigT", bound=GameConfig)
RoundT = TypeVar("RoundT")


class ReplayedSnapshot(BaseModel):
    """Snapshot of a game: **private data**; the order is hidden from errors and repr."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    game_type: str
    players: tuple[str, ...]
    config: dict[str, Any]
    order: tuple[int, ...] = Field(repr=False)
    actions: tuple[dict[str, Any], ...]


class ReplayedGame(Game, Generic[ConfigT, RoundT]):
    """A game whose state is a `RoundT`."""

    config_model: ClassVar[type[GameConfig]]

    def __init__(self, arena_config: ArenaConfig) -> None:
        """Validate the configuration; raises `InvalidConfig`."""
        players = [player.id for player in arena_config.players]
        if not self.min_players <= len(players) <= self.max_players:
            raise InvalidConfig(
                f"players: {self.min_players} to {self.max_players} can play, not {len(players)}"
            )
        self._players = players
        self._config: ConfigT = self._checked(len(players), arena_config.game_config)
        self._seed = arena_config.seed
        self._order: list[int] = []
        self._actions: list[Json] = []
        self._dealt: RoundT | None = None

    @classmethod
    def chips_needed(cls, game_config: Mapping[str, Any]) -> int:
        """Return the minimum stack of a seat; raises `InvalidConfig`."""
        return cls.config_model.checked(game_config).chips_needed()

    def reset(self, seed: int | str | None = None) -> None:
        """Deal the round of the seed."""
        if seed is None:
            seed = self._seed
        if seed is None:
            raise GameError("a game needs a seed, from reset or from the ArenaConfig")
        if isinstance(seed, bool) or not isinstance(seed, int | str):
            raise GameError("a seed is a text or an integer")
        self._begin(Chance(str(seed), ORDER_TAG).shuffled(range(self._deck_size())))

    def get_current_role(self) -> str:
        """Return `"player"`, `""` when the game is over."""
        return "player" if self.get_current_player() else ""

    def is_over(self) -> bool:
        """Return whether no decision is left."""
        return not self.get_current_player()

    def step(self, action: Json) -> tuple[Json, bool]:
        """Apply an action of the current player; raises `IllegalAction` without any change."""
        answer = offers.match(action, self.get_available_actions())
        self._actions.append(answer)
        return {"events": self._perform(answer)}, self.is_over()

    def get_winner(self) -> str | None:
        """Return the player that won most chips, `None` for a tie or while the game runs."""
        scores = self.get_scores()
        most = max(scores.values())
        winners = [player_id for player_id, score in scores.items() if score == most]
        return winners[0] if self.is_over() and len(winners) == 1 else None

    def get_players(self) -> list[str]:
        """Return the ids of all players, in the order of the configuration."""
        return self._players.copy()

    def serialize(self) -> Json:
        """Return settings, order and decisions: **private data**, it holds every card.

        The seed of the `ArenaConfig` is omitted, so that later cards do not follow from a stored
        snapshot; to reset a restored game, pass a seed.
        """
        self._round()
        return ReplayedSnapshot(
            game_type=self.game_type,
            players=tuple(self._players),
            config=self._config.model_dump(mode="json"),
            order=tuple(self._order),
            actions=tuple(self._actions),
        ).model_dump(mode="json")

    @classmethod
    def deserialize(cls, data: Mapping[str, Any]) -> Self:
        """Restore a game by replaying its decisions; raises `InvalidSnapshot`."""
        try:
            snapshot = ReplayedSnapshot.model_validate(data)
        except ValidationError as error:
            faults = error.errors(include_url=False, include_input=False)
            paths = ", ".join(sorted({".".join(map(str, fault["loc"])) for fault in faults}))
            raise InvalidSnapshot(f"the snapshot has faults at: {paths}") from None
        try:
            return cls._replay(snapshot)
        except InvalidSnapshot:
            raise
        except GameError as error:
            raise InvalidSnapshot(f"the snapshot is no possible game: {error}") from None

    @classmethod
    def _replay(cls, snapshot: ReplayedSnapshot) -> Self:
        players = tuple(ArenaPlayer(player_id) for player_id in snapshot.players)
        game = cls(ArenaConfig(players, game_config=snapshot.config))
        if snapshot.game_type != game.game_type:
            raise InvalidSnapshot(f"game_type: this is no snapshot of {game.game_type}")
        if sorted(snapshot.order) != list(range(game._deck_size())):
            raise InvalidSnapshot("order: it does not hold every card once")
        game._begin(list(snapshot.order))
        for action in snapshot.actions:
            game.step(action)
        return game

    @abstractmethod
    def _deck_size(self) -> int:
        """Return the number of cards to shuffle; the order contains the numbers below it."""

    @abstractmethod
    def _deal(self, order: list[int]) -> RoundT:
        """Return the round dealt from an order."""

    @abstractmethod
    def _perform(self, answer: Json) -> list[Json]:
        """Apply a legal answer and return its events."""

    def _round(self) -> RoundT:
        """Return the dealt round; raises `NotDealt`."""
        return self._dealt if self._dealt is not None else _not_dealt()

    def _index(self, player_id: str) -> int:
        """Return the index of a player; raises `UnknownPlayer`."""
        if player_id not in self._players:
            raise UnknownPlayer("no player of this game has this id")
        return self._players.index(player_id)

    def _begin(self, order: list[int]) -> None:
        self._dealt = self._deal(order)
        self._order = order
        self._actions = []

    def _checked(self, players: int, settings: Mapping[str, Any]) -> Any:
        """Return the settings, validated by this game's model (`ConfigT`)."""
        return self.config_model.for_players(players, settings)


def _not_dealt() -> NoReturn:
    raise NotDealt("nothing has been dealt yet: reset(seed) deals")
