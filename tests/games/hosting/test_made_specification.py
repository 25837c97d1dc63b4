"""A specification that is made can be read, is marked, and changes with its content."""

import json
import re

from casino_games import specification
from casino_games.hosting.generated_specification import document_of, specification_of
from casino_gamespec import GameSpec
from games.hosting.pile_game import PILE, PileGame, registered


class OtherPile(PileGame):
    """Another description."""


class NoDefaults(PileGame):
    """A game whose rehearsal fails for its settings."""

    def __init__(self, players: list[str], seed: object, counters: int) -> None:
        if counters == 20:
            raise ValueError("20 is too many")
        super().__init__(players, seed, counters)


def test_it_is_a_specification_as_players_read_it() -> None:
    """Marked as made, with the settings and the actions that were seen."""
    with registered():
        text = document_of(PILE)
        again = document_of(PILE)
    spec = GameSpec.parse(text)
    assert text == again
    assert "\nmade: true\n" in text
    assert "**This specification is made**" in (spec.text_of("Overview") or "")
    assert "`counters`" in (spec.text_of("Rules") or "")
    assert "| `TAKE` | `counters` |" in (spec.text_of("Actions") or "")
    assert spec.about.players is not None
    assert (spec.about.players.min, spec.about.players.max) == (2, 10)
    (example,) = re.findall(r"```json\n(.*)\n```", spec.text_of("Examples") or "", re.DOTALL)
    for turn in json.loads(example)["turns"]:
        assert spec.check_state(turn["state"]) == ()
        assert spec.check_action(turn["action"]) == ()
    assert spec.check_action({"take": 1})
    assert spec.check_state({"public": {}})


def test_its_version_follows_from_its_content() -> None:
    """The same game has the same version in every process; another description another one."""
    with registered() as one:
        first = specification_of(one).version
    with registered(OtherPile) as other:
        second = specification_of(other).version
    assert first.startswith("0.0.")
    assert first != second


def test_a_game_that_needs_settings_is_described_without_examples() -> None:
    with registered(NoDefaults) as game_type:
        text = document_of(game_type)
    assert "20 is too many" in text
    assert GameSpec.parse(text).game_type == game_type


def test_a_written_specification_is_never_replaced() -> None:
    assert specification_of("blackjack") is specification("blackjack")
