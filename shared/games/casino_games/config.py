"""Base class of the games' settings, and their faults as text without the faulty values."""

from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from casino_games.errors import InvalidConfig

MOST_CHIPS = 2**53 - 1
"""Maximum sum of all chips of a game; larger integers are not safe in JSON."""
Chips = Annotated[int, Field(strict=True, gt=0, le=MOST_CHIPS)]
"""A whole number of the table's smallest unit, at least one."""


def faults_in(error: ValidationError, whole: str) -> str:
    """Return each fault as `path: description`; `whole` names the value itself."""
    return "; ".join(f"{path or whole}: {description}" for path, description in _faults(error))


def paths_in(error: ValidationError) -> str:
    """Return the paths of the faults, sorted, each once."""
    return ", ".join(sorted({path for path, _description in _faults(error)}))


def _faults(error: ValidationError) -> list[tuple[str, str]]:
    faults = error.errors(include_url=False, include_context=False, include_input=False)
    return [(".".join(map(str, fault["loc"])), fault["msg"]) for fault in faults]


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
