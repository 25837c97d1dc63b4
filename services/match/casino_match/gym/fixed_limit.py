"""Kuhn and Leduc in numbers: an observation is exactly a player's information. Pure."""

from collections.abc import Mapping, Sequence
from typing import Final

from casino_games.game import Json
from casino_games.kuhn_poker import KuhnConfig
from casino_games.leduc_poker import LeducConfig

from casino_match.gym.encoding import Encoding, Part, Values, clockwise, flag

RANKS: Final = ("J", "Q", "K")
_PLAYERS = 2


class FixedLimitEncoding(Encoding):
    """Chips are divided by the larger stack at the start; the opponent is after oneself."""

    decisions_per_round: int
    """The longest sequence of decisions in a betting round."""
    rounds: int

    def __init__(self, config: KuhnConfig | LeducConfig) -> None:
        self._scale = max(config.stacks)
        self.unit = config.ante
        chips = sum(config.stacks) / self._scale
        slots = self.rounds * self.decisions_per_round
        kinds = ", ".join(self.actions)
        self.parts = (
            Part("card", 3, "1 at the rank of the own card: J, Q, K"),
            *([Part("public_card", 3, "1 at the rank of the public card")] * (self.rounds > 1)),
            Part("first", 1, "1 for the player that begins every round"),
            Part("to_act", _PLAYERS, "1 at the player that decides: oneself, the opponent"),
            Part("pot", 1, "all chips put in", chips),
            Part("to_call", 1, "what a call costs", chips),
            Part("stack", _PLAYERS, "chips left: oneself, the opponent", chips),
            Part("paid", _PLAYERS, "chips put in: oneself, the opponent", chips),
            Part(
                "history",
                slots * len(self.actions),
                f"{self.decisions_per_round} decisions of each round in their order; "
                f"of each 1 at its kind: {kinds}",
            ),
        )

    def encode(self, public: Json, private: Json, player_id: str) -> Mapping[str, Values]:
        """Return the numbers of each part, as the player sees the hand."""
        players = clockwise(public["players"], player_id)
        ids = [player["player_id"] for player in players]
        acting, shown = public["current_player"], public["public_card"]
        history: list[float] = []
        for number in range(1, self.rounds + 1):
            kinds = [
                self.actions.index(entry["action"].lower())
                for entry in public["history"]
                if entry["betting_round"] == number
            ]
            for kind in [*kinds, *[None] * (self.decisions_per_round - len(kinds))]:
                history += flag(len(self.actions), kind)
        return {
            "card": flag(len(RANKS), RANKS.index(private["card"][0])),
            "public_card": flag(len(RANKS), RANKS.index(shown[0]) if shown else None),
            "first": [float(public["players"][0]["player_id"] == player_id)],
            "to_act": flag(_PLAYERS, ids.index(acting) if acting else None),
            "pot": [public["pot"] / self._scale],
            "to_call": [public["to_call"] / self._scale],
            "stack": [player["stack"] / self._scale for player in players],
            "paid": [player["paid"] / self._scale for player in players],
            "history": history,
        }

    def answers(self, offered: Sequence[Json], public: Json, player_id: str) -> dict[int, Json]:
        """Return the legal actions, each of which is an action of the game."""
        del public, player_id
        return {self.actions.index(offer["action_type"].lower()): offer for offer in offered}


class KuhnEncoding(FixedLimitEncoding):
    """At most three decisions: check, bet, and the answer to it."""

    actions = ("check", "bet", "call", "fold")
    decisions_per_round = 3
    rounds = 1


class LeducEncoding(FixedLimitEncoding):
    """At most four decisions in a round: check, bet, raise and the answer to it."""

    actions = ("check", "bet", "call", "raise", "fold")
    decisions_per_round = 4
    rounds = 2
