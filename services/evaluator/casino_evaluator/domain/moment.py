"""A moment of a level: what the candidate may see after one action, or at its own decision."""

from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Standing:
    """How far a level is played, in chips."""

    level: int
    """From 1."""
    hands: int
    hands_played: int
    target: int
    stack: int
    """The candidate's chips after the newest completed hand."""
    opponent_stack: int


@dataclass(frozen=True, slots=True)
class Moment:
    """One moment. Nothing in it says what the opponent hides."""

    game_type: str
    hand_number: int
    player_id: str
    """The candidate's id in `state` and `result`."""
    opponent_id: str
    state: Json = field(repr=False)
    """`public` and `private` of the candidate, as in the State Schema of the game."""
    standing: Standing
    offers: tuple[Json, ...] = ()
    """The candidate's legal actions; empty while somebody else decides."""
    result: Json | None = None
    """At the end of a hand: as in the Result Schema of the game."""
