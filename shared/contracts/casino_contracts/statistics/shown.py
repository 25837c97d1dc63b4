"""The statistics of a player, as a reader gets them. Pure."""

from casino_contracts.statistics.latency import LatencySketch
from casino_contracts.statistics.play_counts import PlayCounts
from casino_contracts.statistics.reports import DecisionLatency, PlayStatistics, Tally


def statistics_of(play: PlayCounts) -> PlayStatistics | None:
    """Return how a player plays; None if no hand was counted."""
    if play == PlayCounts():
        return None
    return PlayStatistics(
        vpip=Tally(count=play.vpip, of=play.vpip_of),
        pfr=Tally(count=play.pfr, of=play.pfr_of),
        three_bet=Tally(count=play.three_bet, of=play.three_bet_of),
        c_bet=Tally(count=play.c_bet, of=play.c_bet_of),
        aggression=Tally(count=play.aggressive, of=play.calls),
        went_to_showdown=Tally(count=play.showdowns, of=play.saw_flop),
        won_at_showdown=Tally(count=play.showdowns_won, of=play.showdowns),
    )


def latency_of(sketch: LatencySketch) -> DecisionLatency | None:
    """Return how long a player's decisions took; None if nothing was asked."""
    p50, p95 = sketch.quantile(0.5), sketch.quantile(0.95)
    if p50 is None or p95 is None:
        return None
    return DecisionLatency(decisions=sketch.total, p50=p50, p95=p95)
