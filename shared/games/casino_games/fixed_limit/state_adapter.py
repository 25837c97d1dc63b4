"""A fixed-limit hand in words."""

from collections.abc import Sequence

from casino_games.game import Json
from casino_games.state_adapter import JsonStateAdapter


class FixedLimitStateAdapter(JsonStateAdapter):
    """Tells the cards, the chips and what was done so far; a game adds its name and rules."""

    def describe(self, public_state: Json, private_state: Json) -> Sequence[str]:
        """Return the hand as its player sees it."""
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
