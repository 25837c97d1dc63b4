"""Prompts of a spin of roulette."""

from collections.abc import Sequence
from typing import Any, ClassVar

from casino_games.game import Json
from casino_games.roulette.game import COVERED
from casino_games.state_adapter import JsonStateAdapter


class RouletteStateAdapter(JsonStateAdapter):
    """Describes limits, stacks and, after the spin, the pocket."""

    name: ClassVar[str] = "European roulette"
    rules: ClassVar[str] = (
        "red, black, odd, even, low and high pay 1:1, dozens and columns 2:1, one number 35:1; "
        "there is one zero. You place one bet, or pass."
    )
    action_types: ClassVar[tuple[str, ...]] = ("PASS", "PLACE_BET")
    parameters: ClassVar[dict[str, Any]] = {
        "bet": {"enum": list(COVERED)},
        "amount": {"type": "integer", "minimum": 1},
    }

    def describe(self, public_state: Json, private_state: Json) -> Sequence[str]:
        bet = private_state["bet"]
        return [
            f"Phase: {public_state['phase']}",
            f"Bets: {public_state['min_bet']} to {public_state['max_bet']}",
            *(["Your bet: {amount} on {bet}".format(**bet)] if bet else []),
            *(
                ["The ball fell on {pocket}, {color}".format(**public_state)]
                if public_state["phase"] == "over"
                else []
            ),
            "Players:",
            *(
                "- {player_id}: stack {stack}".format(**player)
                for player in public_state["players"]
            ),
        ]
