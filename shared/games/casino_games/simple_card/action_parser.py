"""A card to play, read out of text."""

from casino_games.action_parser import JsonActionParser


class SimpleCardActionParser(JsonActionParser):
    """Reads `{"action_type": "PLAY_CARD", "card": 7}`, which the shared parser knows."""
