"""Equal players tie at exactly 0, whatever is dealt, and however much they draw."""

from pathlib import Path

import pytest
from casino_match.play.block import play_block
from casino_match.players.local import local_players
from support.match.plans import bot, plan_of

STYLES = {"caller": 30, "maniac": 30, "random": 30, "tight": 30, "equity": 4}
"""Each style with a number of decks that takes it a fraction of a second."""


def nets(players: list[str], decks: int) -> list[int]:
    """Return what each player won or lost in a block; some hands must move chips."""
    plan = plan_of(players, decks)
    block = play_block(plan, 0, local_players(plan))
    assert any(any(net) for deck in block.decks for net in deck.nets)
    return [sum(deck.net[index] for deck in block.decks) for index in range(len(players))]


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("seats", [2, 6])
def test_equal_styles_tie(style: str, seats: int) -> None:
    """In every single match, not in the mean."""
    decks = STYLES[style] if seats == 2 else max(1, STYLES[style] // 6)
    assert nets([f"style:{style}"] * seats, decks) == [0] * seats


@pytest.mark.parametrize("head", ["import random", "import numpy"])
@pytest.mark.parametrize("seats", [2, 3])
def test_equal_functions_that_draw_tie(tmp_path: Path, head: str, seats: int) -> None:
    """Random numbers of the modules are the same in each seating of a deck."""
    draw = "random.random()" if head == "import random" else "numpy.random.random()"
    body = (
        f"if 'raise' in turn['legalActions'] and {draw} < 0.3:\n"
        "    return {'action': 'raise', 'amount': turn['minRaiseTo']}\n"
        "return {'action': 'check' if 'check' in turn['legalActions'] else 'call'}"
    )
    function = bot(tmp_path, body, head=f"{head}\ndef act(turn):")
    assert nets([function] * seats, 12) == [0] * seats


def test_different_players_do_not_tie() -> None:
    """The tie is no property of the sums."""
    assert nets(["style:maniac", "style:tight"], 30) != [0, 0]
