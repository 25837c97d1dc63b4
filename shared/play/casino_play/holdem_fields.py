"""The question of Hold'em as plain JSON values, made of the hand itself, for players in process.

It equals the `ActionRequest` that a table sends (`holdem_question`), for chips that are whole
numbers. Each call returns new values: whoever changes them changes nothing else.
"""

from functools import lru_cache
from typing import Any, Final, NamedTuple

from casino_contracts import HOLDEM
from casino_games.cards import NAMES
from casino_games.holdem import Hand

from casino_play.cards import wire_cards

ROUNDS: Final = ("preflop", "flop", "turn", "river")
"""The name of each street."""
STATUS: Final = ("folded", "all-in", "active")
"""By whether a seat is live, plus whether it has chips left."""
_CARDS: Final = tuple({"rank": card.rank, "suit": card.suit} for card in wire_cards(NAMES))


class SeatedPlayer(NamedTuple):
    """What everybody knows of a player."""

    player_id: str
    display_name: str
    seat_number: int


class HandNames(NamedTuple):
    """How a hand and its players are named in questions."""

    table_id: str
    hand_id: str
    hand_number: int
    players: tuple[SeatedPlayer, ...]
    """By the seat of the engine: the first is the first left of the button, the last has it."""


class HoldemFields:
    """The questions of one hand, each to the seat that decides now."""

    __slots__ = ("_history", "_street", "_views", "by_number", "hand", "names")

    def __init__(self, hand: Hand, names: HandNames) -> None:
        """Read the hand at every question; it is played elsewhere."""
        self.hand = hand
        """Holds every card: never passed to a player."""
        self.names = names
        self.by_number = _by_number(names.players)
        """The seats of the engine in the order of the players' numbers."""
        self._street = hand.street
        self._history: list[dict[str, Any]] = []
        self._views = [self._view(seat) for seat in range(len(hand.stacks))]

    @property
    def question_id(self) -> str:
        """The id of the decision, without the number of its attempt."""
        return f"{self.names.hand_id}:{len(self.hand.actions) + 1}"

    @property
    def offers_total(self) -> bool:
        """Whether a bet or raise is legal that is not the whole of a short stack."""
        hand = self.hand
        return hand.max_raise_to > 0 and hand.min_raise_to == hand.price + hand.min_raise

    @property
    def legal_actions(self) -> list[str]:
        """The kinds of the legal actions, as `casino_games` orders them."""
        hand = self.hand
        if to_call := hand.to_call:
            kinds = ["fold", "call"]
            if not hand.max_raise_to:
                if to_call == hand.stacks[hand.actor]:
                    kinds.append("all-in")
                return kinds
        elif hand.max_raise_to:
            kinds = ["check"]
        else:
            return ["check"]
        if self.offers_total:
            kinds.append("raise" if hand.price else "bet")
        kinds.append("all-in")
        return kinds

    def values(
        self, deadline_ms: int, attempt: int = 1, rejected: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """Return the question of an attempt, with the names of the wire."""
        hand, names = self.hand, self.names
        seat = hand.actor
        legal = self.legal_actions
        has_total = self.offers_total
        me = names.players[seat]
        request: dict[str, Any] = {
            "tableId": names.table_id,
            "bettingRound": ROUNDS[hand.street],
            "communityCards": [_CARDS[card].copy() for card in hand.board],
            "holeCards": [_CARDS[card].copy() for card in hand.hole_of(seat)],
            "pot": hand.pot,
            "minimumRaise": hand.min_raise,
            "currentBet": hand.price,
            "playerStack": hand.stacks[seat],
            "legalActions": legal,
            "requestId": f"{names.hand_id}:{len(hand.actions) + 1}:{attempt}",
            "gameType": HOLDEM,
            "handId": names.hand_id,
            "handNumber": names.hand_number,
            "playerId": me.player_id,
            "seatNumber": me.seat_number,
            "buttonSeat": names.players[-1].seat_number,
            "toCall": hand.to_call,
            "minRaiseTo": hand.min_raise_to if has_total else None,
            "maxRaiseTo": hand.max_raise_to if has_total else None,
            "deadlineMs": deadline_ms,
        }
        if rejected is not None:
            request["rejected"] = rejected
        self._catch_up()
        views = self._views
        request["players"] = [views[place].copy() for place in self.by_number]
        request["history"] = [entry.copy() for entry in self._history]
        return request

    def _catch_up(self) -> None:
        """Note what was done since the last question; an action changes its own seat alone."""
        hand, history, players = self.hand, self._history, self.names.players
        if hand.street != self._street:
            self._street = hand.street
            self._views = [self._view(seat) for seat in range(len(hand.stacks))]
        for seat, street, kind, amount, *_ in hand.actions[len(history) :]:
            self._views[seat] = self._view(seat)
            entry: dict[str, Any] = {
                "playerId": players[seat].player_id,
                "bettingRound": ROUNDS[street],
                "action": kind,
            }
            if amount is not None:
                entry["amount"] = amount
            history.append(entry)

    def _view(self, seat: int) -> dict[str, Any]:
        hand = self.hand
        player_id, display_name, number = self.names.players[seat]
        return {
            "playerId": player_id,
            "displayName": display_name,
            "seatNumber": number,
            "stack": hand.stacks[seat],
            "bet": hand.bets[seat],
            "status": STATUS[(hand.live >> seat & 1) + (hand.with_chips >> seat & 1)],
        }


@lru_cache(maxsize=64)
def _by_number(players: tuple[SeatedPlayer, ...]) -> list[int]:
    """Return the seats of the engine in the order of the numbers of their players."""
    return sorted(range(len(players)), key=lambda seat: players[seat].seat_number)
