"""A decision of Leduc hold'em read out of text."""

from casino_games.action_parser import JsonActionParser


class LeducActionParser(JsonActionParser):
    """Reads `{"action_type": "RAISE"}` and the like, which the shared parser knows."""
