"""Moments of real games, built as the evaluator builds them: public state and own private state."""

import random
from collections.abc import Iterator
from typing import Any

from casino_evaluator.domain.evaluation_session import LevelStanding, Moment
from casino_games import ArenaConfig, ArenaPlayer, Game, create_game, game_class, offers
from casino_games.specification import result_of, state_of

Json = dict[str, Any]
CANDIDATE = "candidate"
OPPONENT = "opponent"

EXAMINED: dict[str, Json] = {
    "kuhn_poker": {"stacks": [20, 20]},
    "leduc_poker": {"stacks": [40, 40]},
    "texas-holdem": {"small_blind": 1, "big_blind": 2, "stacks": [200, 200], "button": 0},
    "simple_card": {"stacks": [20, 20]},
    "blackjack": {"min_bet": 2, "max_bet": 20, "stacks": [100]},
}
"""The games that are examined, each with settings of a hand."""
OTHERS: dict[str, Json] = {"roulette": {"min_bet": 1, "max_bet": 50, "stacks": [100]}}
"""Games that an operator may examine, with the layout of any game."""


def dealt(game_type: str, seed: str, *, first: bool = True) -> Game:
    """Return a hand of the candidate, who sits first or second, and where there is one a rival."""
    settings = (EXAMINED | OTHERS)[game_type]
    ids = [CANDIDATE, OPPONENT][: len(settings["stacks"])]
    assert len(ids) >= game_class(game_type).min_players
    seats = tuple(ArenaPlayer(player_id) for player_id in (ids if first else reversed(ids)))
    game = create_game(game_type, ArenaConfig(seats, seed, settings, game_type))
    game.reset()
    return game


def moment_of(game: Game) -> Moment:
    """Return what the candidate may see now."""
    return Moment(
        game_type=game.game_type,
        hand_number=3,
        player_id=CANDIDATE,
        opponent_id=OPPONENT,
        state=state_of(game, CANDIDATE),
        standing=LevelStanding(
            level=1, hands=10, hands_played=2, target=240, stack=210, opponent_stack=190
        ),
        offers=tuple(game.get_actions_of(CANDIDATE)),
        result=result_of(game) if game.is_over() else None,
    )


def answer_by_chance(available: list[Json], dice: random.Random) -> Json:
    """Return a legal answer, with small amounts more often, and what ends a hand less often."""
    ending = {"fold", "all-in", "pass"}
    weights = [1 if offer["action_type"].lower() in ending else 5 for offer in available]
    (offer,) = dice.choices(available, weights)
    answer = offers.least_of(offer)
    if offers.has_range(offer):
        answer["amount"] += int((offer["max"] - offer["min"]) * dice.random() ** 4)
    return answer


def positions(game: Game, dice: random.Random) -> Iterator[Game]:
    """Play to the end by chance; yield the game before each decision, and over."""
    while not game.is_over():
        yield game
        game.step(answer_by_chance(game.get_available_actions(), dice))
    yield game


def moments(game_type: str, deals: int) -> Iterator[Moment]:
    """Return all moments of some deals, the candidate first in one and second in the next."""
    for number in range(deals):
        seed = f"frames {number}"
        game = dealt(game_type, seed, first=number % 2 == 0)
        yield from map(moment_of, positions(game, random.Random(seed)))
