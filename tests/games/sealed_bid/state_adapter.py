"""A round of sealed bid in words."""

from collections.abc import Sequence
from typing import ClassVar

from casino_games import JsonStateAdapter
from casino_games.game import Json


class SealedBidStateAdapter(JsonStateAdapter):
    """Tells a player its card."""

    name: ClassVar[str] = "sealed bid"
    rules: ClassVar[str] = (
        "Everybody has a secret card and bids once. The highest bidder gets the value of its card "
        "from each of the others, and pays its bid to each of them."
    )
    action_types: ClassVar[tuple[str, ...]] = ("PASS", "BID")
    parameters: ClassVar[Json] = {"amount": {"type": "integer", "minimum": 1}}

    def describe(self, public_state: Json, private_state: Json) -> Sequence[str]:
        return [
            f"Your card: {private_state['card']} of 1 to {public_state['highest_card']}",
            f"Players: {', '.join(public_state['players'])}",
        ]
