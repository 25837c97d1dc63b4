"""Default rules of the rooms that the console opens."""

from collections.abc import Mapping
from decimal import Decimal

from casino_contracts import TableConfig

_MIN_BUY_IN_BIG_BLINDS = 20
_MAX_BUY_IN_STACKS = 2
_AMOUNTS = {"starting_stack", "small_blind", "big_blind", "ante"}


def room_config(*, hands: int, seats: int, seed: str | None, **chosen: object) -> TableConfig:
    """Return a room's rules: by default a stack of 100 big blinds, with automatic rebuys.

    `chosen` are other fields of TableConfig. Raises ValidationError.
    """
    session = {"max_hands": hands, "max_seats": seats, "seed": seed}
    return rules_over(_DEFAULTS, {**session, **chosen})


def rules_over(defaults: TableConfig, chosen: Mapping[str, object]) -> TableConfig:
    """Return rules with the chosen fields of TableConfig in place of the defaults.

    With another stack or other blinds, the buy-in ranges from 20 big blinds (or the stack, where
    that is less) to two stacks, unless it is chosen too. Raises ValidationError.
    """
    values = {**defaults.model_dump(by_alias=False), **chosen}
    if chosen.keys() & _AMOUNTS:
        values |= {**_buy_in(values["starting_stack"], values["big_blind"]), **chosen}
    return TableConfig.model_validate(values)


def _buy_in(stack: float, big_blind: float) -> dict[str, float]:
    return {
        "min_buy_in": min(float(_MIN_BUY_IN_BIG_BLINDS * Decimal(str(big_blind))), stack),
        "max_buy_in": float(_MAX_BUY_IN_STACKS * Decimal(str(stack))),
    }


_DEFAULTS = TableConfig(
    starting_stack=200,
    small_blind=1,
    big_blind=2,
    min_buy_in=40,
    max_buy_in=400,
    max_hands=100,
    max_seats=6,
    rebuy="auto",
)
