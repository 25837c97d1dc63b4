"""Base class of games that one order of cards determines: players, seeds and snapshots.

A snapshot holds the settings, the order of the cards and the decisions. Restoring it replays the
decisions, so that the state is always consistent.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Generic, NoReturn, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from casino_games.errors import GameError, InvalidConfig, InvalidSnapshot, NotDealt, UnknownPlayer
from casino_games.game import ArenaConfig, ArenaPlayer, Game, GameConfig, Json, paths_in

ConfigT = TypeVar("ConfigT", bound=GameConfig)
RoundT = TypeVar("RoundT")


class Snapshot(BaseModel):
    """Snapshot of a game: **private data**; the order is hidden from errors and repr."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", hide_input_in_errors=True, serialize_by_alias=True
    )

    game_type: str
    players: tuple[str, ...]
    config: dict[str, Any]
    order: tuple[int, ...] = Field(repr=False)
    actions: tuple[dict[str, Any], ...]

    @classmethod
    def checked(cls, data: Mapping[str, Any]) -> Self:
        """Return the validated snapshot; raises `InvalidSnapshot` with the path of each fault."""
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            raise InvalidSnapshot(f"the snapshot has faults at: {paths_in(error)}") from None


class DealtGame(Game, Generic[ConfigT, RoundT]):
    """A game whose state is a `RoundT`, dealt from an order of cards."""

    config_model: ClassVar[type[GameConfig]]
    snapshot_model: ClassVar[type[Snapshot]] = Snapshot

    def __init__(self, arena_config: ArenaConfig) -> None:
        players = [player.id for player in arena_config.players]
        if not self.min_players <= len(players) <= self.max_players:
            raise InvalidConfig(
                f"players: {self.min_players} to {self.max_players} can play, not {len(players)}"
            )
        self._players = players
        self._config: ConfigT = self._checked(len(players), arena_config.game_config)
        self._seed = arena_config.seed
        self._order: list[int] = []
        self._dealt: RoundT | None = None

    @classmethod
    def chips_needed(cls, game_config: Mapping[str, Any]) -> int:
        return cls.config_model.checked(game_config).chips_needed()

    @classmethod
    def deck_plan(cls, game_config: Mapping[str, Any], seats: int) -> tuple[int, tuple[int, ...]]:
        """Return how many numbers a committed deck has, and how many cards each of its leaves.

        A leaf is dealt and opened together: player n has leaf n, the last leaves are the board.
        Without leaves the deck is dealt from the front, and no card of it is secret at the end.
        0 numbers, the default: a seed deals. Raises `InvalidConfig`.

        A deck fits fewer players too, if theirs has as many numbers and not more leaves.
        """
        del game_config, seats
        return 0, ()

    def reset(self, seed: int | str | None = None) -> None:
        if seed is None:
            seed = self._seed
        if seed is None:
            raise GameError("a game needs a seed, from reset or from the ArenaConfig")
        if isinstance(seed, int) and not isinstance(seed, bool):
            seed = str(seed)
        elif not isinstance(seed, str):
            raise GameError("a seed is a text or an integer")
        self._begin(self._shuffled(seed))

    def deal(self, leaves: Sequence[Sequence[int]], rest: Sequence[int]) -> None:
        """Begin a hand from the cards of the leaves of `deck_plan`, and those of none, in order.

        Raises `GameError` if they are not each card that the game can use, once.
        """
        order = self._order_of(leaves, rest)
        if not self._can_deal(order):
            raise_not_a_deck()
        self._begin(order)

    def opened_leaves(self, leaves: int) -> tuple[int, ...]:
        """Return which of so many leaves are public, in ascending order."""
        del leaves
        self._round()
        return ()

    def get_current_role(self) -> str:
        return "player" if self.get_current_player() else ""

    def is_over(self) -> bool:
        return not self.get_current_player()

    def get_winner(self) -> str | None:
        scores = self.get_scores()
        most = max(scores.values())
        winners = [player_id for player_id, score in scores.items() if score == most]
        return winners[0] if self.is_over() and len(winners) == 1 else None

    def get_players(self) -> list[str]:
        return self._players.copy()

    def serialize(self) -> Json:
        """Return **private data**, every card, but no seed: a restored game's reset needs one."""
        self._round()
        return self.snapshot_model.model_construct(
            game_type=self.game_type,
            players=tuple(self._players),
            config=self._config.model_dump(mode="json"),
            order=tuple(self._order),
            actions=tuple(self._decisions()),
        ).model_dump(mode="json")

    @classmethod
    def deserialize(cls, data: Mapping[str, Any]) -> Self:
        """Restore a game by replaying its decisions; raises `InvalidSnapshot`."""
        snapshot = cls.snapshot_model.checked(data)
        try:
            return cls._replay(snapshot)
        except InvalidSnapshot:
            raise
        except GameError as error:
            raise InvalidSnapshot(f"the snapshot is no possible game: {error}") from None

    @classmethod
    def _replay(cls, snapshot: Snapshot) -> Self:
        players = tuple(ArenaPlayer(player_id) for player_id in snapshot.players)
        game = cls(ArenaConfig(players, game_config=snapshot.config))
        if snapshot.game_type != game.game_type:
            raise InvalidSnapshot(f"game_type: this is no snapshot of {game.game_type}")
        if not game._can_deal(snapshot.order):
            raise InvalidSnapshot("order: it does not hold every card once")
        game._begin(list(snapshot.order))
        for action in snapshot.actions:
            game.step(action)
        if tuple(game._decisions()) != snapshot.actions:
            raise InvalidSnapshot("actions: they hold more than the decisions")
        return game

    @abstractmethod
    def _shuffled(self, seed: str) -> list[int]:
        """Return the order of the cards of a seed."""

    def _order_of(self, leaves: Sequence[Sequence[int]], rest: Sequence[int]) -> list[int]:
        """Return the order that deals each leaf to its owner; raises `GameError`."""
        return [*rest] if not leaves else raise_not_a_deck()

    @abstractmethod
    def _can_deal(self, order: Sequence[int]) -> bool:
        """Return whether an order holds each card that a round can use, once."""

    @abstractmethod
    def _deal(self, order: list[int]) -> RoundT:
        """Return the round dealt from an order."""

    @abstractmethod
    def _decisions(self) -> list[Json]:
        """Return the decisions since the deal, in the format of `step`."""

    def _begin(self, order: list[int]) -> None:
        self._dealt = self._deal(order)
        self._order = order

    def _round(self) -> RoundT:
        """Return the dealt round; raises `NotDealt`."""
        return self._dealt if self._dealt is not None else raise_not_dealt()

    def _index(self, player_id: str) -> int:
        if player_id not in self._players:
            raise_unknown_player()
        return self._players.index(player_id)

    def _checked(self, players: int, settings: Mapping[str, Any]) -> Any:
        return self.config_model.for_players(players, settings)


def raise_not_dealt() -> NoReturn:
    raise NotDealt("nothing has been dealt yet: reset(seed) deals")


def raise_not_a_deck() -> NoReturn:
    raise GameError("a deal has the leaves of deck_plan, and each card of the deck once")


def raise_unknown_player() -> NoReturn:
    raise UnknownPlayer("no player of this game has this id")
