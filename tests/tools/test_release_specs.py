"""A specification that clients have kept does not change under its version."""

import sys
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from casino_games import specification

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from release_specs import (  # noqa: E402  a script, found by its folder
    Change,
    NotRisen,
    change,
    check,
    released,
    rise,
)


@pytest.fixture
def kept() -> dict[str, Any]:
    return released(specification("blackjack"))


def definition(release: dict[str, Any], part: str, name: str) -> dict[str, Any]:
    found: dict[str, Any] = release["schemas"][part]["$defs"][name]
    return found


class TestChange:
    def test_nothing(self, kept: dict[str, Any]) -> None:
        """The same is the same."""
        assert change(kept, deepcopy(kept)) is Change.NONE

    def test_words_alone_are_a_patch(self, kept: dict[str, Any]) -> None:
        """Messages stay as they are."""
        new = deepcopy(kept) | {"document": "other words"}
        definition(new, "state", "Player")["description"] = "Somebody."
        assert change(kept, new) is Change.PATCH

    def test_an_optional_key_is_minor(self, kept: dict[str, Any]) -> None:
        """Who does not know it does without."""
        new = deepcopy(kept)
        definition(new, "state", "Player")["properties"]["title"] = {"type": "string"}
        assert change(kept, new) is Change.MINOR

    def test_a_new_action_is_minor(self, kept: dict[str, Any]) -> None:
        """Nobody has to take it."""
        new = deepcopy(kept)
        other = deepcopy(definition(new, "action", "Hit"))
        other["properties"]["action_type"]["const"] = "SURRENDER"
        new["schemas"]["action"]["oneOf"].append(other)
        assert change(kept, new) is Change.MINOR

    def test_a_further_form_of_a_message_is_minor(self, kept: dict[str, Any]) -> None:
        """What was valid stays valid, and its wire goes on sending it."""
        result = kept["schemas"]["result"]
        earlier = deepcopy(kept)
        own = definition(earlier, "result", "BlackjackResult")
        names = ("$schema", "$id", "$defs")
        earlier["schemas"]["result"] = {name: result[name] for name in names} | own
        assert change(earlier, kept) is Change.MINOR
        assert change(kept, earlier) is Change.MAJOR

    def test_a_further_form_of_a_part_is_major(self, kept: dict[str, Any]) -> None:
        """A client that is sent it does not know it."""
        new = deepcopy(kept)
        members = definition(new, "state", "Player")["properties"]
        members["stack"] = {"anyOf": [members["stack"], {"type": "string"}]}
        assert change(kept, new) is Change.MAJOR

    def test_the_order_of_actions_is_nothing(self, kept: dict[str, Any]) -> None:
        """They are distinguished by their type."""
        new = deepcopy(kept)
        new["schemas"]["action"]["oneOf"].reverse()
        assert change(kept, new) is Change.NONE

    def test_a_new_key_that_is_required_is_major(self, kept: dict[str, Any]) -> None:
        """Old messages would not do any more."""
        new = deepcopy(kept)
        player = definition(new, "state", "Player")
        player["properties"]["seat"] = {"type": "integer"}
        player["required"].append("seat")
        assert change(kept, new) is Change.MAJOR

    def test_a_key_that_becomes_required_or_optional_is_major(self, kept: dict[str, Any]) -> None:
        """Either way somebody relied on it."""
        new = deepcopy(kept)
        definition(new, "state", "Player")["required"].remove("stack")
        assert change(kept, new) is Change.MAJOR
        assert change(new, kept) is Change.MAJOR

    def test_a_removed_or_renamed_key_is_major(self, kept: dict[str, Any]) -> None:
        """Whoever read it reads nothing."""
        new = deepcopy(kept)
        player = definition(new, "state", "Player")
        player["properties"]["chips"] = player["properties"].pop("stack")
        assert change(kept, new) is Change.MAJOR

    def test_a_removed_action_is_major(self, kept: dict[str, Any]) -> None:
        """Whoever answers with it is refused."""
        new = deepcopy(kept)
        new["schemas"]["action"]["oneOf"].pop()
        assert change(kept, new) is Change.MAJOR

    def test_another_type_or_bound_is_major(self, kept: dict[str, Any]) -> None:
        """Also inside a list of players."""
        for keyword, value in (("type", "string"), ("minimum", 1)):
            new = deepcopy(kept)
            definition(new, "result", "Player")["properties"]["stack"][keyword] = value
            assert change(kept, new) is Change.MAJOR


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("1.2.3", "1.2.3", Change.NONE),
        ("1.2.3", "1.2.10", Change.PATCH),
        ("1.2.3", "1.10.0", Change.MINOR),
        ("1.2.3", "10.0.0", Change.MAJOR),
    ],
)
def test_versions_rise_by_number(old: str, new: str, expected: Change) -> None:
    """10 is more than 2, whatever the alphabet says."""
    assert rise(old, new) is expected


def test_a_version_that_fell_or_stayed_behind_is_refused(kept: dict[str, Any]) -> None:
    """The error says what to do."""
    with pytest.raises(NotRisen, match="fell"):
        rise("1.2.3", "1.1.9")
    new = deepcopy(kept) | {"version": "1.1.1"}
    new["schemas"]["action"]["oneOf"].pop()
    with pytest.raises(NotRisen, match=r"blackjack: .*MAJOR.*spec\.py"):
        check("blackjack", kept, new)
    check("blackjack", kept, new | {"version": "2.0.0"})
