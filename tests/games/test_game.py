"""What all games share: the configuration and the defaults of the contract."""

import casino_games
import pytest
from casino_games import ArenaConfig, ArenaPlayer, GameError, InvalidConfig
from casino_games import errors as errors_module


def test_every_error_is_a_value_error_and_exported() -> None:
    """The document promises ValueError, and one root lets a caller catch all."""
    errors = [value for value in vars(errors_module).values() if isinstance(value, type)]
    assert len(errors) == 12
    for error in errors:
        assert issubclass(error, GameError)
        assert issubclass(error, ValueError)
        assert error.__name__ in casino_games.__all__
        assert error.__name__ in (errors_module.__doc__ or "")


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
