"""What all games share: the configuration and the defaults of the contract."""

import pytest
from casino_games import ArenaConfig, ArenaPlayer, InvalidConfig


def test_a_configuration_does_not_show_its_seed() -> None:
    """Who sees the seed in a log line could deal the cards."""
    config = ArenaConfig((ArenaPlayer("ann"),), "top secret")
    assert "top secret" not in repr(config)


@pytest.mark.parametrize(
    ("ids", "fault"), [(("ann", ""), "needs an id"), (("ann",) * 2, "same id")]
)
def test_players_need_ids_of_their_own(ids: tuple[str, ...], fault: str) -> None:
    """An empty id means "nobody" to the contract."""
    with pytest.raises(InvalidConfig, match=fault):
        ArenaConfig(tuple(map(ArenaPlayer, ids)))
