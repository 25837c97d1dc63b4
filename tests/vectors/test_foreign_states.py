"""One file of public states is summarized by the console as by the page.

The page's part is `tests/web/foreign_states.test.js`.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from casino.public_state import facts_of, game_words, words

VECTORS = json.loads((Path(__file__).parent / "foreign_states.json").read_text())


@pytest.mark.parametrize(("name", "expected"), VECTORS["words"])
def test_names_of_the_wire_become_words(name: str, expected: str) -> None:
    assert words(name) == expected


@pytest.mark.parametrize(("game_type", "expected"), VECTORS["games"])
def test_games_have_names(game_type: str | None, expected: str | None) -> None:
    assert (game_words(game_type) or None) == expected


@pytest.mark.parametrize("vector", VECTORS["states"], ids=lambda vector: vector["name"])
def test_a_state_has_facts(vector: dict[str, Any]) -> None:
    """Cards of a player, which the page puts to the seat, are a fact with the player's name."""
    names = vector["players"]
    at_seats = {names[player_id]: cards for player_id, cards in vector["cards"].items()}
    assert facts_of(vector["state"], names) == {**vector["facts"], **at_seats}
