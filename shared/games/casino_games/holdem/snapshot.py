"""Snapshot of a hand of Hold'em: its settings, its deck and its decisions.

Restoring replays the decisions, so that the state is always consistent.
**Private data**: it holds every card.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from casino_games.cards import Card, cards_from_text, cards_to_text
from casino_games.errors import InvalidSnapshot
from casino_games.game import Json
from casino_games.holdem.config import HoldemConfig
from casino_games.holdem.deal import cards_needed
from casino_games.holdem.record import Kind


class PastAction(BaseModel):
    """A decision in the format of `step`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    action_type: Kind
    amount: Annotated[int, Field(strict=True)] | None = None


class HoldemSnapshot(BaseModel):
    """Snapshot of a hand; the deck is hidden from errors and repr."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    game_type: Literal["texas-holdem"]
    players: tuple[str, ...]
    config: HoldemConfig
    deck: Annotated[str, Field(repr=False)]
    actions: tuple[PastAction, ...]

    @classmethod
    def of(
        cls,
        players: Sequence[str],
        config: HoldemConfig,
        deck: Sequence[Card],
        actions: Sequence[PastAction],
    ) -> Self:
        """Return the snapshot of a hand."""
        return cls(
            game_type="texas-holdem",
            players=tuple(players),
            config=config,
            deck=cards_to_text(deck),
            actions=tuple(actions),
        )

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Validate a snapshot; raises `InvalidSnapshot` with the path of each fault."""
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            faults = error.errors(include_url=False, include_input=False)
            paths = ", ".join(sorted({".".join(map(str, fault["loc"])) for fault in faults}))
            raise InvalidSnapshot(f"the snapshot has faults at: {paths}") from None

    def to_json(self) -> Json:
        """Return the snapshot as a JSON object."""
        return self.model_dump(mode="json")

    def cards(self, seats: int) -> list[Card]:
        """Return the cards of the deck that a hand of `seats` seats can use.

        Raises `InvalidSnapshot`.
        """
        try:
            deck = cards_from_text(self.deck)
        except ValueError:
            raise InvalidSnapshot("the deck holds something that is no card") from None
        if len(deck) != cards_needed(seats) or len(set(deck)) != len(deck):
            raise InvalidSnapshot("the deck has too few or too many cards, or one of them twice")
        return deck
