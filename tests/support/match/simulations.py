"""The simulations of bench/matches/, for their short forms."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[3] / "bench/matches"))

import intervals
from simulated_decks import HANDS_PER_DECK, SimulatedDecks, several_players

__all__ = ["HANDS_PER_DECK", "SimulatedDecks", "intervals", "several_players"]
