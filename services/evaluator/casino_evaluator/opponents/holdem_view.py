"""What an opponent reads from the state of Hold'em for two."""

from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np
from casino_games.cards import Card, card_from_text
from casino_games.holdem.odds import equity

Json = dict[str, Any]

_TRIALS = 500
_RAISES = {"bet", "raise", "all-in"}


@dataclass(frozen=True, slots=True)
class HoldemView:
    """Cards and chips at one decision of a player; amounts in chips."""

    hole_cards: list[Card] = field(repr=False)
    board: list[Card]
    pot: int
    """All chips put in."""
    current_bet: int
    """The total to match in this betting round."""
    to_call: int
    stack: int
    raises: int
    """Bets and raises of the other player in this betting round."""

    @classmethod
    def of(cls, state: Json) -> "HoldemView":
        """Read the state of the player who decides."""
        public = state["public"]
        own_id = public["current_player"]
        own = next(player for player in public["players"] if player["player_id"] == own_id)
        raises = sum(
            past["action"] in _RAISES
            for past in public["history"]
            if past["betting_round"] == public["betting_round"] and past["player_id"] != own_id
        )
        return cls(
            hole_cards=list(map(card_from_text, state["private"]["hole_cards"])),
            board=list(map(card_from_text, public["community_cards"])),
            pot=public["pot"],
            current_bet=public["current_bet"],
            to_call=min(public["current_bet"] - own["bet"], own["stack"]),
            stack=own["stack"],
            raises=raises,
        )

    @property
    def price(self) -> float:
        """The equity that a call needs to break even; 0 if checking is free."""
        return self.to_call / (self.pot + self.to_call) if self.to_call else 0.0

    def total_after(self, pots: float) -> int:
        """Return the total of a raise by `pots` times the pot after a call."""
        return self.current_bet + round(pots * (self.pot + self.to_call))

    def equity(self, dice: Random) -> float:
        """Return the share of the pot that these cards win against a random hand."""
        generator = np.random.default_rng(dice.getrandbits(64))
        return equity(self.hole_cards, self.board, 1, generator, _TRIALS)
