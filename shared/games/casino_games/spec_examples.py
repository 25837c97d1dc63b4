"""Record the examples of a specification by playing hands, and validate them.

The actions follow from the example's seed, so that each build gives the same document.
"""

import json
from typing import Any

from pydantic import TypeAdapter, ValidationError

from casino_games.chance import Chance
from casino_games.errors import InconsistentSpecification
from casino_games.faults import faults_in
from casino_games.game import ArenaConfig, ArenaPlayer, Game, Json
from casino_games.registry import create_game
from casino_games.spec_schemas import adapters
from casino_games.specification import GameSpecification, result_of, state_of

_PLAY_TAG = b"a2a-casino/example/v1"
_MAX_TURNS = 200
"""Maximum length of an example, so that it stays readable; a longer one needs another seed."""


def record(spec: GameSpecification) -> list[Json]:
    """Return the examples, played; raises `InconsistentSpecification` if a model does not match."""
    return [_play(spec, seed) for seed in spec.example_seeds]


def answer_to(offered: Json, chance: Chance) -> Json:
    """Return an action for an offer, with an amount in the lower half of its range."""
    if "min" not in offered:
        return dict(offered)
    least, most = offered["min"], offered["max"]
    amount = least + chance.below((most - least) // 2 + 1)
    rest = {key: value for key, value in offered.items() if key not in ("min", "max")}
    return {**rest, "amount": amount}


def _play(spec: GameSpecification, seed: str) -> Json:
    players = tuple(ArenaPlayer(player_id) for player_id in spec.example_players)
    game = create_game(spec.game_type, ArenaConfig(players, game_config=spec.example_config))
    game.reset(seed)
    chance = Chance(seed, _PLAY_TAG)
    check = _Check(spec)
    turns: list[Json] = []
    while not game.is_over():
        window = [_turn(game, player_id, chance, check) for player_id in game.get_pending_players()]
        turns += window
        if len(turns) > _MAX_TURNS:
            raise InconsistentSpecification(f"{spec.game_type}: the example {seed!r} has no end")
        for turn in window:
            game.step(dict(turn["action"]))
    result = result_of(game)
    check("result", result)
    return {
        "config": dict(spec.example_config),
        "players": list(spec.example_players),
        "turns": turns,
        "result": result,
    }


def _turn(game: Game, player_id: str, chance: Chance, check: "_Check") -> Json:
    state = state_of(game, player_id)
    offered = game.get_actions_of(player_id)
    action = answer_to(offered[chance.below(len(offered))], chance)
    check("state", state)
    check("action", action)
    return {"player": player_id, "state": state, "availableActions": offered, "action": action}


class _Check:
    """Validates a game's data, as JSON, against the models of its specification."""

    def __init__(self, spec: GameSpecification) -> None:
        self._game_type = spec.game_type
        self._adapters: dict[str, TypeAdapter[Any]] = adapters(spec)

    def __call__(self, part: str, value: Json) -> None:
        try:
            self._adapters[part].validate_json(json.dumps(value))
        except ValidationError as error:
            raise InconsistentSpecification(
                f"{self._game_type}: the game's {part} does not match its model:"
                f" {faults_in(error, part)}"
            ) from None
