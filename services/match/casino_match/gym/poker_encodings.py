"""Hold'em, Kuhn poker and Leduc hold'em in numbers: cards, chips and the last decisions. Pure.

The raises of Hold'em are fractions of the pot.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from casino_games.cards import DECK, card_from_text
from casino_games.game import Json
from casino_games.holdem.config import HoldemConfig
from casino_games.kuhn_poker import KuhnConfig
from casino_games.leduc_poker import LeducConfig

from casino_match.gym.encoding import Encoding, Part, Values, clockwise, flag, flags

ROUNDS: Final = ("preflop", "flop", "turn", "river")
STATUS: Final = ("active", "folded", "all-in")
KINDS: Final = ("fold", "check", "call", "bet", "raise", "all-in")
POT_FRACTIONS: Final = (0.33, 0.5, 0.75, 1.0, 1.5, 2.0)
"""The raises between the smallest and all-in, in pots after a call."""
REMEMBERED: Final = 24
"""Decisions of the history in an observation."""

_BOARD = {"flop": slice(0, 3), "turn": slice(3, 4), "river": slice(4, 5)}
_FOLD, _CHECK, _CALL, _ALL_IN, _LEAST = range(5)

RANKS: Final = ("J", "Q", "K")
_PLAYERS = 2


class HoldemEncoding(Encoding):
    """Chips are divided by the largest stack at the start; players are clockwise from oneself."""

    def __init__(self, config: HoldemConfig, pots: Sequence[float] = POT_FRACTIONS) -> None:
        players = len(config.stacks)
        self._scale = max(config.stacks)
        self._pots = tuple(pots)
        self._players = players
        self.unit = config.big_blind
        self.actions = (
            *("fold", "check", "call", "all-in", "raise-min"),
            *(f"raise-{fraction:g}-pot" for fraction in self._pots),
        )
        chips = max(sum(config.stacks), config.big_blind) / self._scale
        self.parts = (
            Part("hole", 52, "1 at each own card; a card is 4 * rank (2 … A) + suit (c, d, h, s)"),
            *(Part(name, 52, f"1 at each card of the {name}") for name in _BOARD),
            Part("round", 4, "1 at the betting round: preflop, flop, turn, river"),
            Part("pot", 1, "all chips put in", chips),
            Part("to_call", 1, "what a call costs the player", chips),
            Part("minimum_raise", 1, "the size of the smallest full raise", chips),
            Part("stack", players, "chips left, by player", chips),
            Part("bet", players, "chips put in during this round, by player", chips),
            Part("status", 3 * players, "1 at active, folded or all-in, by player"),
            Part("button", players, "1 at the player on the button"),
            Part("to_act", players, "1 at the player that decides"),
            Part(
                "history",
                REMEMBERED * self._entry_size,
                f"the last {REMEMBERED} decisions, latest first; of each: 1 at its round (4), "
                "1 at its player, 1 at fold, check, call, bet, raise or all-in (6), "
                "and its amount (a total of the round)",
                chips,
            ),
        )

    @property
    def _entry_size(self) -> int:
        return len(ROUNDS) + self._players + len(KINDS) + 1

    def encode(self, public: Json, private: Json, player_id: str) -> Mapping[str, Values]:
        """Return the numbers of each part, as the player sees the hand."""
        players = clockwise(public["players"], player_id)
        place = {player["player_id"]: index for index, player in enumerate(players)}
        board = [card_from_text(name) for name in public["community_cards"]]
        scale = self._scale
        history: list[float] = []
        for entry in public["history"][: -REMEMBERED - 1 : -1]:
            history += flag(len(ROUNDS), ROUNDS.index(entry["betting_round"]))
            history += flag(self._players, place[entry["player_id"]])
            history += flag(len(KINDS), KINDS.index(entry["action"]))
            history.append((entry["amount"] or 0) / scale)
        history += [0.0] * (REMEMBERED * self._entry_size - len(history))
        return {
            "hole": flags(len(DECK), {card_from_text(name) for name in private["hole_cards"]}),
            **{name: flags(len(DECK), board[part]) for name, part in _BOARD.items()},
            "round": flag(len(ROUNDS), ROUNDS.index(public["betting_round"])),
            "pot": [public["pot"] / scale],
            "to_call": [_to_call(public, players[0]) / scale],
            "minimum_raise": [public["minimum_raise"] / scale],
            "stack": [player["stack"] / scale for player in players],
            "bet": [player["bet"] / scale for player in players],
            "status": [
                number
                for player in players
                for number in flag(len(STATUS), STATUS.index(player["status"]))
            ],
            "button": flag(self._players, place[public["button"]]),
            "to_act": flag(self._players, place.get(public["current_player"])),
            "history": history,
        }

    def answers(self, offered: Sequence[Json], public: Json, player_id: str) -> dict[int, Json]:
        """Return the legal actions, without an amount that another number stands for."""
        by_kind = {offer["action_type"]: offer for offer in offered}
        legal = {
            number: {"action_type": self.actions[number]}
            for number in (_FOLD, _CHECK, _CALL, _ALL_IN)
            if self.actions[number] in by_kind
        }
        own = clockwise(public["players"], player_id)[0]
        to_call = _to_call(public, own)
        if _CALL in legal and _ALL_IN in legal and to_call == own["stack"]:
            del legal[_ALL_IN]
        sized = by_kind.get("raise") or by_kind.get("bet")
        if sized:
            kind, least, most = sized["action_type"], sized["min"], sized["max"]
            pot = public["pot"] + to_call
            amounts = [least, *(public["current_bet"] + round(part * pot) for part in self._pots)]
            used = {most}  # all of the stack is all-in
            for number, amount in enumerate(amounts, _LEAST):
                if least <= amount < most and amount not in used:
                    used.add(amount)
                    legal[number] = {"action_type": kind, "amount": amount}
        return legal


def _to_call(public: Json, player: Json) -> int:
    """Return what a call costs a player, 0 for a player that is not active."""
    if player["status"] != "active":
        return 0
    cost: int = min(player["stack"], public["current_bet"] - player["bet"])
    return cost


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
