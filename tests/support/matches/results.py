"""Results of matches and leagues with believable numbers, built without a game."""

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
)
from casino_contracts.match_results import Estimator, Verdict

_DECK_DEVIATION = 250.0
"""In bb/100, of the difference of two players on a deck without luck taken out."""
_LEFT: dict[Estimator, float] = {"plain": 1.0, "all-in": 0.7, "adjusted": 0.4}
"""How much of the deviation an estimator leaves."""
_SHARES = {
    "vpip": (0.33, 0.97),
    "pfr": (0.21, 0.96),
    "three_bet": (0.02, 0.3),
    "c_bet": (0.09, 0.15),
    "aggression": (0.48, 0.2),
    "went_to_showdown": (0.11, 0.4),
    "won_at_showdown": (0.06, 0.11),
}
"""Of all hands: those that count, and those of which they are counted."""
_NOTABLE: tuple[tuple[int, Literal["biggest", "decisive"]], ...] = (
    (17, "biggest"),
    (420, "decisive"),
)
_AT = "2026-11-23T20:00:00Z"
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


def match_result(
    names: Sequence[str] = ("equity", "tight"),
    rate: float = 12.0,
    decks: int = 2_000,
    *,
    name: str = "match",
    points: int = 40,
) -> MatchResult:
    """Return the result of a match in which each player wins `rate` bb/100 more than the next.

    It is better than it by that many bb/100, as far as the decks are enough to say so.
    """
    rates = {player: rate * (len(names) - 1 - 2 * at) / 2 for at, player in enumerate(names)}
    return MatchResult(
        name=name,
        plan={"name": name, "deal": {"seed": "a seed", "decks": decks}, "players": list(names)},
        plan_digest=_digest(f"plan {name}"),
        digest=_digest(f"{name} {names} {rate} {decks}"),
        decks=decks,
        hands=decks * len(names),
        is_complete=True,
        big_blind=2,
        players=tuple(_player(player, rates[player], decks, len(names)) for player in names),
        pairs=tuple(
            _pair(first, second, rates[first] - rates[second], decks, points)
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
            for deck, kind in _NOTABLE
        ),
        finished_at=_AT,
    )


def league_table(names: Sequence[str]) -> League:
    """Return a league in which each player wins 12 bb/100 more than the next."""
    middle, hands = (len(names) - 1) / 2, 4_000
    return League(
        name="league",
        provisional_below=5_000,
        players=tuple(
            LeagueEntry(
                name=player,
                player=f"style:{player}",
                version=_digest(player),
                rank=at + 1,
                worst_rank=at + 1,
                bb_per_100=12 * (middle - at),
                interval=_interval(12 * (middle - at), 4.5),
                hands=hands * (len(names) - 1),
                is_provisional=hands * (len(names) - 1) < 5_000,
            )
            for at, player in enumerate(names)
        ),
        matrix=tuple(
            HeadToHead(
                first=names[first],
                second=names[second],
                bb_per_100=12 * (second - first),
                interval=_interval(12 * (second - first), 4.5),
                hands=hands,
                verdict="better",
                match=f"{names[first]}-{names[second]}",
            )
            for first, second in combinations(range(len(names)), 2)
        ),
        updated_at=_AT,
    )


def _digest(text: str) -> str:
    return f"sha256:{sha256(text.encode()).hexdigest()}"


def _interval(rate: float, half: float) -> Interval:
    return Interval(low=round(rate - half, 3), high=round(rate + half, 3))


def _estimates(rate: float, decks: int) -> tuple[Estimate, ...]:
    estimates = []
    for estimator, left in _LEFT.items():
        half = 1.96 * _DECK_DEVIATION * left / sqrt(decks)
        estimate = Estimate(
            estimator=estimator,
            bb_per_100=round(rate, 3),
            normal=_interval(rate, half) if decks >= 30 else None,
            bootstrap=_interval(rate, 1.01 * half) if decks >= 30 else None,
            deck_deviation=_DECK_DEVIATION * left,
            variance_ratio=round(2.2 / left**2, 2),
        )
        estimates.append(estimate)
    return tuple(estimates)


def _player(name: str, rate: float, decks: int, seatings: int) -> MatchPlayer:
    hands = decks * seatings
    counts = {
        key: {"count": int(n * hands), "of": int(of * hands)} for key, (n, of) in _SHARES.items()
    }
    statistics = PlayStatistics.model_validate(counts)
    return MatchPlayer(
        name=name,
        player=f"style:{name}",
        version=_digest(name),
        hands=hands,
        net=round(rate * hands / 50),
        estimates=_estimates(rate, decks),
        statistics=statistics,
        decisions=2 * hands,
        outcomes={"ok": 2 * hands - 3, "illegal": 2, "timeout": 1},
        latency=DecisionLatency(decisions=2 * hands, p50=1, p95=7),
        positions=(
            PositionResult(position="BTN", hands=hands // 2, net=300, statistics=statistics),
            PositionResult(position="BB", hands=hands // 2, net=-300),
        ),
        streets=(StreetResult(street="preflop", net=120), StreetResult(street="river", net=-120)),
    )


def _pair(first: str, second: str, rate: float, decks: int, points: int) -> MatchPair:
    estimates = _estimates(rate, decks)
    interval = estimates[-1].bootstrap
    verdict: Verdict = "undecided"
    if interval is not None:
        verdict = "better" if interval.low > 0 else "worse" if interval.high < 0 else "undecided"
    return MatchPair(
        first=first,
        second=second,
        estimates=estimates,
        headline="adjusted",
        simultaneous=interval,
        verdict=verdict,
        sentence=f"{first} wins {rate:.1f} bb/100 more than {second} after {decks} decks.",
        series=tuple(_point(rate, at * decks // points) for at in range(1, points + 1)),
    )


def _point(rate: float, decks: int) -> PairSeriesPoint:
    decks = max(decks, 1)
    half = 1.96 * _DECK_DEVIATION * 0.4 / sqrt(decks)
    shown = rate + half / 3
    return PairSeriesPoint(decks=decks, bb_per_100=shown, low=shown - half, high=shown + half)
