"""Leagues: round robins of matches, and the table of their players."""

from typing import Self

from pydantic import Field, model_validator

from casino_contracts.base import Identifier, WireModel, optional
from casino_contracts.matches.results import (
    EntrantName,
    Interval,
    PlayerSource,
    Rate,
    Title,
    Verdict,
    Version,
)
from casino_contracts.numbers import PositiveWhole, Whole

MOST_LEAGUE_PLAYERS = 64
MOST_HEADS = MOST_LEAGUE_PLAYERS * (MOST_LEAGUE_PLAYERS - 1) // 2


class LeagueEntry(WireModel):
    """One player of a league."""

    name: EntrantName
    player: PlayerSource
    version: Version | None = optional()
    rank: PositiveWhole = Field(description="The best rank that the intervals allow.")
    worst_rank: PositiveWhole = Field(description="The worst; ranks from best to worst are a band.")
    bb_per_100: Rate = Field(description="Mean over the matches against each other player.")
    interval: Interval | None = optional(description="Of that mean, by itself.")
    hands: Whole
    is_provisional: bool = Field(description="Whether too few hands are played to say much.")


class HeadToHead(WireModel):
    """How much better the first player is than the second."""

    first: EntrantName
    second: EntrantName
    bb_per_100: Rate
    interval: Interval | None = optional(
        description="Widened so that the intervals of all pairs of the league together hold in"
        " 95 % of all leagues."
    )
    hands: Whole
    verdict: Verdict
    match: Identifier | None = optional(description="The id of the match at the lobby.")


class League(WireModel):
    """The table of a league, the best first, and its matrix."""

    name: Title
    provisional_below: Whole = Field(description="Hands of a player below which it is provisional.")
    players: tuple[LeagueEntry, ...] = Field(max_length=MOST_LEAGUE_PLAYERS)
    matrix: tuple[HeadToHead, ...] = Field(
        max_length=MOST_HEADS, description="One for each pair that has played."
    )
    updated_at: str | None = optional(max_length=64)

    @model_validator(mode="after")
    def _names_its_players(self) -> Self:
        names = {player.name for player in self.players}
        if len(names) < len(self.players):
            raise ValueError("two players have the same name")
        if not {name for pair in self.matrix for name in (pair.first, pair.second)} <= names:
            raise ValueError("the matrix has a name that is none of the players")
        return self
