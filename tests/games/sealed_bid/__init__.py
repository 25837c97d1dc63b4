"""Sealed bid: everybody has a secret card and bids once, all at the same time."""

from casino_games import ArenaConfig
from games.sealed_bid.game import SealedBidGame


def create_game(arena_config: ArenaConfig) -> SealedBidGame:
    """Return a game that waits for its `reset`, or raise `InvalidConfig`."""
    return SealedBidGame(arena_config)
