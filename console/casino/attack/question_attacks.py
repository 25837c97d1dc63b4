"""Reconstruct a player's last Hold'em question from the room's public events.

Everything in the question except the hole cards is public, so an attacker can repeat it exactly
and guess the cards: an answer that comes from the player's cache is faster than a new one.
"""

import asyncio
import secrets
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import inf

from casino_contracts import PlayerSeat, TableEvent
from casino_contracts.events.content import (
    ActionTaken,
    EventContent,
    HandStarted,
    StatusChanged,
    content_of,
)
from pydantic import ValidationError

from casino.attack.attack_target import AttackedAgent, AttackTarget, Token
from casino.attack.binding_calls import Depth, Json

RANKS, SUITS = "23456789TJQKA", ("clubs", "diamonds", "hearts", "spades")
_CONCURRENCY = 8
_NEW_QUESTIONS = 16
"""Maximum number of new questions that are asked for comparison."""
_CACHED_RATIO = 0.5
"""An answer that takes less than this part of the shortest time of a new one counts as cached."""
DECK = tuple({"rank": rank, "suit": suit} for rank in RANKS for suit in SUITS)


@dataclass
class _Player:
    seat: PlayerSeat
    stack: float
    bet: float = 0
    status: str = "active"
    has_acted: bool = False
    """Whether the player has acted since the last full bet or raise."""


@dataclass
class _Hand:
    number: int
    button_seat: int | None
    players: dict[str, _Player]
    big_blind: float
    pot: float = 0
    price: float = 0
    min_raise: float = 0
    betting_round: str = "preflop"
    board: list[Json] = field(default_factory=list)
    history: list[Json] = field(default_factory=list)

    @classmethod
    def of(cls, started: HandStarted) -> "_Hand | None":
        """Return a hand after the forced bets; None for another game, or one that is incomplete."""
        seats = [seat.complete for seat in started.players]
        players = {seat.player_id: _Player(seat, seat.stack) for seat in seats if seat}
        number, big_blind = started.hand_number, started.big_blind
        if not players or None in seats or number is None or big_blind is None:
            return None
        hand = cls(number, started.button_seat, players, big_blind)
        for posted in started.posted:
            player, amount = players.get(posted.player_id), posted.amount
            if player is None or amount is None:
                return None
            player.stack -= amount
            hand.pot += amount
            if posted.is_bet:
                player.bet += amount
            if not player.stack:
                player.status = "all-in"
        hand.min_raise = hand.big_blind
        hand.price = max(hand.big_blind, *(player.bet for player in players.values()))
        return hand

    def deal(self, betting_round: str, board: list[Json]) -> None:
        self.betting_round, self.board = betting_round, board
        self.price, self.min_raise = 0, self.big_blind
        for player in self.players.values():
            player.bet, player.has_acted = 0, False

    def act(self, taken: ActionTaken) -> None:
        player = self.players[taken.player_id]
        entry: Json = {"playerId": taken.player_id, "bettingRound": taken.betting_round}
        entry["action"] = taken.action
        if taken.amount is not None:
            entry["amount"] = taken.amount
            self.pot = taken.pot or 0
            player.bet, player.stack = taken.amount, taken.stack or 0
            if player.bet > self.price:
                self._raised(player)
            if not player.stack:
                player.status = "all-in"
        self.history.append(entry)
        player.has_acted = True
        if taken.action == "fold":
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
            "handId": f"{table_id}/{self.number}",
            "handNumber": self.number,
            "playerId": player_id,
            "seatNumber": player.seat.seat_number,
            "buttonSeat": self.button_seat,
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
    return {
        "playerId": player.seat.player_id,
        "displayName": player.seat.display_name,
        "seatNumber": player.seat.seat_number,
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
        match _content(event):
            case HandStarted() as content:
                hand = _Hand.of(content)
                decisions = 0
            case ActionTaken() as content if hand and content.player_id in hand.players:
                decisions += 1
                if content.player_id == player_id and content.outcome == "ok":
                    request_id = f"{table_id}/{hand.number}:{decisions}:1"
                    question = hand.question(player_id, request_id, table_id)
                hand.act(content)
            case StatusChanged(kind="street_dealt", betting_round=str(street)) as content if hand:
                hand.deal(street, [card.model_dump() for card in content.community_cards])
    return question


def _content(event: Json) -> EventContent | None:
    try:
        return content_of(TableEvent.model_validate(event))
    except ValidationError:
        return None


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


async def cached_answers(
    target: AttackTarget, player: AttackedAgent, questions: list[Json], token: Token
) -> list[Json]:
    """Return the questions that the player answers from its cache.

    Questions with a new id, which no cache knows, are asked between them for comparison. Their
    shortest time is the time to think: what delays a call, as a busy machine does, only adds to it.
    A player that answers none of them has everything that it answers from its cache.
    """
    semaphore = asyncio.Semaphore(_CONCURRENCY)

    async def seconds(question: Json) -> float | None:
        async with semaphore:
            began = time.monotonic()
            try_ = await target.call(player, "act", question, token)
            duration = time.monotonic() - began
            return duration if try_.reply.depth is Depth.ANSWERED else None

    step = -(-len(questions) // _NEW_QUESTIONS) or 1
    calls: list[tuple[Json, bool]] = []  # a question, and whether it is new
    for start in range(0, len(questions), step):
        guesses = questions[start : start + step]
        calls.append(({**guesses[0], "requestId": f"mallory:{secrets.token_hex(4)}"}, True))
        calls += [(guess, False) for guess in guesses]
    durations = await asyncio.gather(*(seconds(question) for question, _ in calls))
    timed = [
        (question, is_new, duration)
        for (question, is_new), duration in zip(calls, durations, strict=True)
        if duration is not None
    ]
    thinking_time = min((duration for _, is_new, duration in timed if is_new), default=inf)
    return [
        question
        for question, is_new, duration in timed
        if not is_new and duration < thinking_time * _CACHED_RATIO
    ]
