"""Reconstruct a player's last Hold'em question from the room's public events.

Everything in the question except the hole cards is public, so an attacker can repeat it exactly
and guess the cards.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from casino.attack.bindings import Json

RANKS, SUITS = "23456789TJQKA", ("clubs", "diamonds", "hearts", "spades")
DECK = tuple({"rank": rank, "suit": suit} for rank in RANKS for suit in SUITS)
_ROUNDS = ("preflop", "flop", "turn", "river")


@dataclass
class _Player:
    view: Json
    stack: float
    bet: float = 0
    status: str = "active"
    has_acted: bool = False
    """Whether the player has acted since the last full bet or raise."""


@dataclass
class _Hand:
    started: Json
    players: dict[str, _Player]
    big_blind: float
    pot: float = 0
    price: float = 0
    min_raise: float = 0
    betting_round: str = "preflop"
    board: list[Json] = field(default_factory=list)
    history: list[Json] = field(default_factory=list)

    @classmethod
    def of(cls, started: Json) -> "_Hand":
        """Return a hand after the forced bets."""
        players = {
            seat["playerId"]: _Player(dict(seat), seat["stack"]) for seat in started["players"]
        }
        hand = cls(started, players, started["bigBlind"])
        for posted in started["posted"]:
            player = players[posted["playerId"]]
            player.stack -= posted["amount"]
            hand.pot += posted["amount"]
            if posted["kind"] != "ante":
                player.bet = posted["amount"]
            if not player.stack:
                player.status = "all-in"
        hand.min_raise = hand.big_blind
        hand.price = max(hand.big_blind, *(player.bet for player in players.values()))
        return hand

    def deal(self, betting_round: str, board: list[Json]) -> None:
        """Start a street."""
        self.betting_round, self.board = betting_round, board
        self.price, self.min_raise = 0, self.big_blind
        for player in self.players.values():
            player.bet, player.has_acted = 0, False

    def act(self, taken: Json) -> None:
        """Apply an action."""
        player = self.players[taken["playerId"]]
        entry = {"playerId": taken["playerId"], "bettingRound": taken["bettingRound"]}
        entry["action"] = taken["action"]
        if taken.get("amount") is not None:
            entry["amount"] = taken["amount"]
            self.pot = taken["pot"]
            player.bet, player.stack = taken["amount"], taken["stack"]
            if player.bet > self.price:
                self._raised(player)
            if not player.stack:
                player.status = "all-in"
        self.history.append(entry)
        player.has_acted = True
        if taken["action"] == "fold":
            player.status = "folded"

    def _raised(self, player: _Player) -> None:
        size, self.price = player.bet - self.price, player.bet
        if size >= self.min_raise:
            self.min_raise = size
            for other in self.players.values():
                other.has_acted = False

    def question(self, player_id: str, request_id: str, table_id: str) -> Json:
        """Return the question to a player in the current state, without its hole cards."""
        player = self.players[player_id]
        facing = self.price - player.bet
        to_call = min(facing, player.stack)
        legal, min_raise_to, max_raise_to = self._legal(player, facing)
        return {
            "tableId": table_id,
            "bettingRound": self.betting_round,
            "communityCards": self.board,
            "pot": self.pot,
            "minimumRaise": self.min_raise,
            "currentBet": self.price,
            "playerStack": player.stack,
            "legalActions": legal,
            "requestId": request_id,
            "gameType": "texas-holdem",
            "handId": f"{table_id}/{self.started['handNumber']}",
            "handNumber": self.started["handNumber"],
            "playerId": player_id,
            "seatNumber": player.view["seatNumber"],
            "buttonSeat": self.started["buttonSeat"],
            "toCall": to_call,
            "minRaiseTo": min_raise_to,
            "maxRaiseTo": max_raise_to,
            "deadlineMs": 5000,
            "players": [_view(other) for other in self.players.values()],
            "history": list(self.history),
        }

    def _legal(
        self, player: _Player, facing: float
    ) -> tuple[list[str], float | None, float | None]:
        legal = ["fold", "call"] if facing > 0 else ["check"]
        if player.stack <= facing:
            return [*legal, "all-in"] if facing else legal, None, None
        can_be_answered = any(
            other is not player
            and other.status == "active"
            and other.stack + other.bet > self.price
            for other in self.players.values()
        )
        if not can_be_answered or (player.has_acted and facing < self.min_raise):
            return legal, None, None
        min_raise_to, max_raise_to = self.price + self.min_raise, player.bet + player.stack
        if min_raise_to > max_raise_to:
            return [*legal, "all-in"], None, None
        bet = "raise" if self.price else "bet"
        return [*legal, bet, "all-in"], min_raise_to, max_raise_to


def _view(player: _Player) -> Json:
    view = player.view
    return {
        "playerId": view["playerId"],
        "displayName": view["displayName"],
        "seatNumber": view["seatNumber"],
        "stack": player.stack,
        "bet": player.bet,
        "status": player.status,
    }


def last_question(events: Iterable[Json], player_id: str, table_id: str) -> Json | None:
    """Return the newest Hold'em question that a player answered itself, or None."""
    hand: _Hand | None = None
    question: Json | None = None
    decisions = 0
    for event in events:
        payload: dict[str, Any] = event.get("payload") or {}
        match event.get("eventType"):
            case "hand_started":
                hand = _Hand.of(payload) if "posted" in payload else None
                decisions = 0
            case "action_taken" if hand is not None:
                decisions += 1
                if payload["playerId"] == player_id and payload.get("outcome") == "ok":
                    request_id = f"{table_id}/{hand.started['handNumber']}:{decisions}:1"
                    question = hand.question(player_id, request_id, table_id)
                hand.act(payload)
            case "table_status" if hand is not None and payload.get("kind") == "street_dealt":
                hand.deal(payload["bettingRound"], payload["communityCards"])
    return question


def guesses(question: Json, known_cards: Sequence[Json] = ()) -> list[Json]:
    """Return the question with every possible pair of hole cards, in both orders."""
    excluded = [*question["communityCards"], *known_cards]
    cards = [card for card in DECK if card not in excluded]
    return [
        {**question, "holeCards": [first, second]}
        for first in cards
        for second in cards
        if first is not second
    ]
