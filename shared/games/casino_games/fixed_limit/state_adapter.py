"""Prompts of a fixed-limit hand."""

from collections.abc import Sequence

from casino_games.game import Json
from casino_games.state_adapter import JsonStateAdapter


class FixedLimitStateAdapter(JsonStateAdapter):
    """Describes cards, chips and the actions so far; subclasses add name and rules."""

    def describe(self, public_state: Json, private_state: Json) -> Sequence[str]:
        """Return the state of the hand for its player, in short lines."""
        public_card = public_state["public_card"]
        players = ("{player_id}: stack {stack}, paid {paid}, {status}",)
        return [
            f"Your card: {private_state['card']}",
            *([f"Public card: {public_card}"] if public_card else []),
            f"Betting round: {public_state['betting_round']}",
            f"Pot: {public_state['pot']}, to call: {public_state['to_call']}",
            f"To decide: {public_state['current_player'] or 'nobody, the hand is over'}",
            "Players:",
            *("- " + players[0].format(**player) for player in public_state["players"]),
            *(["So far:"] if public_state["history"] else []),
            *("- {player_id}: {action}".format(**entry) for entry in public_state["history"]),
        ]
