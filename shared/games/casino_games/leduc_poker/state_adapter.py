"""Prompts of a hand of Leduc hold'em."""

from typing import ClassVar

from casino_games.fixed_limit import FixedLimitStateAdapter


class LeducStateAdapter(FixedLimitStateAdapter):
    """Adds the name and the rules."""

    name: ClassVar[str] = "Leduc hold'em"
    rules: ClassVar[str] = (
        "The deck is two jacks, two queens and two kings. You and your opponent paid an ante and "
        "have one card each. After a betting round a public card is dealt, and a second betting "
        "round follows. Bets and raises have a fixed size, two of them in a round at most. A pair "
        "with the public card wins, else the higher rank; equal ranks share the pot."
    )
    action_types: ClassVar[tuple[str, ...]] = ("CHECK", "BET", "CALL", "RAISE", "FOLD")
