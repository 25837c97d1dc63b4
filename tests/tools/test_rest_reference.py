"""The reference of the REST interface is what the lobby really serves."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from rest_reference import files  # noqa: E402  a script, found by its folder


@pytest.mark.parametrize("name", ["openapi.json", "problems.md"])
def test_the_file_is_not_stale(name: str) -> None:
    """Write it again with `make reference`."""
    assert (ROOT / "docs/reference" / name).read_text() == files()[name]
