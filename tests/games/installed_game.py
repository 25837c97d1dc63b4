"""What the module behind an entry point `casino.games` looks like."""

from casino_games import GameEntry

REGISTRATION: GameEntry = {
    "game_module": "games.sealed_bid",
    "game_class": "games.sealed_bid.game.SealedBidGame",
    "game_factory": "games.sealed_bid.create_game",
    "state_adapter_class": "games.sealed_bid.state_adapter.SealedBidStateAdapter",
    "action_parser_class": "games.sealed_bid.action_parser.SealedBidActionParser",
    "config_class": "games.sealed_bid.config.SealedBidConfig",
    "specification": "",
}
