"""The results of docs/scale.md follow from its inputs."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from scale import computed, inputs_of, shown, value_of  # noqa: E402  found there

PAGE = (ROOT / "docs/scale.md").read_text()


def test_the_figures_follow_from_the_inputs() -> None:
    """A thousand seats at six a room, each of which decides every other second."""
    inputs = inputs_of(PAGE) | {"room_seats": 5, "pace": 0.5, "table_us": 240, "watchers": 0}
    figures = computed(inputs, 1_000)
    assert figures["rooms"] == 200
    assert figures["decisions"] == 100
    assert figures["table_cores"] == pytest.approx(0.024)
    assert figures["stream_network"] == 0


def test_an_unknown_input_is_named() -> None:
    """As after a typing error in the page."""
    with pytest.raises(KeyError, match="no_input"):
        value_of("2 * no_input", {})


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0342, "0.034"), (1.0, "1"), (99.4, "99"), (166.7, "170"), (1_833_333.0, "1,800,000")],
)
def test_two_digits_are_shown(value: float, text: str) -> None:
    """More would promise what is not known."""
    assert shown(value) == text
