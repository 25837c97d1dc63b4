"""The same game with its specification, as a table needs it."""

from casino_games import GameEntry
from games import installed_game

REGISTRATION: GameEntry = {
    **installed_game.REGISTRATION,
    "specification": "games.sealed_bid_spec.SPECIFICATION",
}
