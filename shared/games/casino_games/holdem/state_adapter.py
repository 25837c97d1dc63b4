"""Prompts of a hand of Hold'em."""

from collections.abc import Sequence
from typing import ClassVar

from casino_games.game import Json
from casino_games.state_adapter import JsonStateAdapter


class HoldemStateAdapter(JsonStateAdapter):
    """Describes cards, pot, stacks and the actions so far."""

    name: ClassVar[str] = "no-limit Texas Hold'em"
    rules: ClassVar[str] = (
        "The best five of your two cards and the five on the board win the pot. "
        "An amount is the total you will have in for this betting round."
    )
    action_types: ClassVar[tuple[str, ...]] = ("fold", "check", "call", "bet", "raise", "all-in")
    parameters: ClassVar[Json] = {"amount": {"type": "integer", "minimum": 1}}

    def describe(self, public_state: Json, private_state: Json) -> Sequence[str]:
        return [
            f"Betting round: {public_state['betting_round']}",
            f"Your cards: {' '.join(private_state['hole_cards'])}",
            f"Board: {' '.join(public_state['community_cards']) or 'no cards yet'}",
            f"Pot: {public_state['pot']}, to match in this round: {public_state['current_bet']}",
            f"Blinds: {public_state['small_blind']} and {public_state['big_blind']}",
            f"Ante: {public_state['ante']}, button: {public_state['button']}",
            f"You are: {public_state['current_player'] or 'waiting'}",
            "Players:",
            *(
                "- {player_id}: stack {stack}, in for {bet}, {status}".format(**player)
                for player in public_state["players"]
            ),
            *(["So far:"] if public_state["history"] else []),
            *(_past(entry) for entry in public_state["history"]),
        ]


def _past(entry: Json) -> str:
    amount = "" if entry["amount"] is None else f" to {entry['amount']}"
    return f"- {entry['betting_round']}: {entry['player_id']} {entry['action']}{amount}"
