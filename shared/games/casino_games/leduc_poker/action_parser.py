"""Parser of the actions of Leduc hold'em."""

from casino_games.action_parser import JsonActionParser


class LeducActionParser(JsonActionParser):
    """Reads actions such as `{"action_type": "RAISE"}`, as the base class does."""
