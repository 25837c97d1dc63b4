"""Play the beginning of a third party's game with every limit, before it is played for real.

What cannot be played is found when a table is configured, and the message has the cause: nothing
in a rehearsal is secret.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from casino_games import offers
from casino_games.errors import GameFault
from casino_games.game import ArenaConfig, ArenaPlayer, Game, Json
from casino_games.hosting.checked_game import Call, CheckedGame, at_once, hosted_game
from casino_games.hosting.game_properties import traits_of
from casino_games.shuffle import Chance
from casino_games.spec_document import answer_to
from casino_games.specification import result_for_points, result_of, state_of

MOST_TURNS = 60
"""A rehearsal that takes longer is left off."""
_SEED = "rehearsal"
_TAG = b"a2a-casino/rehearsal/v1"
_TEXT_SHOWN = 200
_WIDE = 2**32
"""A wider range is answered with its least amount."""


class Rehearsal(NamedTuple):
    """What was seen: each turn, and the result if the game ended."""

    players: list[str]
    turns: list[Json]
    result: Json | None


def rehearse(
    game_type: str,
    game_config: Mapping[str, Any],
    players: int,
    call: Call = at_once,
    seats: Sequence[ArenaPlayer] = (),
) -> Rehearsal:
    """Return a rehearsal, played twice, since journals replay hands; raises `GameError`."""
    others = [ArenaPlayer(f"player-{number}") for number in range(len(seats) + 1, players + 1)]
    config = ArenaConfig((*seats[:players], *others), _SEED, game_config, game_type)
    try:
        first, second = (_played(config, call) for _ in range(2))
    except GameFault as fault:
        cause = fault.__cause__
        if cause is None or isinstance(cause, TimeoutError) or not str(cause):
            raise
        raise GameFault(f"{fault}: {str(cause)[:_TEXT_SHOWN]}") from cause
    if first != second:
        raise GameFault(
            "reset: the same seed gives another game; take all chance from the seed, and iterate"
            " over no set"
        )
    return first


def first_rehearsal(
    game_type: str,
    game_config: Mapping[str, Any],
    numbers: Sequence[int],
    call: Call = at_once,
    seats: Sequence[ArenaPlayer] = (),
) -> Rehearsal:
    """Return the rehearsal of the first number that can play; raises as `rehearse`."""
    for number in numbers[:-1]:
        try:
            return rehearse(game_type, game_config, number, call, seats)
        except GameFault:
            continue
    return rehearse(game_type, game_config, numbers[-1], call, seats)


def _played(config: ArenaConfig, call: Call) -> Rehearsal:
    game = hosted_game(config.game_type, config, call)
    _check_name(game)
    game.reset(_SEED)
    game.opening_events()
    chance = Chance(_SEED, _TAG)
    turns: list[Json] = []
    while not game.is_over() and len(turns) < MOST_TURNS:
        game.get_current_role()
        window = [_turn(game, player_id, chance) for player_id in game.get_pending_players()]
        for turn in window:
            game.step(dict(turn["action"]))
        turns += window
        game.get_scores()
        game.get_winner()
    for player_id in game.get_players():
        state_of(game, player_id)
    return Rehearsal(game.get_players(), turns, _result(game) if game.is_over() else None)


def _turn(game: Game, player_id: str, chance: Chance) -> Json:
    offered = game.get_actions_of(player_id)
    game.default_action(player_id)
    return {
        "player": player_id,
        "state": state_of(game, player_id),
        "availableActions": offered,
        "action": _answer(offered[chance.below(len(offered))], chance),
    }


def _answer(offer: Json, chance: Chance) -> Json:
    is_wide = offers.has_range(offer) and offer["max"] - offer["min"] > _WIDE
    return offers.least_of(offer) if is_wide else answer_to(offer, chance)


def _check_name(game: Game) -> None:
    """Refuse a game that calls itself by another name than it is registered by."""
    own = game.own_game_type() if isinstance(game, CheckedGame) else game.game_type
    if own != game.game_type:
        raise GameFault(f"game_type: is {own!r:.80}, but registered as {game.game_type!r:.80}")


def _result(game: Game) -> Json:
    if not traits_of(game.game_type).plays_for_chips:
        return result_for_points(game)
    scores = game.get_scores()
    if sum(scores.values()) != 0:
        raise GameFault(
            "get_scores: chips must add up to 0 at the end; for a game of points take `stacks`"
            " out of its settings"
        )
    return result_of(game)
