"""Catalogue of the opponents: the function of each name."""

from collections.abc import Mapping

from casino_evaluator.opponents import (
    caller,
    equilibrium,
    equity,
    random_choice,
    simple_card,
    tight,
)
from casino_evaluator.opponents.decide import Decide

CATALOGUE: Mapping[str, Decide] = {
    "random": random_choice.decide,
    "caller": caller.decide,
    "tight": tight.decide,
    "equity": equity.decide,
    "equilibrium": equilibrium.decide,
    "highest": simple_card.highest,
    "saver": simple_card.saver,
}
"""By the names of `domain.opponent_names`; `dealer` has none, because nobody sits there."""
