"""What may be concluded, in words."""

from dataclasses import replace

import pytest
from casino_contracts.match_results import Interval, SequentialTest
from casino_match.domain.plan import Plan, StopRule
from casino_match.results.verdict_sentences import (
    Compared,
    Comparison,
    no_verdict,
    sentence_of,
    verdict_of,
)
from casino_match.statistics.deck_values import Moments
from support.match.made_blocks import plan_of

PLAN = plan_of("equity", "tight")
SCOPE = (
    "This is about these versions, heads-up, with 100 bb before every hand and the same decks for"
    " all: it says nothing about other stacks, blinds or opponents."
)
DEFAULTS = {"model_failed": 1, "illegal": 2}
BETTER = Comparison(
    first=Compared("equity", 6.15),
    second=Compared("tight", -6.15),
    difference=Moments(count=2_000, mean=12.3, squares=2_000 * 100.0**2),
    interval=Interval(low=8.1, high=16.5),
    verdict="better",
    hands=4_000,
    hands_per_deck=2,
    pairs=1,
)
TEST = SequentialTest(accepted="high", log_likelihood_ratio=3.0, lower=-2.9, upper=2.9)


def sequential(low: float, high: float) -> Plan:
    return plan_of("equity", "tight", stop=StopRule(rule="sprt", low=low, high=high))


def test_the_better_player_comes_first() -> None:
    """With how much, how certain, and about what; also if it is the second of the pair."""
    faults = (
        "3 of 900 decisions of tight were not its own (2 illegal, 1 model_failed), and count as"
        " checks or folds, as the plan says. "
    )
    worse = replace(
        BETTER,
        first=Compared("equity", -6.15),
        second=Compared("tight", 6.15, 900, DEFAULTS),
        difference=replace(BETTER.difference, mean=-12.3),
        interval=Interval(low=-16.5, high=-8.1),
        verdict="worse",
    )
    for comparison, better, other, said in (
        (BETTER, "equity", "tight", ""),
        (worse, "tight", "equity", faults),
    ):
        assert sentence_of(PLAN, comparison) == (
            f"{better} wins 12.3 bb/100 more than {other} (+6.2 against -6.2; 95 %: 8.1 to 16.5;"
            f" 4,000 hands; without the luck of the cards). {said}{SCOPE}"
        )


def test_an_undecided_pair_says_how_long_a_match_decides() -> None:
    """With 80 % probability: (half the interval + 0.84 errors)² / difference² as many decks."""
    undecided = replace(BETTER, interval=Interval(low=-12.3, high=36.9), verdict="undecided")
    text = sentence_of(PLAN, undecided)
    assert text.startswith("Not decided: who of equity and tight plays better. equity won 12.3")
    assert "95 %: -12.3 to 36.9" in text
    assert "a new match of 9,300 decks (18,600 hands) decides it in 80 % of cases" in text
    nearly = replace(undecided, difference=replace(BETTER.difference, mean=0.01))
    assert "100 times as many decks may not decide it" in sentence_of(PLAN, nearly)


def test_what_limits_a_conclusion_is_said() -> None:
    """Few decks, several pairs, a match that is not over."""
    few = replace(BETTER, difference=replace(BETTER.difference, count=100), pairs=3)
    assert "Fewer than 300 decks may lack the rare big pots" in sentence_of(PLAN, few)
    assert "all 3 pairs hold together" in sentence_of(PLAN, few)
    assert "may lack" not in sentence_of(PLAN, BETTER)
    begun = sentence_of(PLAN, replace(few, is_complete=False))
    assert "not over, 100 of at most 100 decks are played: conclude at its end." in begun
    assert "not over" not in sentence_of(PLAN, few)


@pytest.mark.parametrize(
    ("decks", "words"),
    [(29, "play at least 30 decks"), (100, "won the same on nearly all of 100 decks")],
)
def test_without_an_interval_nothing_is_said(decks: int, words: str) -> None:
    unknown = replace(
        BETTER, difference=Moments(decks, 1.0, 1.0), interval=None, verdict="undecided"
    )
    assert words in sentence_of(PLAN, unknown)
    assert "95 %" not in sentence_of(PLAN, unknown)


def test_a_sequential_test_says_what_it_rejects() -> None:
    text = sentence_of(sequential(0, 5), replace(BETTER, test=TEST))
    assert text.startswith(
        "The test ended after 2,000 decks: it rejects that equity wins at most 0 bb/100 more than"
        " tight. Such a test rejects what is true in at most 5 % of matches."
    )
    assert "A match that is ended by its result exaggerates the difference." in text
    low = replace(BETTER, test=TEST.model_copy(update={"accepted": "low"}))
    assert "it rejects that equity wins at least 5 bb/100" in sentence_of(sequential(0, 5), low)
    none = replace(BETTER, test=TEST.model_copy(update={"accepted": "none"}), verdict="undecided")
    text = sentence_of(sequential(0, 5), none)
    assert "is not decided after 2,000 decks" in text
    assert "exaggerates" not in text


@pytest.mark.parametrize(
    ("low", "high", "accepted", "verdict"),
    [
        (0, 5, "high", "better"),
        (0, 5, "low", "undecided"),
        (-5, 0, "low", "worse"),
        (-5, 0, "high", "undecided"),
        (-5, 5, "high", "undecided"),
        (0, 5, "none", "undecided"),
    ],
)
def test_a_test_decides_if_its_hypothesis_says_who_is_better(
    low: float, high: float, accepted: str, verdict: str
) -> None:
    test = TEST.model_copy(update={"accepted": accepted})
    assert verdict_of(sequential(low, high), 250, Interval(low=-1, high=2), test) == verdict


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(1, 2, "better"), (-2, -1, "worse"), (0, 1, "undecided"), (0, 0, "undecided")],
)
def test_else_the_interval_decides(low: float, high: float, verdict: str) -> None:
    assert verdict_of(PLAN, 300, Interval(low=low, high=high), None) == verdict
    assert verdict_of(PLAN, 299, Interval(low=low, high=high), None) == "undecided"
    assert verdict_of(PLAN, 300, None, None) == "undecided"


def test_it_fits_in_a_message_whatever_the_names_are() -> None:
    """With everything that can be said of two players with the longest names."""
    defaults = {letter * 40: 200_000 for letter in "cdefg"}
    first, second = (Compared(letter * 64, -1_234.5, 1_000_000, defaults) for letter in "ab")
    worst = replace(
        BETTER,
        first=first,
        second=second,
        difference=replace(BETTER.difference, count=250, mean=-0.5),
        interval=Interval(low=-9_999, high=9_999),
        verdict="undecided",
        pairs=45,
    )
    for plan, test in ((PLAN, None), (sequential(0, 5), TEST)):
        assert len(sentence_of(plan, replace(worst, test=test))) < 2_000
    assert len(no_verdict([first] * 10)) < 2_000


def test_decisions_of_others_leave_no_verdict() -> None:
    text = no_verdict(
        [Compared("llm", -75.0, 3, DEFAULTS), Compared("b", 0.0, 3, {"model_failed": 1})]
    )
    assert text == (
        "No verdict: 3 of 3 decisions of llm were not its own (2 illegal, 1 model_failed); 1 of 3"
        " decisions of b were not its own (1 model_failed). Nothing follows about who plays better."
    )
