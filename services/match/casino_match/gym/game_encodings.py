"""Each game's observations and actions in numbers. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from casino_games.blackjack import BlackjackConfig
from casino_games.blackjack.round import MOST_HANDS, VALUES
from casino_games.cards import DECK, card_from_text
from casino_games.game import Json
from casino_games.holdem.config import HoldemConfig
from casino_games.holdem.events import ROUNDS
from casino_games.kuhn_poker import KuhnConfig
from casino_games.leduc_poker import LeducConfig
from casino_games.roulette import RouletteConfig
from casino_games.roulette.game import COVERED, PAYS, POCKETS

from casino_match.gym.encoding import Encoding, Part, Values, clockwise, flag, flags

BET_PARTS: Final = (0.0, 0.25, 0.5, 1.0)
"""Where an amount is between the smallest and the largest that is offered."""

PHASES: Final = ("betting", "playing", "over")
DECISIONS: Final = ("PASS", "STAND", "HIT", "DOUBLE", "SPLIT")
_POINTS = range(1, 11)
_IN_A_DECK = {points: sum(VALUES[card] == points for card in DECK) for points in _POINTS}
_MOST_TOTAL = 31
_MOST_GAIN = 2.5
"""A stack that is bet as a whole and wins three to two."""
BETS: Final = tuple(COVERED)
_PASS = 0


def names(bet: str, parts: Sequence[float]) -> tuple[str, ...]:
    """Return the names of a bet's numbered actions.

    >>> names("bet", (0.0, 0.25, 1.0))
    ('bet-min', 'bet-0.25', 'bet-max')
    """
    ends = {0.0: "min", 1.0: "max"}
    return tuple(f"{bet}-{ends.get(part, f'{part:g}')}" for part in parts)


def amounts(offer: Json, parts: Sequence[float]) -> Iterator[tuple[int, int]]:
    """Yield the index of each part with its amount, without amounts that were there before.

    >>> list(amounts({"min": 2, "max": 3}, (0.0, 0.25, 1.0)))
    [(0, 2), (2, 3)]
    """
    used: set[int] = set()
    for index, part in enumerate(parts):
        amount = offer["min"] + round(part * (offer["max"] - offer["min"]))
        if amount not in used:
            used.add(amount)
            yield index, amount


class BlackjackEncoding(Encoding):
    """Chips are divided by the largest stack at the start; players are clockwise from oneself."""

    def __init__(self, config: BlackjackConfig, bet_parts: Sequence[float] = BET_PARTS) -> None:
        players = len(config.stacks)
        self._scale = max(config.stacks)
        self._decks = config.decks
        self._bet_parts = tuple(bet_parts)
        self.unit = config.min_bet
        self.actions = (*(kind.lower() for kind in DECISIONS), *names("bet", self._bet_parts))
        self.parts = (
            Part("phase", 3, "1 at the phase: betting, playing, over"),
            Part("dealer_card", 10, "1 at the points of the dealer's first card: ace, 2 … 10"),
            Part("dealer_total", 1, "the dealer's shown total / 31"),
            Part("active_hand", MOST_HANDS, "1 at the own hand that is played now"),
            Part("to_act", players, "1 at the player that decides"),
            Part("stack", players, "chips that are not bet, by player", _MOST_GAIN),
            Part("bet", players, "chips of the first bet, by player"),
            Part(
                "hands",
                players * MOST_HANDS * 4,
                "three hands of each player; of each: its total / 31, 1 if soft, its bet, "
                "1 for a pair of equal points",
            ),
            Part("seen", 10, "the part of the shoe's aces, 2 … 10 that lies face up"),
        )

    def encode(self, public: Json, private: Json, player_id: str) -> Mapping[str, Values]:
        del private
        players = clockwise(public["players"], player_id)
        ids = [player["player_id"] for player in players]
        acting, active = public["current_player"], public["current_hand"]
        dealer = public["dealer"]
        hands: list[float] = []
        shown = [*dealer["cards"]]
        for player in players:
            for hand in player["hands"]:
                shown += hand["cards"]
                hands += self._hand(hand)
            hands += [0.0] * (4 * (MOST_HANDS - len(player["hands"])))
        seen = [_points(card) for card in shown]
        return {
            "phase": flag(len(PHASES), PHASES.index(public["phase"])),
            "dealer_card": flag(10, _points(dealer["cards"][0]) - 1 if dealer["cards"] else None),
            "dealer_total": [dealer["total"] / _MOST_TOTAL],
            "active_hand": flag(MOST_HANDS, active if acting == player_id else None),
            "to_act": flag(len(ids), ids.index(acting) if acting else None),
            "stack": [player["stack"] / self._scale for player in players],
            "bet": [(player["bet"] or 0) / self._scale for player in players],
            "hands": hands,
            "seen": [seen.count(points) / (self._decks * _IN_A_DECK[points]) for points in _POINTS],
        }

    def answers(self, offered: Sequence[Json], public: Json, player_id: str) -> dict[int, Json]:
        del public, player_id
        legal: dict[int, Json] = {}
        for offer in offered:
            kind = offer["action_type"]
            if kind != "BET":
                legal[DECISIONS.index(kind)] = {"action_type": kind}
                continue
            for index, amount in amounts(offer, self._bet_parts):
                legal[len(DECISIONS) + index] = {"action_type": kind, "amount": amount}
        return legal

    def _hand(self, hand: Json) -> list[float]:
        points = [_points(card) for card in hand["cards"]]
        is_pair = len(points) == 2 and points[0] == points[1]  # noqa: PLR2004
        total = min(hand["total"], _MOST_TOTAL) / _MOST_TOTAL
        return [total, float(hand["is_soft"]), hand["bet"] / self._scale, float(is_pair)]


def _points(name: str) -> int:
    return VALUES[card_from_text(name)]


class RouletteEncoding(Encoding):
    """Chips are divided by the largest stack at the start; players are clockwise from oneself."""

    def __init__(self, config: RouletteConfig, bet_parts: Sequence[float] = BET_PARTS) -> None:
        players = len(config.stacks)
        self._scale = max(config.stacks)
        self._bet_parts = tuple(bet_parts)
        self.unit = config.min_bet
        self.actions = ("pass", *(name for bet in BETS for name in names(bet, self._bet_parts)))
        chips = 1.0 + max(PAYS.values())
        self.parts = (
            Part("stack", players, "chips before the spin, after it those left, by player", chips),
            Part("over", 1, "1 when the ball has fallen"),
            Part("bet", len(BETS), f"1 at the own bet: {', '.join(BETS[:12])}, straight-0 … 36"),
            Part("amount", 1, "chips of the own bet"),
            Part("pocket", len(POCKETS), "1 where the ball fell, zeros before"),
        )

    def encode(self, public: Json, private: Json, player_id: str) -> Mapping[str, Values]:
        players = clockwise(public["players"], player_id)
        bet = private["bet"] or {"bet": None, "amount": 0}
        return {
            "stack": [player["stack"] / self._scale for player in players],
            "over": [float(public["phase"] == "over")],
            "bet": flag(len(BETS), None if bet["bet"] is None else BETS.index(bet["bet"])),
            "amount": [bet["amount"] / self._scale],
            "pocket": flag(len(POCKETS), public["pocket"]),
        }

    def answers(self, offered: Sequence[Json], public: Json, player_id: str) -> dict[int, Json]:
        del public, player_id
        legal: dict[int, Json] = {}
        for offer in offered:
            if offer["action_type"] == "PASS":
                legal[_PASS] = {"action_type": "PASS"}
                continue
            start = _PASS + 1 + BETS.index(offer["bet"]) * len(self._bet_parts)
            for index, amount in amounts(offer, self._bet_parts):
                answer = {"action_type": "PLACE_BET", "bet": offer["bet"], "amount": amount}
                legal[start + index] = answer
        return legal


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
