"""Hands of Hold'em as one of their players sees them: its questions, and the notice of the end."""

import json
from typing import Any

from casino_contracts import GameActionRequest, HandNotice
from casino_games import ArenaConfig, ArenaPlayer
from casino_games.holdem import HoldemGame
from casino_games.specification import result_of, state_of


def deal(stacks: dict[str, int], seed: str = "one", **config: Any) -> HoldemGame:
    """Return a dealt hand at 1/2; the last of `stacks` has the button."""
    settings = {"stacks": [*stacks.values()], "button": len(stacks) - 1}
    settings |= {"small_blind": 1, "big_blind": 2, **config}
    game = HoldemGame(ArenaConfig(tuple(map(ArenaPlayer, stacks)), game_config=settings))
    game.reset(seed)
    return game


def play(game: HoldemGame, decisions: str) -> None:
    """Play decisions such as "raise 6, fold"."""
    for words in decisions.split(", "):
        kind, *amount = words.split()
        game.step({"action_type": kind, **({"amount": int(amount[0])} if amount else {})})


def question(game: HoldemGame, table: str = "t1", **changes: Any) -> GameActionRequest:
    """Return what a table asks the one whose turn it is; over the wire, as JSON."""
    player = game.get_current_player()
    asked = {
        "tableId": table,
        "gameType": "texas-holdem",
        "specVersion": "1.1.0",
        "requestId": "t1/1:1:1",
        "playerId": player,
        "state": state_of(game, player),
        "availableActions": game.get_available_actions(),
        "deadlineMs": 9000,
        **changes,
    }
    return GameActionRequest.model_validate_json(json.dumps(asked))


def notice(game: HoldemGame, player: str, number: int = 1, **changes: Any) -> HandNotice:
    told = {
        "tableId": "t1",
        "gameType": "texas-holdem",
        "specVersion": "1.1.0",
        "playerId": player,
        "handId": f"t1/{number}",
        "handNumber": number,
        "kind": "completed",
        "result": result_of(game),
        **changes,
    }
    return HandNotice.model_validate_json(json.dumps(told))
