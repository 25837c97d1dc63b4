"""Prompts of a hand of Kuhn poker."""

from typing import ClassVar

from casino_games.fixed_limit import FixedLimitStateAdapter


class KuhnStateAdapter(FixedLimitStateAdapter):
    """Adds the name and the rules."""

    name: ClassVar[str] = "Kuhn poker"
    rules: ClassVar[str] = (
        "The deck is one jack, one queen and one king. You and your opponent paid an ante and have "
        "one card each; the third is never seen. There is one bet of a fixed size: check or bet, "
        "and facing a bet call or fold. After a call, or two checks, the higher card wins the pot."
    )
    action_types: ClassVar[tuple[str, ...]] = ("CHECK", "BET", "CALL", "FOLD")
