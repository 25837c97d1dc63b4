"""Prompts of a game of simple card."""

from collections.abc import Sequence
from typing import ClassVar

from casino_games.game import Json
from casino_games.state_adapter import JsonStateAdapter


class SimpleCardStateAdapter(JsonStateAdapter):
    """Describes the hand, the table and the points."""

    name: ClassVar[str] = "simple card"
    rules: ClassVar[str] = (
        "In each trick everybody plays one card of its hand, in turn. The highest card takes a "
        "point, equal highest cards take none. Each point is paid by each of the others."
    )
    action_types: ClassVar[tuple[str, ...]] = ("PLAY_CARD",)
    parameters: ClassVar[Json] = {"card": {"type": "integer", "minimum": 1}}

    def describe(self, public_state: Json, private_state: Json) -> Sequence[str]:
        on_table = [f"{entry['player_id']} {entry['card']}" for entry in public_state["on_table"]]
        hand = ", ".join(map(str, private_state["hand"]))
        return [
            f"Your cards: {hand or 'none left'}",
            f"The highest card there is: {public_state['max_card_value']}",
            f"On the table: {', '.join(on_table) or 'nothing, you lead'}",
            f"A point is worth {public_state['stake']} from each of the others.",
            "Players:",
            *(
                "- {player_id}: {points} points, {cards_left} cards".format(**player)
                for player in public_state["players"]
            ),
        ]
