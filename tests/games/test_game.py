"""What all games share: the configuration and the defaults of the contract."""

import casino_games
import pytest
from casino_games import ArenaConfig, ArenaPlayer, Game, GameError, InvalidConfig
from casino_games import errors as errors_module


def test_the_public_face_is_complete_and_sorted() -> None:
    """What is exported exists, in the order in which ruff would put it."""
    names = casino_games.__all__
    assert all(hasattr(casino_games, name) for name in names)
    constants = [name for name in names if name.isupper()]
    classes = [name for name in names if name[0].isupper() and not name.isupper()]
    functions = [name for name in names if name.islower()]
    assert names == [*sorted(constants), *sorted(classes), *sorted(functions)]


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
    """An empty id means "nobody" to the contract."""
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


def test_the_contract_has_the_methods_of_the_document() -> None:
    """The names are binding."""
    document = {
        *("game_type", "reset", "get_current_player", "get_current_role", "get_public_state"),
        *("get_private_state", "get_available_actions", "step", "is_over", "get_winner"),
        *("get_scores", "get_players", "get_teams", "serialize"),
    }
    ours = {
        *("deserialize", "opening_events", "get_state", "get_pending_players", "get_actions_of"),
        *("default_action", "chips_needed"),
    }
    methods = {name for name in vars(Game) if name[0] != "_"}
    assert (
        methods - {"game_model", "timeout_action", "min_players", "max_players"} == document | ours
    )
