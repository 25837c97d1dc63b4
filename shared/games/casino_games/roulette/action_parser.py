"""Parser of the actions of roulette."""

from casino_games.action_parser import JsonActionParser


class RouletteActionParser(JsonActionParser):
    """Reads `{"action_type": "PLACE_BET", "bet": "red", "amount": 5}`."""
