"""What the tests of the contract share: every game, and one more that is registered by paths."""

from collections.abc import Iterator

import pytest
from casino_games import game_types
from games.playing import EXAMPLE, forget_example, register_example


@pytest.fixture
def example() -> Iterator[str]:
    register_example()
    yield EXAMPLE
    forget_example()


@pytest.fixture(params=sorted({*game_types(), EXAMPLE}))
def game_type(request: pytest.FixtureRequest, example: str) -> str:
    """Return one of the games, the example among them."""
    del example
    return str(request.param)
