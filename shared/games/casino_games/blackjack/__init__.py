"""Blackjack: up to seven players against the bank."""

from casino_games.blackjack.config import BlackjackConfig
from casino_games.blackjack.game import BlackjackGame
from casino_games.blackjack.round import Round
from casino_games.game import ArenaConfig

__all__ = ["BlackjackConfig", "BlackjackGame", "Round", "create_game"]


def create_game(arena_config: ArenaConfig) -> BlackjackGame:
    return BlackjackGame(arena_config)
