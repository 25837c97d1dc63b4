"""Choosing an action among those that a request offers."""

import random
from typing import Any

import pytest
from casino_gamespec import answer, default_action, is_offered, random_action

FOLD, CHECK, CALL = {"action_type": "fold"}, {"action_type": "check"}, {"action_type": "call"}
RAISE = {"action_type": "raise", "min": 40, "max": 200}
CARD = {"action_type": "PLAY_CARD", "card": 7}


@pytest.mark.parametrize(
    ("available", "named", "chosen"),
    [
        ([CALL, FOLD, RAISE], "fold", FOLD),
        ([CALL, FOLD, RAISE], "FOLD", FOLD),
        ([RAISE, CHECK], "fold", CHECK),
        ([FOLD, CHECK], "fold", CHECK),
        ([FOLD, CALL], "call", CALL),
        ([{"action_type": "HIT"}, {"action_type": "STAND"}], "pass", {"action_type": "STAND"}),
        ([{"action_type": "ALL-IN"}, CALL], "all_in", {"action_type": "ALL-IN"}),
        ([RAISE, CARD], None, CARD),
        ([RAISE], None, {"action_type": "raise", "amount": 40}),
        ([RAISE, CALL], "raise", {"action_type": "raise", "amount": 40}),
        ([CARD, {"action_type": "PLAY_CARD", "card": 9}], "play_card", CARD),
        ([RAISE, CHECK], "first_offered", {"action_type": "raise", "amount": 40}),
    ],
)
def test_the_default_action(
    available: list[dict[str, Any]], named: str | None, chosen: dict[str, Any]
) -> None:
    """The named one, a check before a fold, else the safest on offer, else the first."""
    assert default_action(available, named) == chosen
    assert is_offered(chosen, available)


def test_an_amount_is_filled_in() -> None:
    """The range is replaced by an amount, the rest is kept."""
    bet = {"action_type": "BET", "on": "red", "min": 1, "max": 50}
    assert answer(bet, 20) == {"action_type": "BET", "on": "red", "amount": 20}
    assert answer(bet) == {"action_type": "BET", "on": "red", "amount": 1}
    with pytest.raises(ValueError, match="1 to 50"):
        answer(bet, 51)


def test_a_random_action_is_always_on_offer() -> None:
    """Every kind is drawn, and small amounts more often than large ones."""
    available: list[dict[str, Any]] = [
        FOLD,
        CALL,
        RAISE,
        CARD,
        {"action_type": "PLAY_CARD", "card": 8},
    ]
    drawn = [random_action(available, random.Random(seed)) for seed in range(500)]
    assert all(is_offered(action, available) for action in drawn)
    assert {action["action_type"] for action in drawn} == {"fold", "call", "raise", "PLAY_CARD"}
    amounts = [action["amount"] for action in drawn if "amount" in action]
    assert sorted(amounts)[len(amounts) // 2] < 80
    assert sum(action == FOLD for action in drawn) < 60


def test_many_bets_do_not_make_other_actions_rare() -> None:
    """A kind is drawn before an action of the kind."""
    bets: list[dict[str, Any]] = [
        {"action_type": "BET", "on": number, "min": 1, "max": 9} for number in range(37)
    ]
    available: list[dict[str, Any]] = [*bets, {"action_type": "DONE"}]
    drawn = [random_action(available, random.Random(seed)) for seed in range(100)]
    assert sum(action == {"action_type": "DONE"} for action in drawn) > 30


@pytest.mark.parametrize(
    "offer",
    [
        {"action_type": "BET", "min": 5, "max": 1},
        {"action_type": "BET", "min": "1", "max": "2"},
        {"action_type": "BET", "min": True, "max": True},
        {"card": 7},
        {},
    ],
)
def test_unusual_offers_are_accepted_as_written(offer: dict[str, Any]) -> None:
    assert random_action([offer], random.Random(1)) == offer
    assert default_action([offer], "BET") == offer


@pytest.mark.parametrize(
    "action",
    [
        {"action_type": "raise", "amount": 39},
        {"action_type": "raise", "amount": 201},
        {"action_type": "raise", "amount": 40.5},
        {"action_type": "raise", "amount": True},
        {"action_type": "raise"},
        {"action_type": "raise", "amount": 40, "min": 40},
        {"action_type": "fold", "amount": 1},
        {"action_type": "PLAY_CARD", "card": 8},
    ],
)
def test_anything_else_is_not_on_offer(action: dict[str, Any]) -> None:
    assert not is_offered(action, [FOLD, RAISE, CARD])


def test_nothing_on_offer_is_an_error() -> None:
    with pytest.raises(ValueError, match="no available action"):
        default_action([])
    with pytest.raises(ValueError, match="no available action"):
        random_action([], random.Random(1))
