"""The result of blocks."""

import json
from datetime import UTC, datetime

import pytest
from casino_contracts.matches.results import MatchResult
from casino_match.domain.plan import Stop
from casino_match.errors import StoreFailed
from casino_match.results import Reading, result_of, result_of_reading
from casino_match.results.match_result import SERIES_POINTS
from support.match.made_blocks import made_block, made_deck, plan_of, random_blocks

PLAN = plan_of("equity", "tight", decks=500, decks_per_block=100)
RESULT = result_of(PLAN, random_blocks(PLAN, edge=1), finished_at=datetime(2026, 1, 2, tzinfo=UTC))


def test_it_names_the_plan_and_the_players() -> None:
    """And adds up what they won and did."""
    assert (RESULT.decks, RESULT.hands, RESULT.is_complete) == (500, 1_000, True)
    assert RESULT.plan_digest == PLAN.digest
    assert RESULT.plan["deal"]["decks"] == 500
    assert RESULT.finished_at == "2026-01-02T00:00:00+00:00"
    equity, tight = RESULT.players
    assert (equity.name, equity.player) == ("equity", "style:equity")
    assert (
        equity.net
        == -tight.net
        == sum(deck.net[0] for block in random_blocks(PLAN, edge=1) for deck in block.decks)
    )
    assert (equity.hands, equity.decisions) == (1_000, 1_000)
    assert equity.outcomes == {"ok": 995, "timeout": 5}
    assert equity.statistics is not None
    assert (equity.statistics.vpip.count, equity.statistics.vpip.of) == (5, 10)
    assert equity.latency is not None
    assert (equity.latency.decisions, equity.latency.p95) == (1_000, 3)
    assert [(each.position, each.hands, each.net) for each in equity.positions] == [
        ("BTN", 1_000, equity.net)
    ]
    assert [(each.street, each.net) for each in equity.streets] == [("flop", equity.net)]


def test_estimators_agree_with_the_chips_and_with_the_truth() -> None:
    """1 chip a hand is 50 bb/100 for each, 100 between them; only luck is wide."""
    plain, all_in, without_luck = RESULT.pairs[0].estimates
    assert plain.bb_per_100 == pytest.approx(RESULT.players[0].net / 1_000 / 2 * 100 * 2)
    for estimate in (plain, all_in, without_luck):
        assert estimate.normal is not None
        assert estimate.normal.low < 100 < estimate.normal.high
    assert all_in.bb_per_100 == without_luck.bb_per_100
    assert all_in.deck_deviation < plain.deck_deviation / 3
    assert plain.variance_ratio is not None
    assert all_in.variance_ratio is not None
    assert all_in.variance_ratio > 9 * plain.variance_ratio


def test_the_verdict_is_that_of_the_headline() -> None:
    """With a series that ends at the estimate."""
    (pair,) = RESULT.pairs
    assert (pair.first, pair.second, pair.headline) == ("equity", "tight", "adjusted")
    assert pair.verdict == "better"
    assert pair.simultaneous is not None
    assert pair.simultaneous.low > 0
    assert len(pair.series) == SERIES_POINTS
    assert (pair.series[0].decks, pair.series[-1].decks) == (30, 500)
    assert pair.series[-1].bb_per_100 == pair.estimates[2].bb_per_100
    assert pair.estimates[2].normal is not None
    assert pair.series[-1].low == pair.estimates[2].normal.low
    decks = [point.decks for point in pair.series]
    assert decks == sorted(set(decks))


def test_swapped_players_swap_the_verdict() -> None:
    plan = plan_of("tight", "equity")
    swapped = result_of(plan, random_blocks(plan, edge=-1))
    assert swapped.pairs[0].verdict == "worse"
    assert swapped.pairs[0].sentence.startswith("equity wins")


