"""The encodings of this casino's games."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from casino_games import InvalidConfig, UnknownGame, config_class, game_class

from casino_match.gym.blackjack import BlackjackEncoding
from casino_match.gym.encoding import Encoding
from casino_match.gym.fixed_limit import KuhnEncoding, LeducEncoding
from casino_match.gym.holdem import HoldemEncoding
from casino_match.gym.roulette import RouletteEncoding
from casino_match.gym.simple_card import SimpleCardEncoding

ENCODINGS: Final[Mapping[str, Callable[..., Encoding]]] = {
    "blackjack": BlackjackEncoding,
    "kuhn_poker": KuhnEncoding,
    "leduc_poker": LeducEncoding,
    "roulette": RouletteEncoding,
    "simple_card": SimpleCardEncoding,
    "texas-holdem": HoldemEncoding,
}
"""Encodings by game type; each takes the game's settings, and the sizes of its bets if it has any.
"""
_SIZES: Final = {"texas-holdem": "pots", "blackjack": "bet_parts", "roulette": "bet_parts"}


def encoding_of(
    game_type: str,
    players: int | None = None,
    config: Mapping[str, Any] | None = None,
    sizes: Sequence[float] | None = None,
) -> Encoding:
    """Return the encoding of a game for so many players; the default is the game's minimum.

    Raises `UnknownGame`, also for a game of others, which has no encoding here, and `InvalidConfig`
    for settings or bet sizes that the game cannot have.
    """
    rules = game_class(game_type)
    make = ENCODINGS.get(game_type)
    if make is None:
        raise UnknownGame(
            f"{game_type} is a game of others: pass encoding=, an Encoding of its states"
        )
    count = rules.min_players if players is None else players
    model: Any = config_class(game_type)
    settings = model.for_players(count, config or {})
    if sizes is None:
        return make(settings)
    name = _SIZES.get(game_type)
    if name is None:
        raise InvalidConfig(f"sizes: {game_type} has no bets of a free size")
    if not sizes or min(sizes) < 0 or (name == "bet_parts" and max(sizes) > 1):
        limit = "parts of the range from 0 to 1" if name == "bet_parts" else "parts of the pot"
        raise InvalidConfig(f"sizes: they are {limit}, and there is at least a single size")
    return make(settings, **{name: tuple(sizes)})
