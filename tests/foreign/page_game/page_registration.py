"""The registration of section 6 of the page, as `CASINO_TABLE_GAMES` imports it."""

from casino_games import GAME_REGISTRY

GAME_REGISTRY["pig"] = {
    "game_module": "games.pig",
    "game_class": "games.pig.game.PigGame",
    "game_factory": "games.pig.create_game",
    "state_adapter_class": "games.pig.state_adapter.PigStateAdapter",
    "action_parser_class": "games.pig.action_parser.PigActionParser",
    "config_class": "games.pig.config.PigConfig",
}
