"""Parser of the actions of blackjack."""

from casino_games.action_parser import JsonActionParser


class BlackjackActionParser(JsonActionParser):
    """Reads `{"action_type": "BET", "amount": 10}` and `{"action_type": "HIT"}`."""
