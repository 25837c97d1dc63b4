"""The game my_game: everybody plays a card, and the highest wins the trick."""

from .config import MyGameConfig
from .game import MyGame


def create_game(arena_config):
    """Create a game from the casino's ArenaConfig."""
    players = [player.id for player in arena_config.players]
    config = MyGameConfig(**arena_config.game_config)
    return MyGame(players, arena_config.seed, config)