def test_equal_players_tie_at_exactly_zero() -> None:
    """Nothing is decided by an interval without width."""
    plan = plan_of("a", "b", "c")
    blocks = [
        made_block(
            plan, number, [made_deck(deck, *[(0, 0, 0)] * 3) for deck in plan.decks_of(number)]
        )
        for number in range(plan.blocks)
    ]
    result = result_of(plan, blocks)
    assert len(result.pairs) == 3
    for pair in result.pairs:
        assert pair.verdict == "undecided"
        assert "exactly the same on each of 100 decks" in pair.sentence
        assert all(estimate.bb_per_100 == 0 for estimate in pair.estimates)


def test_a_short_match_has_neither_intervals_nor_a_series() -> None:
    plan = plan_of("equity", "tight", decks=20)
    result = result_of(plan, random_blocks(plan))
    assert result.pairs[0].simultaneous is None
    assert result.pairs[0].series == ()
    assert result.pairs[0].verdict == "undecided"


def test_the_result_survives_json() -> None:
    text = RESULT.model_dump_json()
    assert MatchResult.model_validate_json(text) == RESULT
    json.loads(text, parse_constant=pytest.fail)


def test_the_digest_is_of_the_blocks_without_times() -> None:
    """The same for other times, another for another chip or block, and it says what is read."""
    blocks = list(random_blocks(PLAN, edge=1))
    reading = Reading(PLAN)
    digests = [reading.digest]
    for block in blocks:
        for conduct in block.conduct:
            conduct.latency.add(5_000)
        reading.add(block)
        digests.append(reading.digest)
    assert digests[-1] == RESULT.digest
    assert len(set(digests)) == 6
    assert result_of(PLAN, random_blocks(PLAN, edge=0)).digest != RESULT.digest
    partial = result_of(PLAN, blocks[:2])
    assert (partial.digest, partial.is_complete, partial.decks) == (digests[2], False, 200)
    assert "200 of at most 500 decks are played" in partial.pairs[0].sentence


@pytest.mark.parametrize(
    ("number", "plan", "message"),
    [
        (1, PLAN, "block 1 comes where block 0 is next"),
        (0, plan_of("equity", "tight", decks=500), "block 0 is of another plan"),
    ],
)
def test_other_blocks_are_refused(number: int, plan: object, message: str) -> None:
    blocks = list(random_blocks(PLAN if plan is PLAN else plan_of("equity", "tight", decks=500)))
    with pytest.raises(StoreFailed, match=message):
        Reading(PLAN).add(blocks[number])


def test_no_block_is_no_result() -> None:
    with pytest.raises(StoreFailed, match="no block"):
        result_of(PLAN, [])


STOP = Stop(rule="sprt", low=0.0, high=50.0)
SEQUENTIAL = plan_of("equity", "tight", decks=2_000, stop=STOP)


def test_a_sequential_test_ends_the_match_at_the_end_of_a_block() -> None:
    """Blocks after it are neither read nor part of the digest."""
    blocks = list(random_blocks(SEQUENTIAL, edge=1))
    result = result_of(SEQUENTIAL, iter(blocks))
    assert result.sequential_test is not None
    assert result.sequential_test.accepted == "high"
    assert (result.decks, result.is_complete) == (200, True)
    assert result.digest == result_of(SEQUENTIAL, blocks[:4]).digest
    reading = Reading(SEQUENTIAL)
    for block in blocks:
        reading.add(block)
    assert result_of_reading(reading) == result
    assert result.pairs[0].verdict == "better"
    assert "The test ended after 200 decks" in result.pairs[0].sentence


def test_progress_narrows() -> None:
    """Without an interval below 30 decks; with a test, the interval holds at any time."""
    for plan, factor in ((plan_of("a", "b", decks=2_000), 1.0), (SEQUENTIAL, 1.4)):
        reading = Reading(plan)
        widths = [reading.progress.half_width]
        for block in list(random_blocks(plan, edge=0))[:3]:
            reading.add(block)
            assert reading.progress.decks == reading.decks
            widths.append(reading.progress.half_width)
        assert widths.pop(0) is None
        errors = [width / reading.difference.error for width in widths if width is not None]
        assert errors == sorted(errors, reverse=True)
        assert errors[-1] > 1.96 * factor
