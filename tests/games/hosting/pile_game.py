"""A game with the methods of the game-interface document alone, and no base class of ours.

Players take one to three counters of a pile; the points are the counters, the last one wins.
"""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import Any

from casino_games import GAME_REGISTRY, ArenaConfig, GameEntry
from pydantic import BaseModel, ConfigDict, Field

Json = dict[str, Any]
PILE = "pile"


class PileConfig(BaseModel):
    """The settings."""

    model_config = ConfigDict(extra="forbid")

    counters: int = Field(default=20, ge=4, le=100_000)


class Kind(StrEnum):
    """The only type of action, as an enum member."""

    TAKE = "TAKE"


class PileGame:
    """The rules."""

    game_type = PILE

    def __init__(self, players: list[str], seed: Any, counters: int) -> None:
        """Keep the arguments; `reset` deals."""
        self.players, self.seed, self.counters = players, seed, counters

    def reset(self, seed: Any) -> None:
        self.left = self.counters - random.Random(seed).randrange(4)
        self.taken = dict.fromkeys(self.players, 0)
        self.turn = 0
        self.last: str | None = None

    def get_current_player(self) -> str:
        return "" if self.is_over() else self.players[self.turn % len(self.players)]

    def get_current_role(self) -> str:
        return "player"

    def get_public_state(self) -> Json:
        """Return the pile; keys that are numbers, and a tuple."""
        return {"left": self.left, "order": tuple(self.players), "turns": {self.turn: "now"}}

    def get_private_state(self, player_id: str) -> Json:
        return {"taken": self.taken[player_id]}

    def get_available_actions(self) -> list[Json]:
        """Return the legal actions, with a tuple and an enum member in each."""
        most = min(3, self.left)
        return [{"action_type": Kind.TAKE, "counters": (count,)} for count in range(1, most + 1)]

    def step(self, action: Json) -> tuple[Json, bool]:
        """Take counters; the result is the game's own, without events."""
        if action not in self.get_available_actions():
            raise ValueError("illegal action")
        (count,) = action["counters"]
        self.last = self.get_current_player()
        self.left -= count
        self.taken[self.last] += count
        self.turn += 1
        return {"secret": "of the result"}, self.left == 0

    def is_over(self) -> bool:
        return self.left == 0

    def get_winner(self) -> str | None:
        return self.last if self.is_over() else None

    def get_scores(self) -> Json:
        return dict(self.taken)


FAULTY: type[PileGame] = PileGame
"""The class that `create_game` makes; `registered` sets it."""
CREATED: list[ArenaConfig] = []
"""The configurations of the games, newest last."""


def create_game(arena_config: ArenaConfig) -> PileGame:
    CREATED.append(arena_config)
    players = [player.id for player in arena_config.players]
    return FAULTY(players, arena_config.seed, arena_config.game_config["counters"])


@contextmanager
def registered(rules: type[Any] = PileGame, **changes: str) -> Iterator[str]:
    """Register the game with the six keys of the document, under a type of its own."""
    global FAULTY  # noqa: PLW0603  found by its dotted path, as every game is
    FAULTY = rules
    module = __name__
    name = f"pile_{rules.__name__}_{'_'.join(changes)}" if rules is not PileGame else PILE
    if not isinstance(vars(rules).get("game_type"), property):
        rules.game_type = name
    globals()[rules.__name__] = rules
    entry: GameEntry = {
        "game_module": module,
        "game_class": f"{module}.{rules.__name__}",
        "game_factory": f"{module}.create_game",
        "state_adapter_class": f"{module}.PileStateAdapter",
        "action_parser_class": f"{module}.PileActionParser",
        "config_class": f"{module}.PileConfig",
        **changes,  # type: ignore[typeddict-item]
    }
    GAME_REGISTRY[name] = entry
    try:
        yield name
    finally:
        del GAME_REGISTRY[name]
        CREATED.clear()


class PileStateAdapter:
    """The two methods that the document requires."""

    def state_to_prompt(
        self, public_state: Json, private_state: Json, valid_actions: Any, turn_history: Any
    ) -> str:
        return f"{public_state['left']} {private_state['taken']} {valid_actions} {turn_history}"

    def get_output_schema(self) -> Json:
        return {"type": "object"}


class PileActionParser:
    """A parser without arguments, with an error of its own."""

    fallback_to_random = True

    def parse(self, raw_output: str, valid_actions: list[Json]) -> Json:
        if raw_output == "first" or self.fallback_to_random:
            return valid_actions[0]
        raise RuntimeError("unreadable")
