"""A module of the document's section 6: it registers a game with six dotted paths."""

from casino_games import GAME_REGISTRY

print("a module may print")  # noqa: T201  and does, now and then

GAME_REGISTRY["imported_pile"] = {
    "game_module": "games.hosting.pile_game",
    "game_class": "games.hosting.pile_game.PileGame",
    "game_factory": "games.hosting.pile_game.create_game",
    "state_adapter_class": "games.hosting.pile_game.PileStateAdapter",
    "action_parser_class": "games.hosting.pile_game.PileActionParser",
    "config_class": "games.hosting.pile_game.PileConfig",
}
