"""What may be concluded from a comparison of two players, and what may not. Pure."""

from dataclasses import dataclass
from math import ceil

from casino_contracts.matches.results import Interval, SequentialTest, Verdict

from casino_match.domain.plan import Plan
from casino_match.statistics.estimates import FEWEST_DECKS
from casino_match.statistics.moments import Moments
from casino_match.statistics.quantiles import normal_quantile

POWER = 0.8
"""The probability with which a new match of the recommended length decides."""
_FAR = 100
"""Not recommended: a match that is this many times as long."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two players, what the decks say about their difference, and how many hands they played."""

    first: str
    second: str
    moments: Moments
    interval: Interval | None
    """Holds for all pairs together; None below 30 decks."""
    verdict: Verdict
    hands: int
    hands_per_deck: int
    pairs: int
    """The number of pairs of the match."""
    test: SequentialTest | None = None


def verdict_of(plan: Plan, interval: Interval | None, test: SequentialTest | None) -> Verdict:
    """Return whether the first player is better, by the sequential test or else by the interval."""
    if test is not None:
        if test.accepted == "high" and plan.stop.low >= 0:
            return "better"
        if test.accepted == "low" and plan.stop.high <= 0:
            return "worse"
    if interval is None or interval.low <= 0 <= interval.high:
        return "undecided"
    return "better" if interval.low > 0 else "worse"


def sentence_of(plan: Plan, pair: Comparison) -> str:
    """Return what may be concluded from a pair, and what may not."""
    if pair.interval is None:
        return (
            f"{_hands(pair)} on {pair.moments.count:,} decks say nothing about {pair.first} and"
            f" {pair.second}: play at least {FEWEST_DECKS} decks."
        )
    if not pair.moments.squares:
        return _same(plan, pair)
    parts = (_of_test(plan, pair), _difference(pair), _length(pair), _scope(plan))
    return " ".join(part for part in parts if part)


def _same(plan: Plan, pair: Comparison) -> str:
    if not pair.moments.mean:
        return (
            f"{pair.first} and {pair.second} won exactly the same on each of"
            f" {pair.moments.count:,} decks: no deck tells them apart. {_scope(plan)}"
        )
    return f"{_difference(pair)} On every deck it was the same. {_scope(plan)}"


def _of_test(plan: Plan, pair: Comparison) -> str:
    stop, test = plan.stop, pair.test
    if test is None:
        return ""
    if test.accepted == "none":
        return (
            f"The test of {stop.low:g} against {stop.high:g} bb/100 is not decided after"
            f" {pair.moments.count:,} decks."
        )
    bound, side, error = (
        (stop.low, "more", stop.alpha)
        if test.accepted == "high"
        else (stop.high, "less", stop.beta)
    )
    return (
        f"The test ended after {pair.moments.count:,} decks: {pair.first} wins"
        f" {side} than {bound:g} bb/100 more than {pair.second}, which is wrong in at most"
        f" {error:.0%} of such matches."
    )


def _difference(pair: Comparison) -> str:
    mean = pair.moments.mean
    better, worse = (pair.first, pair.second) if mean >= 0 else (pair.second, pair.first)
    low, high = _ends(pair)
    if pair.verdict == "undecided":
        start = (
            f"{_hands(pair)} do not show which of {pair.first} and {pair.second} plays better:"
            f" {better} won {_rate(abs(mean))} bb/100 more"
        )
    else:
        start = f"{better} wins {_rate(abs(mean))} bb/100 more than {worse}"
    details = [f"95 %: {low} to {high}"]
    if pair.verdict != "undecided":
        details.append(_hands(pair))
    details.append("the luck of the cards taken out")
    if pair.pairs > 1:
        details.append(f"the intervals of all {pair.pairs} pairs hold together")
    if pair.test is not None:
        details.append("at whatever deck the match stops")
    return f"{start} ({'; '.join(details)})."


def _ends(pair: Comparison) -> tuple[str, str]:
    """Return the ends of the interval, of how much more the better of both wins."""
    interval = pair.interval
    if interval is None:
        raise ValueError("a pair without an interval has no ends")
    if pair.moments.mean >= 0:
        return _rate(interval.low), _rate(interval.high)
    return _rate(-interval.high), _rate(-interval.low)


def _length(pair: Comparison) -> str:
    """Return how long a match would decide, where this one does not."""
    if pair.verdict != "undecided" or pair.test is not None or pair.interval is None:
        return ""
    half = (pair.interval.high - pair.interval.low) / 2
    error, mean = pair.moments.error, abs(pair.moments.mean)
    needed = half + normal_quantile(POWER) * error
    if mean * _FAR**0.5 <= needed:
        return f"If they differ at all, {_FAR} times as many decks may not show it."
    decks = _rounded_up(pair.moments.count * (needed / mean) ** 2)
    return (
        f"If the difference is what it looks like, a new match of {decks:,} decks"
        f" ({decks * pair.hands_per_deck:,} hands, another seed) shows it in {POWER:.0%} of cases."
    )


def _scope(plan: Plan) -> str:
    rules, players = plan.rules, len(plan.players)
    table = "heads-up" if players == 2 else f"{players} players at the table"  # noqa: PLR2004
    stack = f"{rules.stack / rules.big_blind:g} bb"
    others = "other stacks or opponents" if players == 2 else "other stacks, opponents or tables"  # noqa: PLR2004
    return (
        f"That holds for these versions, {table}, with {stack} before every hand: it says nothing"
        f" about {others}."
    )


def _hands(pair: Comparison) -> str:
    return f"{pair.hands:,} hands"


def _rate(number: float) -> str:
    return f"{number:.1f}".replace("-0.0", "0.0")


def _rounded_up(number: float) -> int:
    """Return the next number with two significant digits.

    >>> _rounded_up(4_321), _rounded_up(88)
    (4400, 88)
    """
    step: int = 10 ** max(0, len(str(ceil(number))) - 2)
    return ceil(number / step) * step
