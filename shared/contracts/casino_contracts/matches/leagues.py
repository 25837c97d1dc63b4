"""Leagues: round robins of matches, and the table of their players."""

from pydantic import Field

from casino_contracts.base import WireModel, optional
from casino_contracts.matches.results import Interval, Verdict
from casino_contracts.numbers import PositiveWhole, Whole


class LeagueEntry(WireModel):
    """One player of a league."""

    name: str
    player: str
    version: str | None = optional()
    rank: PositiveWhole = Field(description="The best rank that the intervals allow.")
    worst_rank: PositiveWhole = Field(description="The worst; ranks from best to worst are a band.")
    bb_per_100: float = Field(description="Mean over the matches against each other player.")
    interval: Interval | None = optional()
    hands: Whole
    is_provisional: bool = Field(description="Whether too few hands are played to say much.")


class HeadToHead(WireModel):
    """How much better the first player is than the second."""

    first: str
    second: str
    bb_per_100: float
    interval: Interval | None = optional()
    hands: Whole
    verdict: Verdict
    match: str | None = optional(description="The id of the match at the lobby.")


class League(WireModel):
    """The table of a league, the best first, and its matrix."""

    name: str
    provisional_below: Whole = Field(description="Hands of a player below which it is provisional.")
    players: tuple[LeagueEntry, ...]
    matrix: tuple[HeadToHead, ...]
    updated_at: str | None = optional()
