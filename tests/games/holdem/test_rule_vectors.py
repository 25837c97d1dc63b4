"""The forty rule vectors, hand-written from the rule books."""

import json
from pathlib import Path
from typing import Any

import pytest
from casino_games.holdem import Hand
from games.holdem.dealing import new_hand, play

VECTORS = json.loads((Path(__file__).parent / "rule_vectors.json").read_text(encoding="utf-8"))[
    "vectors"
]


def new_hand_of(given: dict[str, Any]) -> Hand:
    """Return the hand that a vector describes, before its first action."""
    return new_hand(
        given["stacks"],
        given["holes"],
        given["board"],
        blinds=(given["small_blind"], given["big_blind"]),
        antes=given["antes"] or (),
        ante_is_dead=given["ante_is_dead"],
    )


def test_all_forty_are_here() -> None:
    """A missing vector would fail no other test."""
    assert len({vector["id"] for vector in VECTORS}) == 40


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["id"])
def test_the_rule(vector: dict[str, Any]) -> None:
    """Every action is legal, and afterwards all is as the rule says."""
    hand = play(new_hand_of(vector["input"]), *vector["input"]["actions"])
    if "final_stacks" in vector["expected"]:
        assert hand.is_over
        assert hand.stacks == vector["expected"]["final_stacks"]
        assert hand.pot == 0
    else:
        assert vector["expected"] == {
            "seat": hand.actor,
            "street": hand.street,
            "to_call": hand.to_call,
            "min_raise_to": hand.min_raise_to or None,
            "max_raise_to": hand.max_raise_to or None,
        }
