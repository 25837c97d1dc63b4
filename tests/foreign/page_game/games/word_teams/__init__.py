from games.word_teams.config import WordTeamsConfig
from games.word_teams.game import WordTeamsGame


def create_game(arena_config):
    """Create a game instance from an ArenaConfig."""
    seats = {}
    for number, p in enumerate(arena_config.players):
        team = p.team or ("red", "blue")[number % 2]
        role = p.role if p.team else ("spymaster", "operative")[number // 2 % 2]
        seats.setdefault(team, {})[role] = p.id
    config = WordTeamsConfig(**(arena_config.game_config or {}))
    return WordTeamsGame(seats, arena_config.seed, config)


__all__ = ["WordTeamsConfig", "WordTeamsGame", "create_game"]
