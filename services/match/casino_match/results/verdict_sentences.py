"""What may be concluded from a comparison of two players, and what may not. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Final

from casino_contracts.match_results import Interval, SequentialTest, Verdict

from casino_match.domain.plan import Plan
from casino_match.statistics.deck_values import Moments
from casino_match.statistics.estimates import FEW_DECKS, FEWEST_DECKS
from casino_match.statistics.sequential import normal_quantile

POWER: Final = 0.8
"""The probability with which a new match of the recommended length decides."""
_FAR: Final = 100
"""Not recommended: a match that is this many times as long."""
_HEADS_UP: Final = 2
_REASONS: Final = 4
"""Reasons of defaults that a sentence names."""
_UNJUDGED: Final = 3
"""Players that it names."""
_NOTHING: Final = 1e-5
"""Smaller differences, in bb/100, are rounding."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One player of a pair."""

    name: str
    bb_per_100: float
    """By the headline's estimator."""
    decisions: int = 0
    not_own: Mapping[str, int] = field(default_factory=dict)
    """Decisions that were not its own, by reason."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two players, and what the decks say about their difference."""

    first: Compared
    second: Compared
    difference: Moments
    """Of the first player's decks and the second's, without luck."""
    interval: Interval | None
    """Holds for all pairs together, and with a sequential test whenever it ends the match."""
    verdict: Verdict
    hands: int
    hands_per_deck: int
    pairs: int
    test: SequentialTest | None = None
    is_complete: bool = True

    @property
    def leads(self) -> bool:
        return self.difference.mean >= 0


def verdict_of(
    plan: Plan, decks: int, interval: Interval | None, test: SequentialTest | None
) -> Verdict:
    """Return whether the first player is better, by the sequential test or else by the interval.

    An interval of fewer than `FEW_DECKS` decides nothing, whatever it is.
    """
    if test is not None:
        if test.accepted == "high" and plan.stop.low >= 0:
            return "better"
        if test.accepted == "low" and plan.stop.high <= 0:
            return "worse"
    if decks < FEW_DECKS or interval is None or interval.low <= 0 <= interval.high:
        return "undecided"
    return "better" if interval.low > 0 else "worse"


def sentence_of(plan: Plan, pair: Comparison) -> str:
    return " ".join(_parts(plan, pair))


def _parts(plan: Plan, pair: Comparison) -> Iterator[str]:
    if pair.interval is None:
        yield _nothing(pair)
        return
    if max(pair.difference.deviation, abs(pair.difference.mean)) < _NOTHING:
        yield (
            f"{pair.first.name} and {pair.second.name} won exactly the same on each of"
            f" {pair.difference.count:,} decks: these decks do not tell them apart."
        )
    else:
        if pair.test is not None:
            yield _test(plan, pair)
        yield _difference(pair)
        yield from _limits(pair)
    if not pair.is_complete:
        yield (
            f"The match is not over, {pair.difference.count:,} of at most {plan.deal.decks:,} decks"
            " are played: conclude at its end."
        )
    for player in (pair.first, pair.second):
        if player.not_own:
            yield f"{_not_own(player)}, and count as checks or folds, as the plan says."
    yield _scope(plan)


def no_verdict(unjudged: Sequence[Compared]) -> str:
    """Return why a match says nothing about who plays better."""
    players = "; ".join(map(_not_own, unjudged[:_UNJUDGED]))
    return f"No verdict: {players}. Nothing follows about who plays better."


def _not_own(player: Compared) -> str:
    count = sum(player.not_own.values())
    most_first = sorted(player.not_own.items(), key=lambda each: (-each[1], each[0]))
    reasons = [f"{times:,} {reason}" for reason, times in most_first[:_REASONS]]
    if len(most_first) > _REASONS:
        reasons.append("…")
    return (
        f"{count:,} of {player.decisions:,} decisions of {player.name} were not its own"
        f" ({', '.join(reasons)})"
    )


def _nothing(pair: Comparison) -> str:
    names, decks = f"{pair.first.name} and {pair.second.name}", pair.difference.count
    if decks < FEWEST_DECKS:
        return (
            f"{_hands(pair)} on {decks:,} decks say nothing about {names}: play at least"
            f" {FEWEST_DECKS} decks."
        )
    return (
        f"{names} won the same on nearly all of {decks:,} decks: the few others say nothing yet."
        " Play more decks."
    )


