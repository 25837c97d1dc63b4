"""A specification that clients have kept does not change under its version."""

import sys
from collections.abc import Callable
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

KEPT = released(specification("blackjack"))


def player(release: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = release["schemas"]["state"]["$defs"]["Player"]
    return found


def actions(release: dict[str, Any]) -> list[Any]:
    found: list[Any] = release["schemas"]["action"]["oneOf"]
    return found


@pytest.mark.parametrize(
    ("changes", "there", "back"),
    [
        (lambda _: None, Change.NONE, Change.NONE),
        (lambda new: actions(new).reverse(), Change.NONE, Change.NONE),
        (lambda new: new.update(document="other words"), Change.PATCH, Change.PATCH),
        (lambda new: player(new)["properties"].update(title={}), Change.MINOR, Change.MAJOR),
        (lambda new: actions(new).pop(), Change.MAJOR, Change.MINOR),
        (lambda new: player(new)["required"].remove("stack"), Change.MAJOR, Change.MAJOR),
        (lambda new: player(new)["properties"].pop("stack"), Change.MAJOR, Change.MAJOR),
        (
            lambda new: player(new)["properties"]["stack"].update(type="string"),
            Change.MAJOR,
            Change.MAJOR,
        ),
        (
            lambda new: player(new)["properties"]["stack"].update(minimum=1),
            Change.MAJOR,
            Change.MAJOR,
        ),
    ],
)
def test_a_change_is_as_large_as_what_it_breaks(
    changes: Callable[[dict[str, Any]], Any], there: Change, back: Change
) -> None:
    new = deepcopy(KEPT)
    changes(new)
    assert (change(KEPT, new), change(new, KEPT)) == (there, back)


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
    assert rise(old, new) is expected


def test_a_version_that_fell_or_stayed_behind_is_refused() -> None:
    with pytest.raises(NotRisen, match="fell"):
        rise("1.2.3", "1.1.9")
    new = deepcopy(KEPT) | {"version": "1.1.1"}
    actions(new).pop()
    with pytest.raises(NotRisen, match=r"blackjack: .*MAJOR.*spec\.py"):
        check("blackjack", KEPT, new)
    check("blackjack", KEPT, new | {"version": "2.0.0"})
