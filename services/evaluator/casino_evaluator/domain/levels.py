"""A game as it is examined: its levels, each some hands against one opponent."""

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Any

Json = dict[str, Any]
_SHOWN_DIGITS = 8


@dataclass(frozen=True, slots=True)
class Level:
    """`hands` hands against an opponent; completed with at least `target` chips at their end."""

    opponent: str
    """The name of an opponent (`opponents.catalogue`)."""
    hands: int
    """Twice an odd number of decks: each deck is played from both positions. Blackjack: any."""
    target: int
    """Chips that the candidate must have after the last hand."""
    baseline_actions: int
    """Actions of the reference player on this level, from which scores are computed."""


@dataclass(frozen=True, slots=True)
class ExaminedGame:
    """A game with its levels; `game_id` changes with every rule."""

    prefix: str
    """Four letters, by which clients may name it."""
    game_type: str
    """Of `casino_games`."""
    title: str
    starting_stack: int
    small_blind: int
    big_blind: int
    levels: tuple[Level, ...]
    tags: tuple[str, ...] = ()

    @property
    def game_id(self) -> str:
        """The id on the wire, such as `kuhn-1a2b3c4d`: prefix and digest of all the rest."""
        text = json.dumps(asdict(self), sort_keys=True)
        return f"{self.prefix}-{hashlib.sha256(text.encode()).hexdigest()[:_SHOWN_DIGITS]}"

    @property
    def win_score(self) -> int:
        """How many levels must be completed to win."""
        return len(self.levels)
