"""Games with one fault each, and what is said of it."""

import random
import sys
import time
from typing import Any

from games.hosting.pile_game import Json, PileGame


def faulty(name: str, **members: Any) -> type[PileGame]:
    return type(name, (PileGame,), members)


def endless_state(_game: PileGame) -> Json:
    state: Json = {}
    state["state"] = state
    return state


def raising_step(_game: PileGame, _action: Json) -> Any:
    raise KeyError("the ace of spades")


def refusing_step(_game: PileGame, _action: Json) -> Any:
    raise ValueError("illegal action")


def dealt_from_the_clock(game: PileGame, _seed: Any) -> None:
    PileGame.reset(game, time.perf_counter_ns())
    game.left = random.Random(time.perf_counter_ns()).randrange(10, 10_000)


class EndlessLoop(PileGame):
    """It never returns."""

    def step(self, action: Json) -> tuple[Json, bool]:  # noqa: ARG002
        """Wait for nothing; a loop without a pause is in `tests/table/test_time_limit.py`."""
        while True:
            time.sleep(0.01)  # plays: a game that hangs


FAULTS: list[tuple[type[PileGame], str]] = [
    (faulty("NoWinner", get_winner=None), "get_winner: NoWinner must have get_winner"),
    (
        faulty("EmptyOffers", get_available_actions=lambda _: []),
        "get_available_actions: must not be empty until is_over",
    ),
    (
        faulty("NamelessOffers", get_available_actions=lambda _: [{"take": 1}]),
        "get_available_actions: each action needs an action_type",
    ),
    (
        faulty("SetState", get_public_state=lambda _: {"players": [{"cards": {1, 2}}]}),
        "get_public_state: must return JSON: a set is no JSON, at players.0.cards",
    ),
    (
        faulty("EndlessState", get_public_state=endless_state),
        "get_public_state: must return JSON: nested deeper than 32 levels, at state",
    ),
    (
        faulty("HugeState", get_private_state=lambda _, player_id: {player_id: "x" * 1_000_000}),
        "get_private_state: must return JSON: more than 65536 characters",
    ),
    (
        faulty("NobodysTurn", get_current_player=lambda _: "the bank"),
        "get_current_player: must return a player's id",
    ),
    (
        faulty("BareStep", step=lambda game, action: PileGame.step(game, action)[1]),
        "step: must return an object and whether the game is over",
    ),
    (faulty("RaisingStep", step=raising_step), "step: raises KeyError: 'the ace of spades'"),
    (faulty("RefusingStep", step=refusing_step), "step: raises ValueError: illegal action"),
    (faulty("ExitingStep", step=lambda *_: sys.exit(1)), "step: raises SystemExit: 1"),
    (
        faulty("UnsureEnd", is_over=lambda game: 0 if game.left else 1),
        "is_over: must return True or False",
    ),
    (
        faulty("TextScores", get_scores=lambda game: dict.fromkeys(game.players, "many")),
        "get_scores: must return a number for each player",
    ),
    (
        faulty("MissingScores", get_scores=lambda game: {game.players[0]: 1}),
        "get_scores: must return a number for each player",
    ),
    (
        faulty("UnknownWinner", get_winner=lambda _: "the bank"),
        "get_winner: must return a player's id or None",
    ),
    (
        faulty("GlobalChance", reset=dealt_from_the_clock),
        "reset: the same seed gives another game",
    ),
    (
        faulty("OtherName", game_type=property(lambda _: "chess")),
        "game_type: is 'chess', but registered as",
    ),
]
