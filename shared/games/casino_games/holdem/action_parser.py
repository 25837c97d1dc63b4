"""Parser of the actions of Hold'em."""

from casino_games.action_parser import JsonActionParser


class HoldemActionParser(JsonActionParser):
    """Reads `{"action_type": "raise", "amount": 300}` and also `{"action": "raise", …}`."""
