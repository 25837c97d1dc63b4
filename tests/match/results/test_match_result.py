"""The result of blocks, made up and really played: estimates, conduct, hands to look at."""

import json
import math
from datetime import UTC, datetime

import pytest
from casino_contracts.match_results import MatchResult
from casino_contracts.play_counts import PlayCounts
from casino_match.domain.block import DecisionCounts
from casino_match.domain.plan import StopRule
from casino_match.errors import StoreFailed
from casino_match.play.played_block import play_block
from casino_match.players.local_players import local_players
from casino_match.results import RunningResult, result_of, result_of_running
from casino_match.results.match_result import SERIES_POINTS
from casino_match.results.running_result import (
    MOST,
    HandText,
    defaults_of,
    merge,
    not_own,
    play_of,
    positions_of,
    streets_of,
)
from casino_match.run.stored_match import describe_of
from support.match import plans
from support.match.made_blocks import made_block, made_deck, plan_of, random_blocks

PLAN = plan_of("equity", "tight", decks=500, decks_per_block=100)
RESULT = result_of(PLAN, random_blocks(PLAN, edge=1), finished_at=datetime(2026, 1, 2, tzinfo=UTC))


def test_it_names_the_plan_and_the_players() -> None:
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
    plan = plan_of("tight", "equity", decks=300)
    swapped = result_of(plan, random_blocks(plan, edge=-1))
    assert swapped.pairs[0].verdict == "worse"
    assert swapped.pairs[0].sentence.startswith("equity wins")


def test_few_decks_decide_nothing_whatever_their_interval() -> None:
    """The same clear difference on one deck fewer than the threshold, and on as many."""
    plan = plan_of("equity", "tight", decks=299)
    (pair,) = result_of(plan, random_blocks(plan, edge=1)).pairs
    assert pair.simultaneous
    assert pair.simultaneous.low > 0
    assert pair.verdict == "undecided"
    assert pair.sentence.startswith("Not decided: who of equity and tight plays better.")
    enough = plan_of("equity", "tight", decks=300)
    assert result_of(enough, random_blocks(enough, edge=1)).pairs[0].verdict == "better"


def test_equal_players_tie_at_exactly_zero() -> None:
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
    reading = RunningResult(PLAN)
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
        RunningResult(PLAN).add(blocks[number])


def test_no_block_is_no_result() -> None:
    with pytest.raises(StoreFailed, match="no block"):
        result_of(PLAN, [])


STOP = StopRule(rule="sprt", low=0.0, high=50.0)
SEQUENTIAL = plan_of("equity", "tight", decks=2_000, stop=STOP)


def test_a_sequential_test_ends_the_match_at_the_end_of_a_block() -> None:
    """Blocks after it are neither read nor part of the digest."""
    blocks = list(random_blocks(SEQUENTIAL, edge=1))
    result = result_of(SEQUENTIAL, iter(blocks))
    assert result.sequential_test is not None
    assert result.sequential_test.accepted == "high"
    assert (result.decks, result.is_complete) == (200, True)
    assert result.digest == result_of(SEQUENTIAL, blocks[:4]).digest
    reading = RunningResult(SEQUENTIAL)
    for block in blocks:
        reading.add(block)
    assert result_of_running(reading) == result
    assert result.pairs[0].verdict == "better"
    assert "The test ended after 200 decks" in result.pairs[0].sentence


def test_progress_narrows() -> None:
    """Without an interval below 30 decks; with a test, the interval holds at any time."""
    for plan, factor in ((plan_of("a", "b", decks=2_000), 1.0), (SEQUENTIAL, 1.4)):
        reading = RunningResult(plan)
        widths = [reading.progress.half_width]
        for block in list(random_blocks(plan, edge=0))[:3]:
            reading.add(block)
            assert reading.progress.decks == reading.decks
            widths.append(reading.progress.half_width)
        assert widths.pop(0) is None
        errors = [width / reading.difference.error for width in widths if width is not None]
        assert errors == sorted(errors, reverse=True)
        assert errors[-1] > 1.96 * factor


FORTY = plan_of("equity", "tight", decks=40, decks_per_block=20)


def described(deck: int, seating: int, actions: str) -> HandText:
    """Return a text that shows what was asked for."""
    return HandText(pot=deck * 10, history=f"{deck}/{seating}/{actions}")


