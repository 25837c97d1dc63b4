"""Parser of the actions of simple card."""

from casino_games.action_parser import JsonActionParser


class SimpleCardActionParser(JsonActionParser):
    """Reads `{"action_type": "PLAY_CARD", "card": 7}`, as the base class does."""
