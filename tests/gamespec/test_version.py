"""Semantic versions."""

from itertools import pairwise

import pytest
from casino_gamespec import InvalidVersion, Version


def test_versions_are_ordered_by_their_numbers() -> None:
    ordered = ["0.9.0", "1.0.0-alpha", "1.0.0-alpha.2", "1.0.0-alpha.10", "1.0.0-beta", "1.0.0"]
    ordered += ["1.0.1", "1.9.0", "1.10.0", "2.0.0"]
    versions = [Version.parse(text) for text in ordered]
    assert all(one < other for one, other in pairwise(versions))
    assert [str(version) for version in versions] == ordered


def test_short_versions_are_filled_up() -> None:
    """A2G's list of games says 1.0."""
    assert Version.parse("1.0") == Version.parse("1.0.0+build.7") == Version(1, 0, 0)


@pytest.mark.parametrize("text", ["", "one", "1.x", "1.0.0.0", "-1", "9" * 20, "1.0.0-"])
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(InvalidVersion, match=r"MAJOR\.MINOR\.PATCH"):
        Version.parse(text)


@pytest.mark.parametrize(
    ("held", "wanted", "serves"),
    [
        ("1.2.0", "1.1.7", True),
        ("1.1.0", "1.1.0", True),
        ("1.1.0", "1.2.0", False),
        ("2.0.0", "1.0.0", False),
    ],
)
def test_a_later_minor_version_serves(held: str, wanted: str, serves: bool) -> None:  # noqa: FBT001
    assert Version.parse(held).serves(Version.parse(wanted)) is serves
