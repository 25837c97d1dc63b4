"""Blackjack: up to seven players against the bank."""

from casino_games.blackjack.config import BlackjackConfig
from casino_games.blackjack.game import BlackjackGame
from casino_games.blackjack.round import Round

__all__ = ["BlackjackConfig", "BlackjackGame", "Round", "create_game"]

create_game = BlackjackGame
