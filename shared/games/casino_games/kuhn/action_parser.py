"""A decision of Kuhn poker read out of text."""

from casino_games.action_parser import JsonActionParser


class KuhnActionParser(JsonActionParser):
    """Reads `{"action_type": "BET"}` and the like, which the shared parser knows."""
