"""What the settings of all games share: whole chips, stacks that fit, faults with their paths.

(Hold'em's settings are older and have a button; they stand in `holdem/config.py`.)
"""

from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from casino_games.errors import InvalidConfig

MOST_CHIPS = 2**53 - 1
"""All chips of a game together: integers beyond this are not safe in everybody's JSON."""

Chips = Annotated[int, Field(strict=True, gt=0, le=MOST_CHIPS)]
"""A whole number of the table's smallest unit, at least one."""


class GameConfig(BaseModel):
    """The settings of one game; a game adds its own.

    `stacks` follow the order of the players; none at all means enough for whatever can happen.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    stacks: tuple[Chips, ...] = ()

    def chips_needed(self) -> int:
        """Return the most that a player loses without a further decision of its own."""
        return 1

    def chips_enough(self, players: int) -> int:
        """Return the most that a player can lose at all."""
        raise NotImplementedError

    @classmethod
    def checked(cls, settings: Mapping[str, Any]) -> Self:
        """Return the settings, or raise `InvalidConfig` with the path of each fault."""
        try:
            return cls.model_validate(dict(settings))
        except ValidationError as error:
            faults = "; ".join(
                f"{'.'.join(map(str, fault['loc'])) or 'config'}: {fault['msg']}"
                for fault in error.errors(include_url=False, include_input=False)
            )
            raise InvalidConfig(faults) from None

    @classmethod
    def for_players(cls, players: int, settings: Mapping[str, Any]) -> Self:
        """Return the checked settings for a number of players, stacks filled in."""
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
