"""Interface of a game engine: `Game`, its configuration, and the base class of its settings.

The methods and their behaviour are those of the game-interface document. A `Game` plays **one
hand**; the table carries stacks, button and seats from hand to hand and passes them in the
`ArenaConfig`. The loop of a table:

```
game = create_game("texas-holdem", config)
game.reset(seed)
while not game.is_over():
    player = game.get_current_player()
    ...  # send get_public_state(), get_private_state(player), get_available_actions()
    result, over = game.step(action)
```

In a phase-based game several players decide at once: `get_pending_players` returns them and
`get_actions_of` the actions of each. The table asks them concurrently and steps their answers in
that order.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal, Self, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from casino_games import offers
from casino_games.errors import GameError, IllegalAction, InvalidConfig, InvalidSnapshot

Json: TypeAlias = dict[str, Any]
"""A JSON object with string keys and lists, without tuples and floats."""
GameModel: TypeAlias = Literal["turn_based", "phase_based"]
"""Players decide one after the other, or several at once."""

MOST_SEATS = 10
MOST_CHIPS = 2**53 - 1
"""Maximum sum of all chips of a game; larger integers are not safe in JSON."""
Chips = Annotated[int, Field(strict=True, gt=0, le=MOST_CHIPS)]
"""A whole number of the table's smallest unit, at least one."""

HOUSE = "house"
"""The bank's id in the scores; no player may have it."""


@dataclass(frozen=True, slots=True)
class ArenaPlayer:
    """One participant; `id` is not empty, because `""` means "nobody" in this interface.

    `team`, `role` and `type` are what the room says about the player.
    """

    id: str
    team: str | None = None
    role: str = "player"
    type: str = "agent"


@dataclass(frozen=True, slots=True)
class ArenaConfig:
    """Players, seed and settings of a game.

    `players` are in seat order, clockwise. `seed` is the default of `reset()`; it is not in the
    repr, because the cards follow from it. `max_turns` and `game_type` are for the caller, the
    rules do not use them.
    """

    players: tuple[ArenaPlayer, ...]
    seed: str | int | None = field(default=None, repr=False)
    game_config: Mapping[str, Any] = field(default_factory=dict)
    game_type: str = ""
    max_turns: int = 1000

    def __post_init__(self) -> None:
        """Check the players' ids and `max_turns`; raises `InvalidConfig`."""
        ids = [player.id for player in self.players]
        if not all(ids):
            raise InvalidConfig("players: every player needs an id that is not empty")
        if HOUSE in ids:
            raise InvalidConfig(f"players: the id {HOUSE!r} is the bank's")
        if len(set(ids)) < len(ids):
            raise InvalidConfig("players: two players have the same id")
        if self.max_turns < 1:
            raise InvalidConfig("max_turns: a game has at least one turn")


