"""What a level's room is ordered with. Pure."""

from typing import Any

from casino_contracts.player_messages import LONGEST_CLOCK_MS
from casino_games.hosting.traits import chips_needed, traits_of

from casino_evaluator.domain.levels import ExaminedGame

Json = dict[str, Any]
SEATS_OF_A_ROOM = 2
_NEVER_SITS_OUT = 1_000_000
"""A seat that came back from sitting out would come at another time in every attempt."""


def has_opponent(game: ExaminedGame) -> bool:
    """Return whether an opponent plays; else the candidate plays against the bank alone."""
    return traits_of(game.game_type).min_players > 1


def least_stack(game: ExaminedGame) -> int:
    """Return the smallest stack that is dealt in."""
    return chips_needed(game.game_type, {})


def room_order(
    game: ExaminedGame, level: int, seed: str, room_id: str, *, action_timeout_ms: int
) -> Json:
    """Return the order of a level's room (`createRoom`).

    An odd half of the hands is the number of decks: each is played from both positions.
    """
    hands = game.levels[level - 1].hands
    pairs = hands // 2
    config = {
        "startingStack": game.starting_stack,
        "smallBlind": game.small_blind,
        "bigBlind": game.big_blind,
        "minBuyIn": game.starting_stack,
        "maxBuyIn": game.starting_stack,
        "maxHands": hands,
        "maxSeats": SEATS_OF_A_ROOM,
        "actionTimeoutMs": action_timeout_ms,
        "maxActionTimeoutMs": LONGEST_CLOCK_MS,
        "maxTimeouts": _NEVER_SITS_OUT,
        "rebuy": "none",
        "seed": seed,
    }
    if has_opponent(game) and hands == 2 * pairs and pairs % 2:
        config["decks"] = pairs
    return {"roomId": room_id, "gameType": game.game_type, "config": config, "seats": "invited"}
