"""Blackjack and roulette in numbers: bets are parts of the offered range, as actions. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from casino_games.blackjack import BlackjackConfig
from casino_games.blackjack.round import MOST_HANDS, VALUES
from casino_games.cards import DECK, card_from_text
from casino_games.game import Json
from casino_games.roulette import RouletteConfig
from casino_games.roulette.game import COVERED, PAYS, POCKETS

from casino_match.gym.encoding import Encoding, Part, Values, clockwise, flag

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
        self.actions = (
            *(kind.lower() for kind in DECISIONS),
            *names("bet", self._bet_parts),
        )
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
            Part(
                "seen",
                10,
                "the part of the shoe's aces, 2 … 10 that lies face up",
            ),
        )

    def encode(self, public: Json, private: Json, player_id: str) -> Mapping[str, Values]:
        """Return the numbers of each part; no card of a player is secret."""
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
        """Return the legal decisions, and the amounts of the grid for a bet."""
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
        self.actions = (
            "pass",
            *(name for bet in BETS for name in names(bet, self._bet_parts)),
        )
        chips = 1.0 + max(PAYS.values())
        self.parts = (
            Part("stack", players, "chips before the spin, after it those left, by player", chips),
            Part("over", 1, "1 when the ball has fallen"),
            Part("bet", len(BETS), f"1 at the own bet: {', '.join(BETS[:12])}, straight-0 … 36"),
            Part("amount", 1, "chips of the own bet"),
            Part("pocket", len(POCKETS), "1 where the ball fell, zeros before"),
        )

    def encode(self, public: Json, private: Json, player_id: str) -> Mapping[str, Values]:
        """Return the numbers of each part, as the player sees the table."""
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
        """Return the legal bets, each with the amounts of the grid."""
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
