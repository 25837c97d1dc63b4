"""The plan of a match: declared before the first card, and named by its digest. Pure.

Its seatings and decks follow from it: every rotation of the seats or every order, by the seed.
"""

from datetime import timedelta
from hashlib import sha256
from itertools import permutations
from math import factorial
from typing import Annotated, Any, Final, Literal, Self

from casino_contracts.match_results import MOST_PLAYERS
from casino_games.cards import Card
from casino_games.holdem.hand import cards_needed
from casino_games.shuffle import deck_order, derive_seed
from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic_core import to_json

Seating = tuple[int, ...]
"""The index of the player in each seat; seat 0 is the first left of the button."""
Seatings = Literal["rotations", "all"]
MOST_ORDERS: Final = 720
"""All orders of six players; more players are only rotated."""
MOST_DECKS = 100_000_000
MOST_CHIPS = 1_000_000_000
Chips = Annotated[int, Field(ge=0, le=MOST_CHIPS, strict=True)]
MOST_RATE: Final = 1e12
"""In bb/100: more than all chips of a hand, and its square is a finite number."""
Rate = Annotated[float, Field(ge=-MOST_RATE, le=MOST_RATE)]
ErrorRate = Annotated[float, Field(ge=1e-12, lt=0.5)]
Name = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[^\x00-\x1f\x7f]+$")]


def deck_seed(seed: str, number: int) -> str:
    """Return the seed of a deck; decks count from 0."""
    return derive_seed(seed, "match deck", number)


def deck_of(seed: str, number: int, seats: int) -> list[Card]:
    """Return the cards of a deck that a hand of Hold'em between so many seats can use."""
    return deck_order(deck_seed(seed, number), cards_needed(seats))


def seatings_of(players: int, kind: Seatings = "rotations") -> tuple[Seating, ...]:
    """Return the seatings in which each deck is played, always in the same order.

    Every player sits in every seat equally often. Raises ValueError for too many orders.

    >>> seatings_of(3)
    ((0, 1, 2), (1, 2, 0), (2, 0, 1))
    """
    if kind == "all":
        if factorial(players) > MOST_ORDERS:
            raise ValueError(f"{players} players have too many orders: use rotations")
        return tuple(permutations(range(players)))
    order = tuple(range(players))
    return tuple(order[shift:] + order[:shift] for shift in range(players))


class _PlanPart(BaseModel):
    model_config = ConfigDict(
        frozen=True, extra="forbid", hide_input_in_errors=True, allow_inf_nan=False
    )


class Rules(_PlanPart):
    """The game: No-Limit Hold'em, where everybody has the same stack before every hand."""

    small_blind: Annotated[Chips, Field(ge=1)] = 1
    big_blind: Annotated[Chips, Field(ge=1)] = 2
    ante: Chips = 0
    stack: Annotated[Chips, Field(ge=1)] = 200
    clock: timedelta = timedelta(seconds=10)
    """The time for a decision."""

    @model_validator(mode="after")
    def _is_playable(self) -> Self:
        if self.small_blind > self.big_blind:
            raise ValueError("small_blind is larger than big_blind")
        if self.stack < self.big_blind + self.ante:
            raise ValueError("stack does not cover the big blind and the ante")
        return self


class Entrant(_PlanPart):
    """One player of the match."""

    name: Name
    player: Annotated[str, Field(min_length=1, max_length=2048)]
    """`style:tight`, `bots/mine.py:act`, or the URL of an agent or its card."""
    version: str | None = None
    """What the name stood for when the plan was written: the hash of the file or of the card."""
    arguments: dict[str, Any] = Field(default_factory=dict)
    """Passed to a function as keywords, and to an agent in its invitation."""
    games_at_once: Annotated[int, Field(ge=1, le=256)] = 4
    """Maximum number of hands that an agent plays at the same time."""


class Deal(_PlanPart):
    """How many decks are played, and by which seatings."""

    seed: Annotated[str, Field(min_length=1, max_length=256)]
    decks: Annotated[int, Field(ge=1, le=MOST_DECKS)] = 5_000
    """At most so many; an early stop plays fewer."""
    decks_per_block: Annotated[int, Field(ge=1, le=1_000_000)] = 250
    seatings: Seatings = "rotations"


class StopRule(_PlanPart):
    """When a match ends before its last deck: a sequential test of two hypotheses (SPRT).

    They are that the first player wins at most `low`, or at least `high`, bb/100 more than the
    second.
    """

    rule: Literal["decks", "sprt"] = "decks"
    low: Rate = 0.0
    high: Rate = 5.0
    alpha: ErrorRate = 0.05
    """Maximum probability to accept `high` although `low` is true."""
    beta: ErrorRate = 0.05
    """Maximum probability to accept `low` although `high` is true."""

    @model_validator(mode="after")
    def _has_a_gap(self) -> Self:
        if self.low >= self.high:
            raise ValueError("low must be below high")
        return self


class FaultRules(_PlanPart):
    """What happens when a player's answer is wrong, late, or does not come."""

    wrong_answer: Literal["default", "stop"] = "default"
    """After a second wrong answer: check or fold, counted as a fault; or stop the match."""
    no_answer: Literal["pause", "default"] = "pause"
    """When an agent is late, gone or refuses calls, or a player's program answers in its place with
    a default: wait and ask again, or check or fold, counted."""
    patience: timedelta = timedelta(seconds=60)
    """How long a pause waits for the player before the match is suspended, to be resumed later."""


class Plan(_PlanPart):
    """Everything that decides the result of a match."""

    name: Name = "match"
    players: Annotated[tuple[Entrant, ...], Field(min_length=2, max_length=MOST_PLAYERS)]
    rules: Rules = Rules()
    deal: Deal
    stop: StopRule = StopRule()
    faults: FaultRules = FaultRules()

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        names = [player.name for player in self.players]
        if len(set(names)) < len(names):
            raise ValueError("players: two players have the same name")
        seatings_of(len(names), self.deal.seatings)
        if self.stop.rule == "sprt" and len(names) > 2:  # noqa: PLR2004
            raise ValueError("stop: a sequential test is between two players")
        return self

    @property
    def blocks(self) -> int:
        return -(-self.deal.decks // self.deal.decks_per_block)

    def decks_of(self, block: int) -> range:
        """Return the numbers of the decks of a block; blocks count from 0."""
        first = block * self.deal.decks_per_block
        return range(first, min(first + self.deal.decks_per_block, self.deal.decks))

    @property
    def digest(self) -> str:
        """The plan's name: the SHA-256 of its content as JSON with sorted keys."""
        content = self.model_dump(mode="json")
        return "sha256:" + sha256(canonical(content)).hexdigest()


def canonical(value: Any) -> bytes:
    """Return JSON with sorted keys."""
    return to_json(_sorted(value))


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return [_sorted(item) for item in value]
    return value
