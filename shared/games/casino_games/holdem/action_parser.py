"""A hold'em decision read out of text: the words of the wire, which the shared parser knows."""

from casino_games.action_parser import JsonActionParser


class HoldemActionParser(JsonActionParser):
    """Reads `{"action_type": "raise", "amount": 300}`, and `{"action": "raise", …}` too."""
