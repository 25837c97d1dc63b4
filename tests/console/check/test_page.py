"""docs/check.md explains every fault by its name, and has no name that there is not."""

import re
from pathlib import Path

from casino.check.checks import bad_input, card, connection, load, repeated, signup
from casino.check.failures import FIXES
from casino_player_example.styles.catalogue import SABOTEURS

PAGE = (Path(__file__).parents[3] / "docs/check.md").read_text()
MODULES = (bad_input, card, connection, load, signup)
NAMES = {"another-answer", *FIXES, *(name for module in MODULES for name in module._FIXES)}
CHECKS = {
    *(module.CHECK for module in (bad_input, card, connection, signup)),
    *(load.CONCURRENCY, load.SPEED, load.SIZE),
    *(repeated.REDELIVERY, repeated.SECOND_ATTEMPT, repeated.UNKNOWN_FIELDS),
}


def test_every_name_is_explained() -> None:
    words = set(re.findall(r"`([a-z0-9.-]+)`", PAGE))
    assert words >= NAMES | CHECKS | set(SABOTEURS)


def test_every_name_of_the_page_exists() -> None:
    """Names of faults have a hyphen; so have the names of some checks and of an action."""
    words = set(re.findall(r"`([a-z0-9.]+(?:-[a-z0-9.]+)+)`", PAGE))
    assert words <= NAMES | CHECKS | {"other-games", "seat-token"}
