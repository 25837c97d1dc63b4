"""Games determined by settings, an order and decisions; the order follows from the seed."""

from typing import Any

import pytest
from casino_games import InvalidSnapshot, restore_game
from casino_games.shuffle import Chance
from games.playing import dealt


def order_of(seed: str, cards: int) -> list[int]:
    """Shuffle as the docstrings tell it; `test_chance.py` has the vectors of such orders."""
    return Chance(seed, b"a2a-casino/order/v1").shuffled(range(cards))


@pytest.mark.parametrize(
    ("game_type", "players", "cards"),
    [("kuhn_poker", 2, 3), ("leduc_poker", 2, 6), ("simple_card", 10, 100)],
)
def test_the_order_is_the_documented_construction(game_type: str, players: int, cards: int) -> None:
    """Whoever checks a deal in another language needs the description alone."""
    for seed in ("", "a seed", "Grüße"):
        assert dealt(game_type, players, seed).serialize()["order"] == order_of(seed, cards)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"order": [0, 1]}, "every card once"),
        ({"order": [0, 1, 1]}, "every card once"),
        ({"order": [1, 2, 3]}, "every card once"),
        ({"order": [0, 1, "x"]}, r"order\.2"),
        ({"players": ["p0"]}, "no possible game: players"),
        ({"players": ["p0", "p0"]}, "same id"),
        ({"config": {"ante": 0}}, "ante"),
        ({"actions": [{"action_type": "CALL"}]}, "no possible game"),
        ({"actions": [{"action_type": "CHECK", "extra": 1}]}, "more than the decisions"),
        ({"actions": ["CALL"]}, r"actions\.0"),
        ({"game_type": "leduc_poker"}, "no snapshot of kuhn_poker"),
    ],
)
def test_a_snapshot_that_tells_no_game_is_refused(change: dict[str, Any], message: str) -> None:
    """The message says what is wrong, without naming a card."""
    snapshot = dealt("kuhn_poker", 2).serialize()
    with pytest.raises(InvalidSnapshot, match=message):
        restore_game("kuhn_poker", snapshot | change)


def test_a_snapshot_gives_no_later_deal_away() -> None:
    """The seed is not in it; a restored game is reset with a seed of its own."""
    game = dealt("kuhn_poker", 2, "top secret")
    assert "top secret" not in str(game.serialize())
    restored = restore_game("kuhn_poker", game.serialize())
    with pytest.raises(ValueError, match="needs a seed"):
        restored.reset()
    restored.reset("another")
    assert restored.serialize() == dealt("kuhn_poker", 2, "another").serialize()
