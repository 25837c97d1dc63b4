"""The rules of the rooms that the console opens."""

from decimal import Decimal

from casino_contracts import TableConfig

_LEAST_BIG_BLINDS = 20
_MOST_STACKS = 2


def house_rules(
    *,
    hands: int,
    seats: int,
    seed: str | None,
    stack: float = 200,
    small_blind: float = 1,
    big_blind: float = 2,
    **more: object,
) -> TableConfig:
    """Return a room's rules: a hundred big blinds, and again whenever they are gone.

    Players may sit down with 20 big blinds to two stacks. `more` are other fields of TableConfig.
    Raises ValidationError.
    """
    least = min(float(_LEAST_BIG_BLINDS * Decimal(str(big_blind))), stack)
    given = {
        "starting_stack": stack,
        "small_blind": small_blind,
        "big_blind": big_blind,
        "min_buy_in": least,
        "max_buy_in": float(_MOST_STACKS * Decimal(str(stack))),
        "max_hands": hands,
        "max_seats": seats,
        "rebuy": "auto",
        "seed": seed,
    }
    return TableConfig.model_validate(given | more)
