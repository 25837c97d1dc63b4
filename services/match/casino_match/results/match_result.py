"""The result of a match, from its plan and its blocks. Pure."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from casino_contracts.match_results import (
    Interval,
    MatchPair,
    MatchPlayer,
    MatchResult,
    PairSeriesPoint,
)
from casino_contracts.play_statistics import latency_of, statistics_of
from pydantic_core import from_json

from casino_match.domain.block import PlayedBlock
from casino_match.domain.plan import Plan
from casino_match.results.running_result import (
    Describe,
    RunningResult,
    defaults_of,
    is_judged,
    not_own,
    play_of,
    positions_of,
    streets_of,
)
from casino_match.results.verdict_sentences import (
    Compared,
    Comparison,
    no_verdict,
    sentence_of,
    verdict_of,
)
from casino_match.statistics.deck_values import Floats, Moments
from casino_match.statistics.estimates import FEWEST_DECKS, HEADLINE, Sample, around, running, shown
from casino_match.statistics.sequential import CONFIDENCE, anytime_quantile, student_quantile

SERIES_POINTS = 200
"""Maximum number of points of a chart."""


def result_of(
    plan: Plan,
    blocks: Iterable[PlayedBlock],
    *,
    describe: Describe | None = None,
    finished_at: datetime | None = None,
) -> MatchResult:
    """Return the result up to the stopping rule; raises StoreFailed for none or a gap."""
    reading = RunningResult(plan)
    for block in blocks:
        reading.add(block)
        if reading.is_over:
            break
    return result_of_running(reading, describe=describe, finished_at=finished_at)


def result_of_running(
    reading: RunningResult, *, describe: Describe | None = None, finished_at: datetime | None = None
) -> MatchResult:
    """Return the result of the blocks that were read so far; as `result_of`."""
    plan = reading.plan
    sample = Sample(reading.values(), reading.hands_per_deck, plan.digest)
    unjudged = tuple(
        entrant.name
        for entrant, conduct in zip(plan.players, reading.conduct, strict=True)
        if not is_judged(conduct, plan.faults)
    )
    return MatchResult(
        name=plan.name,
        plan=plan.model_dump(mode="json"),
        plan_digest=plan.digest,
        digest=reading.digest,
        decks=reading.decks,
        hands=reading.hands,
        is_complete=reading.is_over,
        big_blind=plan.rules.big_blind,
        players=tuple(_player(reading, sample, index) for index in range(len(plan.players))),
        pairs=_pairs(reading, sample, unjudged),
        unjudged=unjudged or None,
        sequential_test=reading.test,
        notable_hands=() if describe is None else reading.notable.described(describe),
        finished_at=None if finished_at is None else finished_at.isoformat(),
    )


Seal = Callable[[Mapping[str, Any]], dict[str, Any]]
"""Returns a JSON object with a key and its signature."""


def signed_result(result: MatchResult, seal: Seal) -> MatchResult:
    """Return the result with a key, and its signature of all the rest."""
    return MatchResult.model_validate(seal(from_json(result.wire())))


def wrong_in(document: Mapping[str, Any], computed: MatchResult) -> str | None:
    """Return what is wrong first with a written result, as JSON, or None.

    `computed` is the result of the blocks. What they do not hold, as times, is not compared. A
    result without a signature has none that is wrong.
    """
    # Imported lazily: few processes check signatures.
    from casino_agentkit.card_key import sealed_by  # noqa: PLC0415

    written = MatchResult.model_validate(document)
    for part in ("plan_digest", "digest", "decks", "hands"):
        if (said := getattr(written, part)) != (follows := getattr(computed, part)):
            return f"{part}: the blocks give {follows}, not {said}"
    for player, again in zip(written.players, computed.players, strict=False):
        for part in ("name", "version", "net", "outcomes", "key"):
            if (said := getattr(player, part)) != (follows := getattr(again, part)):
                return f"players: {part} of {again.name}: the blocks give {follows}, not {said}"
    if len(written.players) != len(computed.players):
        return f"players: there are {len(written.players)}, not {len(computed.players)}"
    if written.key is None and written.signature is None:
        return None
    try:
        sealed_by(document)
    except ValueError as error:
        return str(error)
    return None


def _player(reading: RunningResult, sample: Sample, index: int) -> MatchPlayer:
    entrant, conduct = reading.plan.players[index], reading.conduct[index]
    defaulted = defaults_of(conduct)
    reported, rate = conduct.reported, sample.moments(HEADLINE, index).mean
    models = [*reported.models, *reported.costs.models]
    return MatchPlayer(
        name=entrant.name,
        player=entrant.player,
        version=entrant.version,
        key=reported.signers[0] if len(reported.signers) == 1 else None,
        hands=reading.hands,
        net=reading.nets[index],
        estimates=sample.estimates(index),
        statistics=statistics_of(play_of(conduct)),
        decisions=sum(conduct.outcomes.values()),
        outcomes=conduct.outcomes,
        not_own=sum(not_own(conduct.outcomes, defaulted).values()),
        defaulted=defaulted or None,
        models=tuple(dict.fromkeys(models)) or None,
        costs=reported.costs.over(reading.hands, rate),
        latency=latency_of(conduct.latency),
        positions=positions_of(conduct),
        streets=streets_of(conduct),
    )


def _pairs(
    reading: RunningResult, sample: Sample, unjudged: Sequence[str]
) -> tuple[MatchPair, ...]:
    quantile = sample.simultaneous_quantile()
    pairs = (_pair(reading, sample, pair, quantile) for pair in sample.pairs)
    if not unjudged:
        return tuple(pairs)
    players = [_compared(reading, sample, index) for index in range(len(reading.plan.players))]
    sentence = no_verdict([who for who in players if who.name in unjudged])
    return tuple(
        pair.model_copy(update={"verdict": "undecided", "sentence": sentence}) for pair in pairs
    )


def _pair(
    reading: RunningResult, sample: Sample, pair: tuple[int, int], quantile: float | None
) -> MatchPair:
    plan = reading.plan
    first, second = (_compared(reading, sample, index) for index in pair)
    difference = sample.moments(HEADLINE, pair)
    simultaneous = _simultaneous(reading, difference, quantile)
    verdict = verdict_of(plan, reading.decks, simultaneous, reading.test)
    comparison = Comparison(
        first=first,
        second=second,
        difference=difference,
        interval=simultaneous,
        verdict=verdict,
        hands=reading.hands,
        hands_per_deck=reading.hands_per_deck,
        pairs=len(sample.pairs),
        test=reading.test,
        is_complete=reading.is_over,
    )
    return MatchPair(
        first=first.name,
        second=second.name,
        estimates=sample.estimates(pair),
        headline=HEADLINE,
        simultaneous=simultaneous,
        verdict=verdict,
        sentence=sentence_of(plan, comparison),
        series=series_of(sample.column(HEADLINE, pair)),
    )


def _compared(reading: RunningResult, sample: Sample, index: int) -> Compared:
    return Compared(
        reading.plan.players[index].name,
        sample.moments(HEADLINE, index).mean,
        sum(reading.conduct[index].outcomes.values()),
        not_own(reading.conduct[index].outcomes, defaults_of(reading.conduct[index])),
    )


def _simultaneous(
    reading: RunningResult, moments: Moments, quantile: float | None
) -> Interval | None:
    if quantile is None:
        return None
    if reading.test is None:
        return around(moments, quantile)
    return around(moments, max(quantile, anytime_quantile(moments.count, reading.plan.deal.decks)))


def series_of(column: Floats) -> tuple[PairSeriesPoint, ...]:
    """Return the estimate after every so many decks, each with its own 95 % interval."""
    decks = len(column)
    if decks < FEWEST_DECKS:
        return ()
    steps = min(SERIES_POINTS, decks - FEWEST_DECKS + 1)
    span = decks - FEWEST_DECKS
    ends = [FEWEST_DECKS + span * step // max(1, steps - 1) for step in range(steps)]
    points = []
    for moments in running(column, ends):
        half = student_quantile((1 + CONFIDENCE) / 2, moments.count - 1) * moments.error
        points.append(
            PairSeriesPoint(
                decks=moments.count,
                bb_per_100=shown(moments.mean),
                low=shown(moments.mean - half),
                high=shown(moments.mean + half),
            )
        )
    return tuple(points)
