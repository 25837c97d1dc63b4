"""The encodings of this casino's games by their types, and environments that use them.

Imports PettingZoo and Gymnasium only when an environment is made.
"""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, Final

from casino_agentkit.installation import installation_hint
from casino_games import InvalidConfig, UnknownGame, config_class, game_class
from casino_games.game import Json
from casino_games.simple_card import SimpleCardConfig

from casino_match.gym.encoding import Encoding, Part, Values, clockwise, flag
from casino_match.gym.game_encodings import (
    BlackjackEncoding,
    HoldemEncoding,
    KuhnEncoding,
    LeducEncoding,
    RouletteEncoding,
)

_SIZES: Final = {"texas-holdem": "pots", "blackjack": "bet_parts", "roulette": "bet_parts"}


class SimpleCardEncoding(Encoding):
    """Players are clockwise from oneself; an action is the number of a card, less 1."""

    def __init__(self, config: SimpleCardConfig) -> None:
        players, cards = len(config.stacks), config.max_card_value
        self._players = players
        self._cards = cards
        self._tricks = config.cards_per_player
        self.unit = config.stake
        self.actions = tuple(f"play-{card}" for card in range(1, cards + 1))
        self.parts = (
            Part("hand", cards, "how many of each card from 1 up are in the own hand", players),
            Part("on_table", players * cards, "1 at the card of this trick, by player"),
            Part(
                "played",
                players * cards,
                "how many of each card were played in tricks that are over, by player",
                players,
            ),
            Part("points", players, "points / tricks, by player"),
            Part("cards_left", players, "cards left / tricks, by player"),
            Part("to_act", players, "1 at the player that decides"),
        )

    def encode(self, public: Json, private: Json, player_id: str) -> Mapping[str, Values]:
        players = clockwise(public["players"], player_id)
        ids = [player["player_id"] for player in players]
        acting = public["current_player"]
        return {
            "hand": self._counts(private["hand"]),
            "on_table": self._by_player(ids, public["on_table"]),
            "played": self._by_player(
                ids, [play for trick in public["tricks"] for play in trick["cards"]]
            ),
            "points": [player["points"] / self._tricks for player in players],
            "cards_left": [player["cards_left"] / self._tricks for player in players],
            "to_act": flag(self._players, ids.index(acting) if acting else None),
        }

    def answers(self, offered: Sequence[Json], public: Json, player_id: str) -> dict[int, Json]:
        del public, player_id
        return {offer["card"] - 1: offer for offer in offered}

    def _by_player(self, ids: Sequence[str], plays: Sequence[Json]) -> list[float]:
        return [
            count
            for player_id in ids
            for count in self._counts(
                [play["card"] for play in plays if play["player_id"] == player_id]
            )
        ]

    def _counts(self, cards: Sequence[int]) -> list[float]:
        return [float(cards.count(card)) for card in range(1, self._cards + 1)]


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


def encoding_of(
    game_type: str,
    players: int | None = None,
    config: Mapping[str, Any] | None = None,
    sizes: Sequence[float] | None = None,
) -> Encoding:
    """Return a built-in game's encoding; raises `UnknownGame`, `InvalidConfig`."""
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


def env(
    game_type: str,
    *,
    players: int | None = None,
    config: Mapping[str, Any] | None = None,
    sizes: Sequence[float] | None = None,
    normalised: bool = False,
    rotates: bool = True,
    render_mode: str | None = None,
    encoding: Encoding | None = None,
) -> Any:
    """Return a PettingZoo AEC environment of a game, whose agents are `player_0`, `player_1`, ….

    `players` is the game's minimum by default; `config` are its settings, with stacks by seat.
    `sizes` are the bets that are actions: for Hold'em fractions of the pot, at a bank parts of the
    range. Rewards are chips at the end of a hand; `normalised` divides them by the big blind, the
    ante, the stake or the smallest bet. `rotates` moves everybody to the next seat from hand to
    hand. `render_mode` is `"ansi"` or None. `encoding` is for games of others.

    Raises `ImportError` without the extra, `UnknownGame`, `InvalidConfig`.
    """
    try:
        module = import_module("casino_match.gym.environment")
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in {"gymnasium", "pettingzoo"}:
            raise
        message = f"{error.name} is not installed: {installation_hint('gym')}"
        raise ImportError(message, name=error.name) from error
    if render_mode not in {None, "ansi"}:
        raise ValueError(f'render_mode: "ansi" or None, not {render_mode!r:.40}')
    count = game_class(game_type).min_players if players is None else players
    return module.OrderEnforcingWrapper(
        module.CasinoEnv(
            game_type,
            count,
            config or {},
            encoding or encoding_of(game_type, count, config, sizes),
            normalised=normalised,
            rotates=rotates,
            render_mode=render_mode,
        )
    )
