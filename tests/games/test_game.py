"""What all games share: the configuration and the defaults of the contract."""

import pytest
from casino_games import ArenaConfig, ArenaPlayer, InvalidConfig


def test_players_need_ids() -> None:
    with pytest.raises(InvalidConfig, match="needs an id"):
        ArenaConfig((ArenaPlayer("ann"), ArenaPlayer("")))


def test_players_need_different_ids() -> None:
    """Two players of one id could not be distinguished."""
    with pytest.raises(InvalidConfig, match="same id"):
        ArenaConfig((ArenaPlayer("ann"), ArenaPlayer("ann")))


def test_a_configuration_does_not_show_its_seed() -> None:
    """Who sees the seed in a log line could deal the cards."""
    config = ArenaConfig((ArenaPlayer("ann"),), "top secret")
    assert "top secret" not in repr(config)
