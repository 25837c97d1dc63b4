"""How players play: shares with their samples, times, win rates, the course of nets."""

from dataclasses import dataclass, field
from math import ceil, log, sqrt

from pydantic import Field

from casino_contracts.base import DefaultDetail, DefaultReason, ModelName, WireModel, optional
from casino_contracts.numbers import MAX_SAFE, Amount, PositiveWhole, SignedAmount, Whole
from casino_contracts.play_counts import PlayCounts
from casino_contracts.player_messages import Usage

LATENCY_ERROR = 0.05  # maximum relative error of a quantile of latencies


class Tally(WireModel):
    """How often something happened, and how often it could have happened."""

    count: Whole
    of: Whole = Field(description="The opportunities. The share is `count` divided by `of`.")


class PlayStatistics(WireModel):
    """How a player plays Hold'em; defined as by PokerTracker, in hands unless said otherwise."""

    vpip: Tally = Field(
        description="Called or raised before the flop; of the hands, without those in which"
        " everybody folded to the player's big blind."
    )
    pfr: Tally = Field(description="Raised before the flop; of those in which it was possible.")
    three_bet: Tally = Field(
        description="Raised the first raise before the flop, which was another player's; of those"
        " in which it was possible."
    )
    c_bet: Tally = Field(
        description="Made the first bet on the flop after the last raise before it; of those in"
        " which it was possible."
    )
    aggression: Tally = Field(
        description="Bets and raises after the flop was dealt; `of` counts the calls, so that the"
        " ratio, the aggression factor, may be above 1."
    )
    went_to_showdown: Tally = Field(description="Of the hands in which the player saw the flop.")
    won_at_showdown: Tally = Field(
        description="Won a pot or a share of it at the showdown; of all showdowns of the player."
    )


class DecisionLatency(WireModel):
    """Time that a player's decisions took, in ms; exact up to 10 ms, within 5 % beyond."""

    decisions: PositiveWhole = Field(
        description="Decisions for which the player was asked, failed ones included."
    )
    p50: Whole = Field(description="Half of the decisions took at most so long.")
    p95: Whole = Field(description="95 % of the decisions took at most so long.")


class NetLine(WireModel):
    """The course of a player's net, in chips."""

    player_id: str
    display_name: str
    net: SignedAmount = Field(description="After the last hand.")
    nets: tuple[SignedAmount | None, ...] = Field(
        description="Two for each step, up to the player's last: the lowest and the highest net"
        " after a hand of it, in the order in which they occurred; null if the player had none."
    )


class NetSeries(WireModel):
    """The nets of a room's players over all hands, in at most 200 steps of equal length."""

    room_id: str
    hands: Whole = Field(description="Number of completed hands in the series.")
    first_hand: PositiveWhole | None = optional(description="The number of the first hand.")
    hands_per_step: PositiveWhole = Field(description="The last step may have fewer.")
    last_hands: tuple[PositiveWhole, ...] = Field(
        description="The number of the last hand of each step. A step covers the hands after the"
        " step before."
    )
    players: tuple[NetLine, ...]


class DefaultCount(WireModel):
    """How often something answered in a player's place, by the reason that was given."""

    reason: DefaultReason
    count: PositiveWhole
    detail: DefaultDetail | None = optional(description="The newest that is public.")


class DecisionCosts(WireModel):
    """What a player's decisions cost in completed hands, as the player says."""

    models: tuple[ModelName, ...] = Field(description="The models that were asked, at most 8.")
    decisions: PositiveWhole = Field(description="Decisions that said what they cost.")
    attempts: Whole
    latency_ms: Whole = Field(description="How long the models took, in ms.")
    input_tokens: Whole
    output_tokens: Whole
    cached_tokens: Whole
    reasoning_tokens: Whole
    cost_usd: Amount | None = optional(description="Absent if no decision said a price.")
    unpriced: Whole | None = optional(description="Decisions without a price, if there are any.")
    tokens_per_100_hands: Amount
    usd_per_100_hands: Amount | None = optional(description="Absent if a decision has no price.")
    won_per_usd: float | None = optional(
        description="Mean result of 100 hands by the dollars that they cost; in the unit of the"
        " results. Absent if a decision has no price."
    )
    won_per_1000_tokens: float | None = optional(
        description="The same by thousands of tokens; absent if there are none."
    )