def _test(plan: Plan, pair: Comparison) -> str:
    stop, test = plan.stop, pair.test
    after = f"after {pair.difference.count:,} decks"
    if test is None or test.accepted == "none":
        return (
            f"The test whether {pair.first.name} wins at most {stop.low:g} or at least"
            f" {stop.high:g} bb/100 more than {pair.second.name} is not decided {after}."
        )
    is_high = test.accepted == "high"
    rejected = f"at most {stop.low:g}" if is_high else f"at least {stop.high:g}"
    error = stop.alpha if is_high else stop.beta
    return (
        f"The test ended {after}: it rejects that {pair.first.name} wins {rejected} bb/100"
        f" more than {pair.second.name}. Such a test rejects what is true in at most"
        f" {_percent(error)} of matches."
    )


def _difference(pair: Comparison) -> str:
    better, worse = (pair.first, pair.second) if pair.leads else (pair.second, pair.first)
    much = f"{abs(pair.difference.mean):.1f} bb/100 more"
    details = [
        f"{_rate(better)} against {_rate(worse)}",
        f"95 %: {_interval(pair)}",
        _hands(pair),
        "without the luck of the cards",
    ]
    if pair.test is not None:
        details.append("holds whenever the test ends")
        start = f"{better.name} won {much} than {worse.name}"
    elif pair.verdict == "undecided":
        start = (
            f"Not decided: who of {pair.first.name} and {pair.second.name} plays better."
            f" {better.name} won {much}"
        )
    else:
        start = f"{better.name} wins {much} than {worse.name}"
    if pair.pairs > 1:
        details.append(f"all {pair.pairs} pairs hold together")
    return f"{start} ({'; '.join(details)})."


def _interval(pair: Comparison) -> str:
    """Return the interval of how much more the better of both wins."""
    interval = pair.interval
    if interval is None:
        raise ValueError("a pair without an interval has no ends")
    low, high = (interval.low, interval.high) if pair.leads else (-interval.high, -interval.low)
    return f"{low + 0.0:.1f} to {high + 0.0:.1f}"


def _limits(pair: Comparison) -> Iterator[str]:
    """Yield what the interval does not say, and how long a match would decide."""
    decks = pair.difference.count
    if pair.test is not None and pair.test.accepted != "none":
        yield "A match that is ended by its result exaggerates the difference."
    if decks < FEW_DECKS:
        yield (
            f"Fewer than {FEW_DECKS} decks may lack the rare big pots, so their interval may be too"
            " short and decides nothing."
        )
    if pair.verdict == "undecided" and pair.test is None:
        yield _length(pair)


def _length(pair: Comparison) -> str:
    difference, interval = pair.difference, pair.interval
    if interval is None:
        raise ValueError("without an interval nothing is known of the length")
    needed = (interval.high - interval.low) / 2 + normal_quantile(POWER) * difference.error
    if abs(difference.mean) * _FAR**0.5 <= needed:
        return (
            f"If the difference is as small as that, {_FAR} times as many decks may not decide it."
        )
    decks = max(FEW_DECKS, _rounded_up(difference.count * (needed / difference.mean) ** 2))
    return (
        f"If the difference is as large as that, a new match of {decks:,} decks"
        f" ({decks * pair.hands_per_deck:,} hands) decides it in {_percent(POWER)} of cases."
    )


def _scope(plan: Plan) -> str:
    rules, players = plan.rules, len(plan.players)
    stack = f"{rules.stack / rules.big_blind:g} bb"
    table = "heads-up" if players == _HEADS_UP else f"{players} at the table"
    return (
        f"This is about these versions, {table}, with {stack} before every hand and the same decks"
        " for all: it says nothing about other stacks, blinds or opponents."
    )


def _hands(pair: Comparison) -> str:
    return f"{pair.hands:,} hands"


def _rate(player: Compared) -> str:
    return f"{round(player.bb_per_100, 1) + 0.0:+.1f}"


def _percent(share: float) -> str:
    return f"{100 * share:g} %"


def _rounded_up(number: float) -> int:
    """Return the next number with two significant digits.

    >>> _rounded_up(4_321), _rounded_up(88)
    (4400, 88)
    """
    step: int = 10 ** max(0, len(str(ceil(number))) - 2)
    return ceil(number / step) * step
