"""What games against a bank have in common: limits, stacks, scores, and how a hand is kept.

A bank game is made of its settings, of what chance has in store (drawn at ``reset``, told piece
by piece) and of the decisions; the rest follows.
"""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, NoReturn, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from casino_games import offers
from casino_games.errors import GameError, InvalidConfig, InvalidSnapshot, NotDealt
from casino_games.game import HOUSE, ArenaConfig, ArenaPlayer, Game, Json

MOST_CHIPS = 2**53 - 1
"""All chips of a hand together: integers beyond this are not safe in everybody's JSON."""
MOST_BET = 10**9
"""Far from MOST_CHIPS, whatever a bank has to pay for it."""
DEFAULT_STACK = 10
"""In highest bets, for whoever gives no stacks."""

_Bet = Annotated[int, Field(strict=True, gt=0, le=MOST_BET)]
_Stack = Annotated[int, Field(strict=True, gt=0, le=MOST_CHIPS)]


class BankConfig(BaseModel):
    """The limits of a bet and the stacks, in whole chips; ``stacks`` follow the players' order.

    No stacks at all means ten highest bets for everybody.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    min_bet: _Bet = 2
    max_bet: _Bet = 100
    stacks: tuple[_Stack, ...] = ()

    @model_validator(mode="after")
    def _agree(self) -> Self:
        if self.min_bet > self.max_bet:
            raise ValueError("min_bet is larger than max_bet")
        if sum(self.stacks) > MOST_CHIPS:
            raise ValueError(f"stacks hold more than {MOST_CHIPS} chips together")
        return self

    @classmethod
    def checked(cls, settings: Mapping[str, Any]) -> Self:
        """Return the settings, or raise ``InvalidConfig`` with the path of each fault."""
        try:
            return cls.model_validate(dict(settings))
        except ValidationError as error:
            faults = "; ".join(
                f"{'.'.join(map(str, fault['loc'])) or 'config'}: {fault['msg']}"
                for fault in error.errors(include_url=False, include_input=False)
            )
            raise InvalidConfig(faults) from None

    def for_players(self, players: int) -> Self:
        """Return the settings with stacks filled in; ``InvalidConfig`` where they do not fit."""
        stacks = self.stacks or (DEFAULT_STACK * self.max_bet,) * players
        if len(stacks) != players:
            raise InvalidConfig(f"stacks: {len(stacks)} for {players} players")
        if min(stacks) < self.min_bet:
            raise InvalidConfig(f"stacks: everybody needs the {self.min_bet} of the smallest bet")
        return self.model_copy(update={"stacks": stacks})


class _Snapshot(BaseModel):
    """What a hand is made of.  Errors and repr keep to themselves what chance has in store."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True, strict=True)

    game_type: str
    players: list[str]
    config: dict[str, Any]
    chance: Annotated[list[int], Field(repr=False)]
    actions: list[dict[str, Any]]