class GameConfig(BaseModel):
    """Settings of a game, extended by each game.

    `stacks` are in player order; the default is enough for the maximum loss.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    stacks: tuple[Chips, ...] = ()

    def chips_needed(self) -> int:
        """Return the maximum loss of a player that makes no decision."""
        return 1

    def chips_enough(self, players: int) -> int:
        """Return the maximum loss of a player."""
        raise NotImplementedError

    @classmethod
    def checked(cls, settings: Mapping[str, Any]) -> Self:
        """Return the validated settings; raises `InvalidConfig` with the path of each fault."""
        try:
            return cls.model_validate(dict(settings))
        except ValidationError as error:
            raise InvalidConfig(faults_in(error, "config")) from None

    @classmethod
    def for_players(cls, players: int, settings: Mapping[str, Any]) -> Self:
        """Return the validated settings with a stack for each player; raises `InvalidConfig`."""
        config = cls.checked(settings)
        if not config.stacks:
            stacks = (config.chips_enough(players),) * players
            config = config.model_copy(update={"stacks": stacks})
        if len(config.stacks) != players:
            raise InvalidConfig(f"stacks: {len(config.stacks)} for {players} players")
        if sum(config.stacks) > MOST_CHIPS:
            raise InvalidConfig(f"stacks: more than {MOST_CHIPS} chips together")
        needed = config.chips_needed()
        for index, stack in enumerate(config.stacks):
            if stack < needed:
                raise InvalidConfig(f"stacks.{index}: {stack} chips, and a seat needs {needed}")
        return config


class Game(ABC):
    """One hand (or round) of a game, synchronous and deterministic.

    Returned values are copies: changing them does not change the game.
    Before the first `reset` all methods about the hand raise `NotDealt`.
    """

    min_players: ClassVar[int] = 2
    max_players: ClassVar[int] = MOST_SEATS
    game_model: ClassVar[GameModel] = "turn_based"
    """Whether more than one player can be pending at once."""
    timeout_action: ClassVar[str] = ""
    """The `action_type` on a timeout, if it is available."""

    @classmethod
    def chips_needed(cls, game_config: Mapping[str, Any]) -> int:
        """Return the minimum stack to be dealt in, at least 1.

        It is the maximum loss of a player that makes no decision.
        Raises `InvalidConfig` for invalid settings.
        """
        del game_config
        return 1

    @property
    @abstractmethod
    def game_type(self) -> str:
        """The identifier in the registry, such as `"texas-holdem"`."""

    @abstractmethod
    def reset(self, seed: int | str | None = None) -> None:
        """Deal a new hand from the configuration; the same seed gives the same hand.

        `None` means the seed of the `ArenaConfig`. An integer stands for its decimal digits.
        Raises `ValueError` if there is no seed.
        """

    def opening_events(self) -> list[Json]:
        """Return the events of `reset`, in the form of `step`'s events."""
        return []

    @abstractmethod
    def get_current_player(self) -> str:
        """Return the id of the player to act, `""` when the game is over."""

    @abstractmethod
    def get_current_role(self) -> str:
        """Return the role of the player to act, `""` when the game is over."""

    def get_pending_players(self) -> list[str]:
        """Return the players that decide now, the current player first; `[]` when it is over.

        Their answers are stepped in this order.
        """
        current = self.get_current_player()
        return [current] if current else []

    def get_state(self) -> Json:
        """Return the whole state: **private data**, it holds every player's secrets.

        `{"public", "private_states": {player: …}, "metadata": {"game_type", "is_over",
        "current_player", "scores"}}`
        """
        return {
            "public": self.get_public_state(),
            "private_states": {
                player_id: self.get_private_state(player_id) for player_id in self.get_players()
            },
            "metadata": {
                "game_type": self.game_type,
                "is_over": self.is_over(),
                "current_player": self.get_current_player(),
                "scores": self.get_scores(),
            },
        }

    def get_public_words(self) -> list[str]:
        """Return the public state in sentences for spectators; `{id}` stands for a player's name.

        Without any, spectators see the fields of the state.
        """
        return []

    @abstractmethod
    def get_public_state(self) -> Json:
        """Return the state that everybody may see."""

    @abstractmethod
    def get_private_state(self, player_id: str) -> Json:
        """Return the state that only this player may see; raises `UnknownPlayer`."""

    @abstractmethod
    def get_available_actions(self) -> list[Json]:
        """Return exactly the legal actions of the current player, `[]` when the game is over.

        Each has an `action_type`. One with a range (`{"action_type": "raise", "min": 200,
        "max": 900}`) is answered with an `amount` inside it; every other key is repeated
        unchanged. `offers.match` validates an answer.
        """

    def get_actions_of(self, player_id: str) -> list[Json]:
        """Return the legal actions of a pending player, `[]` for others."""
        return self.get_available_actions() if player_id == self.get_current_player() else []

    def default_action(self, player_id: str) -> Json:
        """Return the action of a pending player on a timeout.

        It is the game's `timeout_action` if that is available, otherwise the first available
        action with its minimum amount. Raises `IllegalAction` for a player that is not pending.
        """
        available = self.get_actions_of(player_id)
        if not available:
            raise IllegalAction("this player has nothing to decide now")
        safe = [offer for offer in available if offer["action_type"] == self.timeout_action]
        return offers.least_of((safe or available)[0])

    @abstractmethod
    def step(self, action: Json) -> tuple[Json, bool]:
        """Execute an action of the current player.

        Returns `({"events": […]}, game_over)` with the events in order and only with public data;
        `events` may be left out.
        Unknown keys of `action` are ignored. Raises `IllegalAction` without changing anything.
        """

    @abstractmethod
    def is_over(self) -> bool:
        """Return whether the game has ended."""

    @abstractmethod
    def get_winner(self) -> str | None:
        """Return the winner's id, `None` for a tie or while the game runs."""

    @abstractmethod
    def get_scores(self) -> dict[str, int]:
        """Return the chips that each player has won or lost in this game so far.

        At the end they sum to 0, including the bank's under the id `house`, if there is one.
        """

    def get_players(self) -> list[str]:
        """Return the ids of all players, in the order of the configuration."""
        return []

    def get_teams(self) -> dict[str, list[str]] | None:
        """Return the players of each team, or `None` without teams."""
        return None

    def serialize(self) -> Json:
        """Return a snapshot from which `deserialize` restores an equal game; optional.

        **Private data**: it holds every secret of the hand. Raises `GameError` without one.
        """
        raise GameError("this game has no snapshots")

    @classmethod
    def deserialize(cls, data: Mapping[str, Any]) -> Self:
        """Restore a game from a snapshot; raises `InvalidSnapshot`. Optional, as `serialize`."""
        del data
        raise InvalidSnapshot("this game has no snapshots")


def faults_in(error: ValidationError, whole: str) -> str:
    """Return each fault as `path: description`; `whole` names the value itself."""
    return "; ".join(f"{path or whole}: {description}" for path, description in _faults(error))


def paths_in(error: ValidationError) -> str:
    """Return the paths of the faults, sorted, each once."""
    return ", ".join(sorted({path for path, _description in _faults(error)}))


def _faults(error: ValidationError) -> list[tuple[str, str]]:
    faults = error.errors(include_url=False, include_context=False, include_input=False)
    return [(".".join(map(str, fault["loc"])), fault["msg"]) for fault in faults]
