"""Parser of the actions of Kuhn poker."""

from casino_games.action_parser import JsonActionParser


class KuhnActionParser(JsonActionParser):
    """Reads actions such as `{"action_type": "BET"}`, as the base class does."""
