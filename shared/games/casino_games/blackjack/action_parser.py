"""A blackjack decision read out of text, by what all games share."""

from casino_games.action_parser import JsonActionParser


class BlackjackActionParser(JsonActionParser):
    """Reads `{"action_type": "BET", "amount": 10}` and `{"action_type": "HIT"}`."""
