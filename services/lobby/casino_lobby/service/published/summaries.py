"""Entries of lists of published matches and leagues. Pure."""

from casino_contracts import (
    Interval,
    League,
    LeagueSummary,
    MatchPair,
    MatchResult,
    MatchSummary,
    PairSummary,
)


def match_summary(match_id: str, result: MatchResult, published_at: str) -> MatchSummary:
    """Return a match's entry of a list."""
    return MatchSummary(
        match_id=match_id,
        name=result.name,
        digest=result.digest,
        decks=result.decks,
        hands=result.hands,
        is_complete=result.is_complete,
        players=tuple(player.name for player in result.players),
        pairs=tuple(map(_pair_summary, result.pairs)),
        published_at=published_at,
        finished_at=result.finished_at,
    )


def league_summary(league_id: str, league: League, published_at: str) -> LeagueSummary:
    """Return a league's entry of a list."""
    first = [entry.name for entry in league.players if entry.rank == entry.worst_rank == 1]
    return LeagueSummary(
        league_id=league_id,
        name=league.name,
        players=len(league.players),
        hands=sum(pair.hands for pair in league.matrix),
        leader=first[0] if len(first) == 1 else None,
        published_at=published_at,
    )


def _pair_summary(pair: MatchPair) -> PairSummary:
    headline = [entry for entry in pair.estimates if entry.estimator == pair.headline]
    rate, interval = 0.0, pair.simultaneous
    if headline:
        rate = headline[0].bb_per_100
        interval = interval or headline[0].bootstrap or headline[0].normal
    return PairSummary(
        first=pair.first,
        second=pair.second,
        estimator=pair.headline,
        bb_per_100=rate,
        interval=interval and Interval(low=interval.low, high=interval.high),
        verdict=pair.verdict,
        sentence=pair.sentence,
    )
