"""The result of a match as text: who is better, how sure that is, and how everybody played."""

from collections.abc import Sequence

from casino_contracts import Outcome
from casino_contracts.match_results import Estimate, Interval, MatchPair, MatchPlayer, MatchResult
from casino_contracts.play_statistics import Tally

from casino.formatting import counted, sanitize, signed
from casino.output import Output

_NAME_WIDTH = 16
_OWN_ANSWERS = ("ok", "retried")
_WRONG: tuple[Outcome, ...] = ("illegal", "malformed")
_SEE = "See the first wrong answer: the same command with --fresh --wrong-answer stop"
_NOTHING = "-"
_RATES = ("player", "estimate", "bb/100 ", "95 % normal ", "95 % bootstrap ", "saves ")
_STYLES = ("player", "VPIP ", "PFR ", "3-bet ", "AF ", "c-bet ", "WTSD ", "W$SD ")
_PAIRS = ("player", "against", "verdict", "bb/100 more ", "95 %, all pairs together ")
_DECISIONS = ("player", "net ", "decisions ", "p50 ", "p95 ", "faults")


def write_result(output: Output, result: MatchResult) -> None:
    """Write the result: tables of all players, then a sentence for each pair."""
    state = "" if result.is_complete else ", so far"
    players = counted(len(result.players), "player")
    decks = "deck" if result.decks == 1 else "decks"
    output.line(
        f"{result.name}: {result.hands:,} hands, {result.decks:,} {decks}, {players}{state}"
    )
    output.line("")
    output.table(_RATES, [row for player in result.players for row in _rates(player)])
    output.line("")
    output.table(_STYLES, [_style(player) for player in result.players])
    output.line("")
    output.table(_DECISIONS, [_decisions(player) for player in result.players])
    if any(player.outcomes.get(outcome) for player in result.players for outcome in _WRONG):
        output.line(_SEE)
    output.line("")
    _write_pairs(output, result.pairs)
    test = result.sequential_test
    if test is not None:
        output.line(
            f"sequential test: {test.accepted}, log-likelihood ratio"
            f" {test.log_likelihood_ratio:.2f} between {test.lower:.2f} and {test.upper:.2f}"
        )
    output.line("")
    output.line(f"plan   {result.plan_digest}")
    output.line(f"result {result.digest}")


def _write_pairs(output: Output, pairs: Sequence[MatchPair]) -> None:
    """Write a sentence for each pair; of many players a table, and the first sentence."""
    output.line(pairs[0].sentence)
    if len(pairs) > 1:
        output.line("")
        output.table(_PAIRS, [_pair(pair) for pair in pairs])


def _pair(pair: MatchPair) -> Sequence[str]:
    estimate = next(each for each in pair.estimates if each.estimator == pair.headline)
    return (
        cut(pair.first),
        cut(pair.second),
        pair.verdict,
        rate(estimate.bb_per_100),
        _interval(pair.simultaneous),
    )


def cut(name: str, width: int = _NAME_WIDTH) -> str:
    """Return a name in printable characters, at most so many.

    >>> cut("a very long name of a bot")
    'a very long nam…'
    """
    clean = sanitize(name)
    return clean if len(clean) <= width else f"{clean[: width - 1]}…"


def rate(value: float) -> str:
    """Return a win rate or a bound of it.

    >>> rate(12.345), rate(-0.04), rate(0)
    ('+12.3', '0.0', '0.0')
    """
    rounded = round(value, 1) or 0.0
    return f"{rounded:+.1f}" if rounded else "0.0"


def _rates(player: MatchPlayer) -> list[Sequence[str]]:
    return [
        (
            cut(player.name) if number == 0 else "",
            estimate.estimator,
            rate(estimate.bb_per_100),
            _interval(estimate.normal),
            _interval(estimate.bootstrap),
            _saves(estimate),
        )
        for number, estimate in enumerate(player.estimates)
    ]


def _interval(interval: Interval | None) -> str:
    return "too few" if interval is None else f"{rate(interval.low)} to {rate(interval.high)}"


def _saves(estimate: Estimate) -> str:
    ratio = estimate.variance_ratio
    return _NOTHING if ratio is None else f"{ratio:.1f} x"


def _style(player: MatchPlayer) -> Sequence[str]:
    play = player.statistics
    if play is None:
        return (cut(player.name), *[_NOTHING] * (len(_STYLES) - 1))
    factor = f"{play.aggression.count / play.aggression.of:.1f}" if play.aggression.of else _NOTHING
    return (
        cut(player.name),
        *map(_share, (play.vpip, play.pfr, play.three_bet)),
        factor,
        *map(_share, (play.c_bet, play.went_to_showdown, play.won_at_showdown)),
    )


def _share(tally: Tally) -> str:
    return f"{100 * tally.count / tally.of:.0f} %" if tally.of else _NOTHING


def _decisions(player: MatchPlayer) -> Sequence[str]:
    faults = ", ".join(
        f"{count} {outcome}"
        for outcome, count in sorted(player.outcomes.items())
        if count and outcome not in _OWN_ANSWERS
    )
    times = (_NOTHING, _NOTHING)
    if player.latency is not None:
        times = (f"{player.latency.p50} ms", f"{player.latency.p95} ms")
    return (cut(player.name), signed(player.net), str(player.decisions), *times, faults or "none")