class BankGame(Game):
    """One hand against the bank.  Scores are chips won or lost, the bank's under ``house``."""

    config_model: ClassVar[type[BankConfig]]

    def __init__(self, arena_config: ArenaConfig) -> None:
        """Check the configuration, or raise ``InvalidConfig``; ``reset`` deals."""
        players = [player.id for player in arena_config.players]
        if not self.min_players <= len(players) <= self.max_players:
            raise InvalidConfig(
                f"players: {self.min_players} to {self.max_players} can play, not {len(players)}"
            )
        self._players = players
        self._settings = self.config_model.checked(arena_config.game_config).for_players(
            len(players)
        )
        self._seed = arena_config.seed
        self._chance: list[int] = []
        self._actions: list[Json] = []

    @classmethod
    def chips_needed(cls, game_config: Mapping[str, Any]) -> int:
        """Return the smallest bet: with less there would be nothing to decide."""
        return cls.config_model.checked(game_config).min_bet

    @abstractmethod
    def _draw(self, seed: str) -> list[int]:
        """Return what chance has in store under a seed."""

    @abstractmethod
    def _begin(self, chance: list[int]) -> None:
        """Start the hand; ``InvalidSnapshot`` when chance could never have drawn this."""

    @abstractmethod
    def _take(self, answer: Json) -> list[Json]:
        """Carry out a legal answer of the current player and return what happened."""

    @abstractmethod
    def _won(self) -> list[int]:
        """Return what each player won or lost, in their order; zeros before the end."""

    def reset(self, seed: int | str | None = None) -> None:
        """Begin the hand that belongs to the seed."""
        if seed is None:
            seed = self._seed
        if seed is None:
            raise GameError("a hand needs a seed, from reset or from the ArenaConfig")
        if isinstance(seed, bool) or not isinstance(seed, int | str):
            raise GameError("a seed is a text or an integer")
        self._start(self._draw(str(seed)))

    def get_current_role(self) -> str:
        """Return ``"player"``, ``""`` when the hand is over."""
        return "" if self.is_over() else "player"

    def step(self, action: Json) -> tuple[Json, bool]:
        """Let the current player do what was offered; the events tell what followed."""
        answer = offers.match(action, self.get_available_actions())
        happened = self._take(answer)
        self._actions.append(answer)
        if self.is_over():
            happened.append({"event": "hand_over", "scores": self.get_scores()})
        return {"events": happened}, self.is_over()

    def get_winner(self) -> str | None:
        """Return the player who alone won most from the bank; ``None`` when nobody did."""
        won = self._won()
        most = max(won)
        return self._players[won.index(most)] if most > 0 and won.count(most) == 1 else None

    def get_scores(self) -> dict[str, int]:
        """Return what each player won or lost, and the bank the other way round."""
        won = self._won()
        return {**dict(zip(self._players, won, strict=True)), HOUSE: -sum(won)}

    def get_players(self) -> list[str]:
        """Return the ids of all players, in the order they were given."""
        return self._players.copy()

    def serialize(self) -> Json:
        """Return the hand: **private data**, it holds what nobody has seen.

        The seed of the ``ArenaConfig`` is not in it, so that a snapshot which is kept gives no
        later hand away; a restored game is reset with a seed of its own.
        """
        if not self._chance:
            not_dealt()
        return {
            "game_type": self.game_type,
            "players": self._players.copy(),
            "config": self._settings.model_dump(mode="json"),
            "chance": self._chance.copy(),
            "actions": [answer.copy() for answer in self._actions],
        }

    @classmethod
    def deserialize(cls, data: Mapping[str, Any]) -> Self:
        """Restore a game by playing its decisions again, or raise ``InvalidSnapshot``."""
        try:
            snapshot = _Snapshot.model_validate(dict(data))
        except ValidationError as error:
            faults = error.errors(include_url=False, include_input=False)
            paths = ", ".join(sorted({".".join(map(str, fault["loc"])) for fault in faults}))
            raise InvalidSnapshot(f"the snapshot has faults at: {paths}") from None
        players = tuple(map(ArenaPlayer, snapshot.players))
        try:
            game = cls(ArenaConfig(players, game_config=snapshot.config))
            game._start(snapshot.chance)
            for action in snapshot.actions:
                game.step(action)
        except InvalidSnapshot:
            raise
        except GameError as error:
            raise InvalidSnapshot(f"the snapshot tells no possible hand: {error}") from None
        if snapshot.game_type != game.game_type:
            raise InvalidSnapshot(f"the snapshot is not one of {game.game_type}")
        return game

    def _start(self, chance: list[int]) -> None:
        self._begin(chance)
        self._chance = chance.copy()
        self._actions = []


def not_dealt() -> NoReturn:
    """Refuse a question about a hand that has not begun."""
    raise NotDealt("no hand has begun yet: reset(seed) begins one")
