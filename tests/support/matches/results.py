"""Results of matches with believable numbers, built without a game."""

from collections.abc import Sequence
from hashlib import sha256
from itertools import combinations
from math import sqrt
from typing import Literal

from casino_contracts import (
    DecisionLatency,
    Estimate,
    HeadToHead,
    Interval,
    League,
    LeagueEntry,
    MatchPair,
    MatchPlayer,
    MatchResult,
    NotableHand,
    PairSeriesPoint,
    PlayStatistics,
    PositionResult,
    StreetResult,
    Tally,
)
from casino_contracts.matches.results import Estimator, Verdict

DECK_DEVIATION = 250.0
"""In bb/100, of the difference of two players on a deck without luck taken out."""
NOTABLE: tuple[tuple[int, Literal["biggest", "decisive"]], ...] = (
    (17, "biggest"),
    (420, "decisive"),
)
_LEFT: dict[Estimator, float] = {"plain": 1.0, "all-in": 0.7, "adjusted": 0.4}
"""How much of the deviation an estimator leaves."""
_HISTORY = """variant = "NT"
antes = [0, 0]
blinds_or_straddles = [1, 2]
min_bet = 2
starting_stacks = [200, 200]
actions = [
  "d dh p1 AsAh", "d dh p2 KsKh", "p2 cbr 200", "p1 cc", "p1 sm AsAh", "p2 sm KsKh",
  "d db 2c7d9h", "d db Ts", "d db 3c",
]
finishing_stacks = [400, 0]
players = ["{first}", "{second}"]
"""


def digest(text: str) -> str:
    return f"sha256:{sha256(text.encode()).hexdigest()}"


def match_result(
    names: Sequence[str] = ("equity", "tight"),
    rate: float = 12.0,
    decks: int = 2_000,
    *,
    name: str = "match",
    seed: str = "a seed",
    versions: Sequence[str | None] = (),
    points: int = 40,
) -> MatchResult:
    """Return the result of a match in which each player wins `rate` bb/100 more than the next.

    It is better than it by that many bb/100, as far as the decks are enough to say so.
    """
    rates = {player: rate * (len(names) - 1 - 2 * at) / 2 for at, player in enumerate(names)}
    hands = decks * len(names)
    plan = {"name": name, "deal": {"seed": seed, "decks": decks}, "players": list(names)}
    return MatchResult(
        name=name,
        plan=plan,
        plan_digest=digest(f"plan {name} {seed} {versions}"),
        digest=digest(f"{name} {seed} {names} {rate} {decks} {versions}"),
        decks=decks,
        hands=hands,
        is_complete=True,
        big_blind=2,
        players=tuple(
            _player(player, rates[player], decks, hands, version)
            for player, version in zip(names, [*versions, *[None] * len(names)], strict=False)
        ),
        pairs=tuple(
            _pair(first, second, rates[first] - rates[second], decks, hands, points)
            for first, second in combinations(names, 2)
        ),
        notable_hands=tuple(
            NotableHand(
                deck=deck,
                seating=0,
                pot=400,
                players=tuple(names[:2]),
                net={names[0]: 200, names[1]: -200},
                kind=kind,
                history=_HISTORY.format(first=names[0], second=names[1]),
            )
            for deck, kind in NOTABLE
        ),
        finished_at="2026-11-23T20:00:00Z",
    )


def league_table(names: Sequence[str], rate: float = 12.0, hands: int = 4_000) -> League:
    middle, half = (len(names) - 1) / 2, Interval(low=-4.5, high=4.5)
    return League(
        name="league",
        provisional_below=5_000,
        players=tuple(
            LeagueEntry(
                name=player,
                player=f"style:{player}",
                version=digest(player),
                rank=at + 1,
                worst_rank=at + 1,
                bb_per_100=rate * (middle - at),
                interval=_moved(half, rate * (middle - at)),
                hands=hands * (len(names) - 1),
                is_provisional=hands * (len(names) - 1) < 5_000,
            )
            for at, player in enumerate(names)
        ),
        matrix=tuple(
            HeadToHead(
                first=names[first],
                second=names[second],
                bb_per_100=rate * (second - first),
                interval=_moved(half, rate * (second - first)),
                hands=hands,
                verdict="better",
                match=f"{names[first]}-{names[second]}",
            )
            for first, second in combinations(range(len(names)), 2)
        ),
        updated_at="2026-11-23T20:00:00Z",
    )


def _moved(interval: Interval, rate: float) -> Interval:
    return Interval(low=rate + interval.low, high=rate + interval.high)


def estimates(rate: float, decks: int) -> tuple[Estimate, ...]:
    return tuple(
        Estimate(
            estimator=estimator,
            bb_per_100=round(rate, 3),
            normal=_interval(rate, left, decks),
            bootstrap=_interval(rate, 1.01 * left, decks),
            deck_deviation=DECK_DEVIATION * left,
            variance_ratio=round(2.2 / left**2, 2),
        )
        for estimator, left in _LEFT.items()
    )


def _interval(rate: float, left: float, decks: int) -> Interval | None:
    if decks < 30:
        return None
    half = 1.96 * DECK_DEVIATION * left / sqrt(decks)
    return Interval(low=round(rate - half, 3), high=round(rate + half, 3))


def _player(name: str, rate: float, decks: int, hands: int, version: str | None) -> MatchPlayer:
    half = hands // 2
    return MatchPlayer(
        name=name,
        player=f"style:{name}",
        version=version or digest(name),
        hands=hands,
        net=round(rate * hands / 50),
        estimates=estimates(rate, decks),
        statistics=_statistics(hands),
        decisions=2 * hands,
        outcomes={"ok": 2 * hands - 3, "illegal": 2, "timeout": 1},
        latency=DecisionLatency(decisions=2 * hands, p50=1, p95=7),
        positions=(
            PositionResult(position="BTN", hands=half, net=300, statistics=_statistics(half)),
            PositionResult(position="BB", hands=half, net=-300),
        ),
        streets=(StreetResult(street="preflop", net=120), StreetResult(street="river", net=-120)),
    )


def _statistics(hands: int) -> PlayStatistics:
    def part(share: float, of: float) -> Tally:
        return Tally(count=int(share * of * hands), of=int(of * hands))

    return PlayStatistics(
        vpip=part(0.34, 0.97),
        pfr=part(0.22, 0.96),
        three_bet=part(0.08, 0.3),
        c_bet=part(0.6, 0.15),
        aggression=part(2.4, 0.2),
        went_to_showdown=part(0.28, 0.4),
        won_at_showdown=part(0.53, 0.11),
    )


def _pair(first: str, second: str, rate: float, decks: int, hands: int, points: int) -> MatchPair:
    headline = estimates(rate, decks)[-1]
    interval = headline.bootstrap
    verdict: Verdict = "undecided"
    if interval is not None:
        verdict = "better" if interval.low > 0 else "worse" if interval.high < 0 else "undecided"
    return MatchPair(
        first=first,
        second=second,
        estimates=estimates(rate, decks),
        headline="adjusted",
        simultaneous=interval,
        verdict=verdict,
        sentence=f"{first} wins {rate:.1f} bb/100 more than {second} after {hands} hands.",
        series=tuple(_point(rate, at * decks // points) for at in range(1, points + 1)),
    )


def _point(rate: float, decks: int) -> PairSeriesPoint:
    decks = max(decks, 1)
    half = 1.96 * DECK_DEVIATION * 0.4 / sqrt(decks)
    shown = rate + half / 3
    return PairSeriesPoint(decks=decks, bb_per_100=shown, low=shown - half, high=shown + half)
