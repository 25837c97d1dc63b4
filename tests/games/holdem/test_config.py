"""The settings of a hand are checked before it is dealt."""

from typing import Any

import pytest
from casino_games import InvalidConfig
from casino_games.game import MOST_CHIPS
from casino_games.holdem import HoldemConfig


def test_without_settings_everybody_has_a_hundred_big_blinds() -> None:
    config = HoldemConfig.for_players(3, {})
    assert (config.small_blind, config.big_blind, config.ante) == (50, 100, 0)
    assert config.stacks == (10_000,) * 3
    assert config.button == 0


def test_stacks_follow_the_big_blind_when_none_are_given() -> None:
    assert HoldemConfig.for_players(2, {"big_blind": 50}).stacks == (5_000, 5_000)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"big_blind": 0}, "^big_blind: "),
        ({"small_blind": -1}, "^small_blind: "),
        ({"small_blind": 0.0}, "^small_blind: "),
        ({"small_blind": 200}, "small_blind is larger"),
        ({"ante": -1}, "^ante: "),
        ({"big_blind": 100.0}, "^big_blind: "),
        ({"big_blind": True}, "^big_blind: "),
        ({"big_blind": "100"}, "^big_blind: "),
        ({"stacks": [100, 0]}, "^stacks.1: "),
        ({"stacks": [100, -5]}, "^stacks.1: "),
        ({"stacks": [100, 99.5]}, "^stacks.1: "),
        ({"stacks": [100]}, "stacks: 1 for 2 players"),
        ({"stacks": [100, 100, 100]}, "stacks: 3 for 2 players"),
        ({"stacks": [MOST_CHIPS, 1]}, "chips together"),
        ({"big_blind": MOST_CHIPS}, "stacks"),
        ({"stacks": 100}, "^stacks: "),
        ({"button": 2}, "^button: "),
        ({"button": -1}, "^button: "),
        ({"rake": 5}, "^rake: "),
    ],
)
def test_impossible_settings_are_refused_with_their_path(
    settings: dict[str, Any], message: str
) -> None:
    """The message has the path of the setting."""
    with pytest.raises(InvalidConfig, match=message):
        HoldemConfig.for_players(2, settings)