def test_the_biggest_hands_and_the_decks_that_decide_are_chosen() -> None:
    """At most five of each, the earliest of equal ones, each deck once."""
    decks = [made_deck(number, (1, -1), (-1, 1)) for number in range(40)]
    decks[7] = made_deck(7, (-150, 150), (200, -200))
    decks[30] = made_deck(30, (190, -190), (-190, 190))
    decks[9] = made_deck(9, (60, -60), (50, -50))
    decks[33] = made_deck(33, (-5, 5), (-6, 6))
    blocks = [made_block(FORTY, number, decks[number * 20 :][:20]) for number in range(2)]
    hands = result_of(FORTY, blocks, describe=described).notable_hands
    chosen = [(hand.kind, hand.deck, hand.seating) for hand in hands]
    assert chosen == [
        ("biggest", 7, 1),
        ("biggest", 30, 0),
        ("biggest", 9, 0),
        ("biggest", 33, 1),
        ("biggest", 0, 0),
        ("decisive", 9, 0),
        ("decisive", 7, 1),
        ("decisive", 33, 1),
    ]
    assert len(chosen) <= 2 * MOST
    first = hands[0]
    assert first.players == ("tight", "equity")
    assert first.net == {"equity": 200, "tight": -200}
    assert (first.pot, first.history) == (70, "7/1/f")
    assert result_of(FORTY, blocks).notable_hands == ()


def conduct(position: str, net: int) -> DecisionCounts:
    result = DecisionCounts(
        outcomes={"ok": 3, "retried": 1, "illegal": 1},
        play={position: PlayCounts(vpip=1, vpip_of=1, calls=2)},
        net={position: net},
        hands={position: 1},
        ended_on={"river": net},
    )
    result.latency.add(7)
    return result


def test_everything_is_added_and_nothing_else_is_changed() -> None:
    total, first = DecisionCounts(), conduct("BB", 4)
    for part in (first, conduct("BTN", -1), conduct("BB", 2)):
        merge(total, part)
    assert first == conduct("BB", 4)
    assert total.outcomes == {"ok": 9, "retried": 3, "illegal": 3}
    defaulted = defaults_of(total)
    assert (not_own(total.outcomes, defaulted), defaulted) == ({"illegal": 3}, ())
    assert play_of(total) == PlayCounts(vpip=3, vpip_of=3, calls=6)
    assert total.latency.total == 3
    assert [(each.position, each.hands, each.net) for each in positions_of(total)] == [
        ("BTN", 1, -1),
        ("BB", 2, 6),
    ]
    assert [(each.street, each.net) for each in streets_of(total)] == [("river", 5)]


def test_positions_stand_in_the_order_of_the_table() -> None:
    total = DecisionCounts()
    names = ["CO", "UTG", "BB", "HJ", "UTG+1", "BTN", "SB"]
    for name in names:
        merge(total, conduct(name, 0))
    assert [each.position for each in positions_of(total)] == [
        "BTN", "SB", "BB", "UTG", "UTG+1", "HJ", "CO",
    ]  # fmt: skip


def test_a_real_match_has_everything() -> None:
    """Estimates that add up to 0, conduct, positions, streets and hands to look at."""
    styles = ["style:caller", "style:maniac", "style:tight"]
    plan = plans.plan_of(styles, 30, deal={"decks_per_block": 15})
    seated = local_players(plan)
    blocks = [play_block(plan, number, seated) for number in range(plan.blocks)]
    result = result_of(plan, blocks, describe=describe_of(plan))
    for place in range(3):
        total = math.fsum(player.estimates[place].bb_per_100 for player in result.players)
        assert total == pytest.approx(0, abs=0.001)
    for player in result.players:
        assert player.statistics is not None
        assert sum(each.hands for each in player.positions) == player.hands == 90
        assert sum(each.net for each in player.positions) == player.net
        assert sum(each.net for each in player.streets) == player.net
        assert [each.position for each in player.positions] == ["BTN", "SB", "BB"]
    assert [hand.kind for hand in result.notable_hands] == ["biggest"] * 5 + ["decisive"] * 5
    for hand in result.notable_hands:
        assert sum(hand.net.values()) == 0
        assert hand.pot >= sum(net for net in hand.net.values() if net > 0)
        assert hand.history.startswith("variant")
