"""A bet at roulette read out of text, by what all games share."""

from casino_games.action_parser import JsonActionParser


class RouletteActionParser(JsonActionParser):
    """Reads `{"action_type": "PLACE_BET", "bet": "red", "amount": 5}`."""
