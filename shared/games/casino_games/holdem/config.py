"""Settings of one hand of Hold'em (`ArenaConfig.game_config`)."""

from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from casino_games.errors import InvalidConfig

MOST_CHIPS = 2**53 - 1
"""Maximum sum of all chips of a hand; larger integers are not safe in JSON."""
DEFAULT_STACK = 100
"""Default stack, in big blinds."""

Chips = Annotated[int, Field(strict=True, le=MOST_CHIPS)]
Positive = Annotated[Chips, Field(gt=0)]
NotNegative = Annotated[Chips, Field(ge=0)]


class HoldemConfig(BaseModel):
    """Blinds, ante, stacks and button; every amount is a whole number of chips.

    `stacks` are in player order; the default is 100 big blinds each. `button` is the index of the
    player on the button. `ante` is paid by every player before the blinds; it goes to the pot and
    does not count as a bet.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    small_blind: Positive = 50
    big_blind: Positive = 100
    ante: NotNegative = 0
    stacks: tuple[Positive, ...] = ()
    button: NotNegative = 0

    @model_validator(mode="after")
    def _agree(self) -> Self:
        if self.small_blind > self.big_blind:
            raise ValueError("small_blind is larger than big_blind")
        if sum(self.stacks) > MOST_CHIPS:
            raise ValueError(f"stacks hold more than {MOST_CHIPS} chips together")
        return self

    @classmethod
    def for_players(cls, players: int, settings: Mapping[str, Any]) -> Self:
        """Return the validated settings with a stack for each player.

        Raises `InvalidConfig` with the path of each fault.
        """
        try:
            config = cls.model_validate(dict(settings))
            if not config.stacks:
                stacks = (DEFAULT_STACK * config.big_blind,) * players
                config = cls.model_validate(config.model_dump() | {"stacks": stacks})
        except ValidationError as error:
            faults = "; ".join(
                f"{'.'.join(map(str, fault['loc'])) or 'config'}: {fault['msg']}"
                for fault in error.errors(include_url=False, include_input=False)
            )
            raise InvalidConfig(faults) from None
        if len(config.stacks) != players:
            raise InvalidConfig(f"stacks: {len(config.stacks)} for {players} players")
        if config.button >= players:
            raise InvalidConfig(f"button: {config.button} is not the index of one of {players}")
        return config
