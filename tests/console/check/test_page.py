"""docs/bots.md explains every fault by its name, and has no name that there is not."""

import re
from pathlib import Path

from casino.check import card_checks, input_checks, turn_checks
from casino.check.findings import FIXES
from casino_player_example.style_catalogue import SABOTEURS

BOTS = (Path(__file__).parents[3] / "docs/bots.md").read_text()
PAGE = BOTS.partition("\n## Check a bot\n")[2].partition("\n## ")[0]
MODULES = (card_checks, input_checks, turn_checks)
NAMES = {"another-answer", *FIXES, *(name for module in MODULES for name in module._FIXES)}
CHECKS = {
    *(card_checks.CARD, card_checks.SIGNUP, input_checks.BAD_INPUT, input_checks.CONNECTION),
    *(turn_checks.CONCURRENCY, turn_checks.SPEED, turn_checks.SIZE),
    *(turn_checks.REDELIVERY, turn_checks.SECOND_ATTEMPT, turn_checks.UNKNOWN_FIELDS),
}


def test_every_name_is_explained() -> None:
    words = set(re.findall(r"`([a-z0-9.-]+)`", PAGE))
    assert words >= NAMES | CHECKS | set(SABOTEURS)


def test_every_name_of_the_page_exists() -> None:
    """Names of faults have a hyphen; so have the names of some checks and of an action."""
    words = set(re.findall(r"`([a-z0-9.]+(?:-[a-z0-9.]+)+)`", PAGE))
    assert words <= NAMES | CHECKS | {"other-games", "seat-token"}
