"""A league as text for the terminal."""

from casino_contracts.match_results import HeadToHead, Interval, League, LeagueEntry, MatchPair

from casino.output import Output

_NOTHING = "-"
_MOST_IN_MATRIX = 8
"""Players of a league whose matrix is a table; more are listed by pairs."""


def pair_line(pair: MatchPair) -> str:
    """Return what a match says of its two players."""
    (estimate,) = (entry for entry in pair.estimates if entry.estimator == pair.headline)
    interval = pair.simultaneous or estimate.bootstrap or estimate.normal
    rate = f"{estimate.bb_per_100:+.1f} bb/100 ({_interval(interval)})"
    return f"{pair.first} against {pair.second}: {rate}, {pair.verdict}"


def write_league(output: Output, league: League) -> None:
    """Write the ranks, and how every two players have played."""
    output.line("")
    columns = ("rank", "player", "bb/100 ", "95 %", "hands ", "state")
    output.table(columns, map(_entry, league.players))
    names = [entry.name for entry in league.players]
    if not league.matrix:
        return
    output.line("")
    if len(names) > _MOST_IN_MATRIX:
        output.table(("players", "bb/100 ", "verdict"), map(_pair, league.matrix))
        return
    rates = {(pair.first, pair.second): pair for pair in league.matrix}
    output.line("bb/100 of the row against the column; * is sure")
    output.table(
        ("", *(f"{name} " for name in names)),
        [(name, *(_cell(rates, name, other) for other in names)) for name in names],
    )


def _entry(entry: LeagueEntry) -> tuple[str, ...]:
    is_sure = entry.rank == entry.worst_rank
    return (
        str(entry.rank) if is_sure else f"{entry.rank}-{entry.worst_rank}",
        entry.name,
        f"{entry.bb_per_100:+.1f}",
        _interval(entry.interval),
        str(entry.hands),
        "provisional" if entry.is_provisional else "rated",
    )


def _pair(pair: HeadToHead) -> tuple[str, ...]:
    return (f"{pair.first} against {pair.second}", f"{pair.bb_per_100:+.1f}", pair.verdict)


def _cell(rates: dict[tuple[str, str], HeadToHead], name: str, other: str) -> str:
    pair, sign = rates.get((name, other)), 1
    if pair is None:
        pair, sign = rates.get((other, name)), -1
    if pair is None:
        return "" if name == other else _NOTHING
    return f"{sign * pair.bb_per_100:+.1f}{'' if pair.verdict == 'undecided' else '*'}"


def _interval(interval: Interval | None) -> str:
    return _NOTHING if interval is None else f"{interval.low:+.1f} to {interval.high:+.1f}"