@dataclass
class CostSum:
    """Sum of what a player's decisions cost.

    >>> costs = CostSum()
    >>> costs.add(Usage(model="small", input_tokens=900, output_tokens=100, cost_usd=0.002))
    >>> of = costs.over(hands=1, won_per_100=50.0)
    >>> of.tokens_per_100_hands, of.usd_per_100_hands, of.won_per_usd, of.won_per_1000_tokens
    (100000, 0.2, 250.0, 0.5)
    """

    models: list[str] = field(default_factory=list)
    decisions: int = 0
    attempts: int = 0
    latency_ms: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    nano_usd: int = 0  # whole, so that the sum is the same in any order
    priced: int = 0  # decisions that said a price

    def add(self, usage: Usage) -> None:
        if usage.model:
            self._name(usage.model)
        self.decisions += 1
        for name in _COUNTED:
            total = getattr(self, name) + (getattr(usage, name) or 0)
            setattr(self, name, min(total, MAX_SAFE))
        if usage.cost_usd is not None:
            self.priced += 1
            self.nano_usd = min(self.nano_usd + round(usage.cost_usd * _NANO), MAX_SAFE)

    def include(self, costs: "CostSum") -> None:
        for model in costs.models:
            self._name(model)
        for name in _SUMMED:
            setattr(self, name, min(getattr(self, name) + getattr(costs, name), MAX_SAFE))

    def _name(self, model: str) -> None:
        if model not in self.models and len(self.models) < _MODELS_KEPT:
            self.models.append(model)

    @property
    def usd(self) -> float:
        return self.nano_usd / _NANO

    def over(self, hands: int, won_per_100: float) -> DecisionCosts | None:
        """Return the costs of a player's hands; None if no decision said what it cost."""
        if not self.decisions:
            return None
        tokens = min(self.input_tokens + self.output_tokens, MAX_SAFE)
        usd = self.usd
        is_priced = self.priced == self.decisions and hands > 0
        per_100 = _PER / hands if hands else 0.0
        return DecisionCosts(
            models=tuple(self.models),
            decisions=self.decisions,
            **{name: getattr(self, name) for name in _COUNTED},
            cost_usd=usd if self.priced else None,
            unpriced=self.decisions - self.priced or None,
            tokens_per_100_hands=min(round(tokens * per_100), MAX_SAFE),
            usd_per_100_hands=round(usd * per_100, _USD_DECIMALS) if is_priced else None,
            won_per_usd=won_per_100 / (usd * per_100) if is_priced and usd else None,
            won_per_1000_tokens=won_per_100 / (tokens * per_100 / 1000)
            if tokens and hands
            else None,
        )


_MODELS_KEPT = 8
_NANO = 1_000_000_000
_USD_DECIMALS = 6
_COUNTED = (
    "attempts",
    "latency_ms",
    "input_tokens",
    "output_tokens",
    "cached_tokens",
    "reasoning_tokens",
)
_SUMMED = (*_COUNTED, "decisions", "nano_usd", "priced")

GROWTH = 1.1  # each bucket is this many times as wide as the bucket before
_LOG_GROWTH = log(GROWTH)
LAST_BUCKET = 170  # holds everything from three hours on


