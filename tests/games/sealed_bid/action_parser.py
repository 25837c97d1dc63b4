"""A bid read out of text."""

from casino_games import JsonActionParser


class SealedBidActionParser(JsonActionParser):
    """Reads `{"action_type": "BID", "amount": 3}`, which the shared parser knows."""
