"""Offers of A2G servers, as their documents show them and as they might be."""

from collections.abc import Callable
from typing import Any

import pytest
from casino_gamespec.a2g import read_offers
from casino_gamespec.game_spec import Schema

Conforms = Callable[[dict[str, Any]], bool]


def action(**properties: Any) -> Conforms:
    """Return whether payloads have exactly an `action` and these properties."""
    document = {
        "type": "object",
        "additionalProperties": False,
        "required": ["action", *properties],
        "properties": {"action": {"type": "string"}, **properties},
    }
    schema = Schema.of(document, "Action Schema")
    return lambda payload: schema.faults(payload) == ()


WHOLE = {"type": "integer"}
TEXT = {"type": "string"}


@pytest.mark.parametrize(
    ("offer", "conforms", "read"),
    [
        ({"type": "fold"}, action(), [{"action_type": "fold"}]),
        (
            {"type": "raise", "minAmount": 100, "maxAmount": 450},
            action(amount=WHOLE),
            [{"action_type": "raise", "min": 100, "max": 450}],
        ),
        ({"type": "call", "callAmount": 50}, action(), [{"action_type": "call"}]),
        (
            {"type": "call", "callAmount": 50},
            action(amount=WHOLE),
            [{"action_type": "call", "amount": 50}],
        ),
        (
            {"type": "call", "callAmount": 50},
            action(callAmount=WHOLE),
            [{"action_type": "call", "callAmount": 50}],
        ),
        ({"type": "play", "card": 7}, action(card=WHOLE), [{"action_type": "play", "card": 7}]),
        ({"type": "hit", "hint": "risky"}, action(), [{"action_type": "hit"}]),
        (
            {"type": "hit", "hand": 1, "hint": "risky"},
            action(hand=WHOLE),
            [{"action_type": "hit", "hand": 1}],
        ),
        (
            {"type": "place_bet", "betTypes": ["red", "odd"], "minBet": 1, "maxBet": 9},
            action(betType=TEXT, amount=WHOLE),
            [
                {"action_type": "place_bet", "betType": "red", "min": 1, "max": 9},
                {"action_type": "place_bet", "betType": "odd", "min": 1, "max": 9},
            ],
        ),
        (
            {"type": "place_bet", "betTypes": ["red", 7], "minBet": 1, "maxBet": 9},
            action(bet=TEXT, amount=WHOLE),
            [{"action_type": "place_bet", "bet": "red", "min": 1, "max": 9}],
        ),
        (
            {"type": "bet", "minAmount": 0.5, "maxAmount": 3.5},
            action(amount=WHOLE),
            [{"action_type": "bet", "min": 1, "max": 3}],
        ),
        (
            {"type": "bet", "minAmount": 5},
            action(amount=WHOLE),
            [{"action_type": "bet", "amount": 5}],
        ),
        ({"type": "sing"}, action(song=TEXT), []),
        ({"action_type": "fold"}, action(), []),
        ({"type": 7}, action(), []),
        ("fold", action(), []),
    ],
)
def test_the_action_schema_says_what_an_offer_means(
    offer: Any, conforms: Conforms, read: list[dict[str, Any]]
) -> None:
    """The first reading that it permits; none is invented."""
    assert read_offers([offer], conforms) == read


def test_an_offer_of_any_size_is_bounded() -> None:
    lists = {f"list{n}s": list(range(1000)) for n in range(6)}
    assert len(read_offers([{"type": "x", **lists}])) == 500
    many = {f"key{n}": n for n in range(300)}
    assert read_offers([{"type": "x", **many}], action()) == []
    assert len(read_offers([{"type": "x"}] * 5000)) == 500


@pytest.mark.parametrize("most", [float("inf"), float("nan"), 1e300, "9", None, True])
def test_a_limit_that_is_no_number_is_no_limit(most: Any) -> None:
    """It is repeated as any other parameter, where the schema permits it."""
    (offer,) = read_offers([{"type": "bet", "min": 1, "max": most}])
    assert offer["action_type"] == "bet"
    assert "amount" not in offer
