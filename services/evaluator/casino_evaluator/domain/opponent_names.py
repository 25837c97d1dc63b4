"""Names of the opponents, and the games that each can play."""

from collections.abc import Mapping

DEALER = "dealer"
"""No opponent: the game is played against the bank alone."""

KUHN, LEDUC = "kuhn_poker", "leduc_poker"
HOLDEM, SIMPLE_CARD, BLACKJACK = "texas-holdem", "simple_card", "blackjack"

OPPONENTS: Mapping[str, frozenset[str]] = {
    "random": frozenset({KUHN, LEDUC, HOLDEM, SIMPLE_CARD}),
    "caller": frozenset({KUHN, LEDUC, HOLDEM}),
    "tight": frozenset({HOLDEM}),
    "equity": frozenset({HOLDEM}),
    "equilibrium": frozenset({KUHN, LEDUC}),
    "highest": frozenset({SIMPLE_CARD}),
    "saver": frozenset({SIMPLE_CARD}),
    DEALER: frozenset({BLACKJACK}),
}
"""The game types by name of opponent; the functions are in `opponents.catalogue`."""
