"""Lists of the matches and leagues that a lobby keeps."""

from pydantic import Field

from casino_contracts.base import WireModel, optional
from casino_contracts.matches.results import (
    MOST_PAIRS,
    MOST_PLAYERS,
    Digest,
    EntrantName,
    Estimator,
    Interval,
    Rate,
    Sentence,
    Title,
    Verdict,
)
from casino_contracts.numbers import PositiveWhole, Whole


class PairSummary(WireModel):
    """What a match says of two of its players."""

    first: EntrantName
    second: EntrantName
    estimator: Estimator
    bb_per_100: Rate
    interval: Interval | None = optional(description="The one that decides.")
    verdict: Verdict
    sentence: Sentence


class MatchSummary(WireModel):
    """A match of a list."""

    match_id: str
    name: Title
    digest: Digest
    decks: Whole
    hands: Whole
    is_complete: bool
    players: tuple[EntrantName, ...] = Field(max_length=MOST_PLAYERS)
    pairs: tuple[PairSummary, ...] = Field(max_length=MOST_PAIRS)
    published_at: str
    finished_at: str | None = optional()


class MatchList(WireModel):
    """Matches, the last published first."""

    matches: tuple[MatchSummary, ...]
    next: PositiveWhole | None = optional(description="Where the next page begins: its `after`.")


class LeagueSummary(WireModel):
    """A league of a list."""

    league_id: str
    name: Title
    players: Whole
    hands: Whole = Field(description="Hands of all matches.")
    leader: EntrantName | None = optional(description="Who has the first place alone.")
    published_at: str


class LeagueList(WireModel):
    """Leagues, the last published first."""

    leagues: tuple[LeagueSummary, ...]
    next: PositiveWhole | None = optional(description="Where the next page begins: its `after`.")
