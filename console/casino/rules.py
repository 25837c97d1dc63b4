"""The rules of the rooms that the console opens."""

from casino_contracts import TableConfig


def house_rules(*, hands: int, seats: int, seed: str | None) -> TableConfig:
    """Return a room's rules: a hundred big blinds, and again whenever they are gone."""
    return TableConfig(
        starting_stack=200,
        small_blind=1,
        big_blind=2,
        min_buy_in=40,
        max_buy_in=400,
        max_hands=hands,
        max_seats=seats,
        rebuy="auto",
        seed=seed,
    )
