"""Default rules of the rooms that the console opens."""

from decimal import Decimal

from casino_contracts import TableConfig

_MIN_BUY_IN_BIG_BLINDS = 20
_MAX_BUY_IN_STACKS = 2


def room_config(
    *,
    hands: int,
    seats: int,
    seed: str | None,
    stack: float = 200,
    small_blind: float = 1,
    big_blind: float = 2,
    **more: object,
) -> TableConfig:
    """Return a room's rules: by default a stack of 100 big blinds, with automatic rebuys.

    The buy-in ranges from 20 big blinds to two stacks. `more` are other fields of TableConfig.
    Raises ValidationError.
    """
    min_buy_in = min(float(_MIN_BUY_IN_BIG_BLINDS * Decimal(str(big_blind))), stack)
    values = {
        "starting_stack": stack,
        "small_blind": small_blind,
        "big_blind": big_blind,
        "min_buy_in": min_buy_in,
        "max_buy_in": float(_MAX_BUY_IN_STACKS * Decimal(str(stack))),
        "max_hands": hands,
        "max_seats": seats,
        "rebuy": "auto",
        "seed": seed,
    }
    return TableConfig.model_validate(values | more)
