"""The contract between a table and any game: what to ask, and what an answer may do.

The methods and their behaviour are those of the game-interface document. A `Game` plays **one
hand**; stacks, button and seats are carried from hand to hand by the table, and come in through
the `ArenaConfig`. The loop of a table::

    game = create_game("texas-holdem", config)
    game.reset(seed)
    while not game.is_over():
        player = game.get_current_player()
        ...  # show it get_public_state(), get_private_state(player), get_available_actions()
        result, over = game.step(action)

In a window of a phase-based game several players decide at once: `get_pending_players` names them
and `get_actions_of` what each may do; a table asks them together and steps their answers in that
order.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Self, TypeAlias

from casino_games import offers
from casino_games.errors import IllegalAction, InvalidConfig

Json: TypeAlias = dict[str, Any]
"""An object that `json.dumps` takes as it is: text keys, lists, no tuples, no floats."""
GameModel: TypeAlias = Literal["turn_based", "phase_based"]
"""One player decides after the other, or several decide in the same window."""

HOUSE = "house"
"""The id under which a bank's chips stand in the scores; no player may have it."""


@dataclass(frozen=True, slots=True)
class ArenaPlayer:
    """One participant; `id` is not empty, because `""` means "nobody" in the contract."""

    id: str


@dataclass(frozen=True, slots=True)
class ArenaConfig:
    """Who plays, from which seed, and the game's own settings.

    `players` are in seat order, clockwise. `seed` is what `reset()` uses when it is given
    none; it stays out of the repr, because whoever knows it knows the cards. `max_turns` is for
    whoever runs the game; the rules do not look at it, nor at `game_type`.
    """

    players: tuple[ArenaPlayer, ...]
    seed: str | int | None = field(default=None, repr=False)
    game_config: Mapping[str, Any] = field(default_factory=dict)
    game_type: str = ""
    max_turns: int = 1000

    def __post_init__(self) -> None:
        """Refuse players that could not be told apart (`InvalidConfig`)."""
        ids = [player.id for player in self.players]
        if not all(ids):
            raise InvalidConfig("players: every player needs an id that is not empty")
        if HOUSE in ids:
            raise InvalidConfig(f"players: the id {HOUSE!r} is the bank's")
        if len(set(ids)) < len(ids):
            raise InvalidConfig("players: two players have the same id")
        if self.max_turns < 1:
            raise InvalidConfig("max_turns: a game has at least one turn")


class Game(ABC):
    """One hand (or round) of a game, synchronous and deterministic.

    What a method returns belongs to the caller: changing it never changes the game.
    Before the first `reset` every question about the hand raises `NotDealt`.
    """

    min_players: ClassVar[int]
    """Fewer than this many players cannot play."""
    max_players: ClassVar[int]
    """More than this many players cannot play."""
    game_model: ClassVar[GameModel] = "turn_based"
    """Whether more than one player can be pending at once."""
    timeout_action: ClassVar[str] = ""
    """The `action_type` for whoever does not answer, where it is available."""

    @classmethod
    def chips_needed(cls, game_config: Mapping[str, Any]) -> int:
        """Return the stack that a seat needs to be dealt in, at least 1.

        It is the most that a player can lose without a further decision of its own.
        `InvalidConfig` for settings with which nobody can play.
        """
        del game_config
        return 1

    @property
    @abstractmethod
    def game_type(self) -> str:
        """The identifier in the registry, such as `"texas-holdem"`."""

    @abstractmethod
    def reset(self, seed: int | str | None = None) -> None:
        """Start over from the configuration; the same seed gives the same hand.

        `None` means the seed of the `ArenaConfig`; `ValueError` when that has none either.
        An integer stands for its decimal digits.
        """

    def opening_events(self) -> list[Json]:
        """Tell what `reset` itself made happen, in the form of `step`'s events."""
        return []

    @abstractmethod
    def get_current_player(self) -> str:
        """Return the id of the player who decides, `""` when the game is over."""

    @abstractmethod
    def get_current_role(self) -> str:
        """Return the role of the player who decides, `""` when the game is over."""

    def get_pending_players(self) -> list[str]:
        """Return who decides now, at once: the current player first, `[]` when it is over.

        Their answers are stepped in this order.
        """
        current = self.get_current_player()
        return [current] if current else []

    def get_state(self) -> Json:
        """Return everything at once: **private data**, it holds every player's secrets.

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

    @abstractmethod
    def get_public_state(self) -> Json:
        """Return what everybody may know."""

    @abstractmethod
    def get_private_state(self, player_id: str) -> Json:
        """Return what only this player may know; `UnknownPlayer` for anybody else."""

    @abstractmethod
    def get_available_actions(self) -> list[Json]:
        """Return exactly the legal actions of the current player, `[]` when the game is over.

        Each has an `action_type`. One with a range (`{"action_type": "raise", "min": 200,
        "max": 900}`) is answered with an `amount` inside it; every other key is repeated as it
        is. `offers.match` holds an answer against them.
        """

    def get_actions_of(self, player_id: str) -> list[Json]:
        """Return what one pending player may do, `[]` for everybody else."""
        return self.get_available_actions() if player_id == self.get_current_player() else []

    def default_action(self, player_id: str) -> Json:
        """Return the legal action for a pending player who does not answer.

        It is the game's `timeout_action` where that is available, else the first available
        action, with the least amount. `IllegalAction` for a player who has nothing to decide.
        """
        available = self.get_actions_of(player_id)
        if not available:
            raise IllegalAction("this player has nothing to decide now")
        safe = [offer for offer in available if offer["action_type"] == self.timeout_action]
        return offers.least_of((safe or available)[0])

    @abstractmethod
    def step(self, action: Json) -> tuple[Json, bool]:
        """Execute an action of the current player.

        Returns `({"events": […]}, game_over)`, the events in the order in which they happened
        and with nothing in them that the public may not see. Keys of `action` that the game
        does not know are ignored. Raises `IllegalAction`, and then nothing has changed.
        """

    @abstractmethod
    def is_over(self) -> bool:
        """Tell whether the game has ended."""

    @abstractmethod
    def get_winner(self) -> str | None:
        """Return the winner's id, `None` when it is shared or still open."""

    @abstractmethod
    def get_scores(self) -> dict[str, int]:
        """Return the chips that every player has won or lost in this game so far.

        When it is over they sum to 0, together with the id `house` where a bank plays.
        """

    def get_players(self) -> list[str]:
        """Return the ids of all players, in the order they were given."""
        return []

    def get_teams(self) -> dict[str, list[str]] | None:
        """Return the players of each team, or `None` where everybody plays alone."""
        return None

    @abstractmethod
    def serialize(self) -> Json:
        """Return a snapshot from which `deserialize` restores an equal game.

        **Private data**: it holds every secret of the hand.
        """

    @classmethod
    @abstractmethod
    def deserialize(cls, data: Mapping[str, Any]) -> Self:
        """Restore a game from a snapshot, or raise `InvalidSnapshot`."""