@dataclass
class LatencySketch:
    """Numbers of decisions by time, in logarithmic buckets of milliseconds.

    A quantile is exact up to 10 ms, and within 5 % beyond. Sketches of the same decisions are
    equal, in any order.

    >>> sketch = LatencySketch()
    >>> for latency_ms in range(1, 1001):
    ...     sketch.add(latency_ms)
    >>> sketch.total, sketch.quantile(0.5), sketch.quantile(0.95)
    (1000, 514, 911)
    """

    buckets: dict[int, int] = field(default_factory=dict)
    """By the number of the bucket; bucket 0 holds those below 1 ms."""

    @property
    def total(self) -> int:
        return sum(self.buckets.values())

    def add(self, latency_ms: int) -> None:
        buckets = self.buckets
        bucket = _SHORT[latency_ms] if latency_ms < _SHORT_TIMES else _bucket(latency_ms)
        buckets[bucket] = buckets.get(bucket, 0) + 1

    def include(self, sketch: "LatencySketch") -> None:
        for bucket, count in sketch.buckets.items():
            self.buckets[bucket] = self.buckets.get(bucket, 0) + count

    def quantile(self, share: float) -> int | None:
        """Return the time in ms that this share of the decisions took at most; None without any."""
        rank = max(1, ceil(share * self.total))
        for bucket in sorted(self.buckets):
            rank -= self.buckets[bucket]
            if rank <= 0:
                return _middle(bucket)
        return None


def _bucket(latency_ms: int) -> int:
    return min(LAST_BUCKET, 1 + int(log(latency_ms) / _LOG_GROWTH)) if latency_ms else 0


_SHORT_TIMES = 1_024
_SHORT = bytes(map(_bucket, range(_SHORT_TIMES)))  # the buckets of short times, which are most


def _middle(bucket: int) -> int:
    """Return the time that stands for a bucket: the geometric mean of its bounds."""
    if bucket == 0:
        return 0
    return round(float(GROWTH ** (bucket - 0.5)))


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


FEWEST_HANDS = 30
"""Number of hands below which there is no interval: their variance says nothing yet."""

_PER = 100
_NORMAL_975 = 1.959964  # the 97.5 % quantile of the normal distribution


@dataclass
class WinRate:
    """Mean result of a player's hands, per 100 hands, in the unit of the results.

    The results are added one by one; their mean and variance are updated by Welford's method, so a
    session of any length takes no memory.

    >>> rate = WinRate()
    >>> for result in (2, -1) * 50:
    ...     rate.add(result)
    >>> rate.hands, rate.per_100, round(rate.half_interval, 2)
    (100, 50.0, 29.91)
    """

    hands: int = 0
    mean: float = 0.0
    squares: float = 0.0  # sum of the squared deviations from the mean

    def add(self, result: float) -> None:
        self.hands += 1
        deviation = result - self.mean
        self.mean += deviation / self.hands
        self.squares += deviation * (result - self.mean)

    def include(self, rate: "WinRate") -> None:
        """Count the hands of another rate as well, as if their results had been added here."""
        if rate.hands:
            deviation, before = rate.mean - self.mean, self.hands
            self.hands += rate.hands
            share = rate.hands / self.hands
            self.mean += deviation * share
            self.squares += rate.squares + deviation * deviation * before * share

    @property
    def per_100(self) -> float:
        """The mean of 100 hands; 0 without a hand."""
        return self.mean * _PER

    @property
    def half_interval(self) -> float | None:
        """Half the 95 % interval by Student's t; None below `FEWEST_HANDS`, or all the same."""
        if self.hands < FEWEST_HANDS or self.squares <= 0:
            return None
        variance = self.squares / (self.hands - 1)
        return quantile_975(self.hands - 1) * sqrt(variance / self.hands) * _PER


def quantile_975(freedom: int) -> float:
    """Return the 97.5 % quantile of Student's t distribution by Fisher's expansion.

    `freedom` is the number of degrees of freedom; from 10 on, the error is below 0.001.

    >>> round(quantile_975(29), 4), round(quantile_975(1000), 4)
    (2.0452, 1.9623)
    """
    z = _NORMAL_975
    return (
        z
        + (z**3 + z) / (4 * freedom)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * freedom**3)
    )
