"""The questions of a hand of Hold'em, made of the hand itself: each to the seat that decides now.

Each is an `ActionRequest`, or the same as plain JSON values for functions in this process. What
changes rarely is kept from one question to the next: the views of the players, and the history.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from casino_contracts import HOLDEM, ActionRequest, Card, PastAction, PlayerView, Unit
from casino_contracts.fast_struct import struct_of
from casino_games.cards import NAMES
from casino_games.holdem import Hand
from casino_games.holdem.betting import Seat
from casino_games.holdem.events import ROUNDS

_STATUS: Final = ("folded", "all-in", "active")
"""By whether a seat is live, plus whether it has chips left."""
_WHOLE: Final = Unit()
_NOBODY: Final[list[Seat]] = []
_AMOUNTS: Final = (
    "pot", "minimumRaise", "currentBet", "playerStack", "toCall", "minRaiseTo", "maxRaiseTo",
)  # fmt: skip
_REQUEST: Final[Callable[..., ActionRequest]] = struct_of(ActionRequest)
_VIEW: Final[Callable[..., PlayerView]] = struct_of(PlayerView)
_PAST: Final[Callable[..., PastAction]] = struct_of(PastAction)
_CARDS: Final = [Card.from_text(name) for name in NAMES]
_CARD_BY_NAME: Final = dict(zip(NAMES, _CARDS, strict=True))
_CARD_STRUCTS: Final = [struct_of(Card)(rank=card.rank, suit=card.suit) for card in _CARDS]
_CARD_VALUES: Final = [{"rank": card.rank, "suit": card.suit} for card in _CARDS]


def wire_cards(names: Iterable[str]) -> tuple[Card, ...]:
    return tuple(_CARD_BY_NAME[name] for name in names)


class NamedPlayer(NamedTuple):
    """What everybody knows of a player."""

    player_id: str
    display_name: str
    seat_number: int


class HandNames(NamedTuple):
    """How a hand and its players are named in questions."""

    table_id: str
    hand_id: str
    hand_number: int
    players: tuple[NamedPlayer, ...]
    """By the seat of the engine: the first is the first left of the button, the last has it."""
    button_seat: int | None = None
    """The number of the button's seat; None: the last player's."""


class HandQuestions:
    """The questions of one hand, with chips in `unit`; `sits_out` tells of a seat's player."""

    __slots__ = (
        "_button_seat", "_by_number", "_structs", "_values", "amount", "hand", "names", "sits_out",
        "unit",
    )  # fmt: skip

    def __init__(
        self,
        hand: Hand,
        names: HandNames,
        unit: Unit = _WHOLE,
        sits_out: Callable[[Seat], bool] | None = None,
    ) -> None:
        """Read the hand at every question; it is played elsewhere."""
        self.hand = hand  # holds every card: never passed to a player
        self.names = names
        self.unit = unit
        self.amount = unit.amount if unit.decimals else None
        """Converts chips to what the wire says; None where that is the same."""
        self.sits_out = sits_out
        button = names.button_seat
        self._button_seat = names.players[-1].seat_number if button is None else button
        self._by_number = _by_number(names.players)
        self._structs: _Seen | None = None
        self._values: _Seen | None = None

    @property
    def question_id(self) -> str:
        """The id of the decision, without the number of its attempt."""
        return f"{self.names.hand_id}:{len(self.hand.actions) + 1}"

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
        if self._offers_total:
            kinds.append("raise" if hand.price else "bet")
        kinds.append("all-in")
        return kinds

    @property
    def _offers_total(self) -> bool:
        """Whether a bet or raise is legal that is not the whole of a short stack."""
        hand = self.hand
        return hand.max_raise_to > 0 and hand.min_raise_to == hand.price + hand.min_raise

    def request(
        self,
        attempt: int,
        deadline_ms: int,
        time_bank_ms: int | None = None,
        legal: Sequence[str] | None = None,
        current_bet: int | None = None,
    ) -> ActionRequest:
        """Return the question of an attempt; `legal` and `current_bet` replace those of totals."""
        hand = self.hand
        facts = self._facts(
            tuple([_CARD_STRUCTS[card] for card in hand.board]),
            tuple([_CARD_STRUCTS[card] for card in hand.hole_of(hand.actor)]),
            legal or tuple(self.legal_actions),
            attempt,
            deadline_ms,
            current_bet,
        )
        if amount := self.amount:
            for name in _AMOUNTS:
                facts[name] = None if facts[name] is None else amount(facts[name])
        views, history = self._seen_as_structs()
        players = tuple([views[seat] for seat in self._by_number])
        return _REQUEST(*facts.values(), time_bank_ms, players, tuple(history))

    def values(
        self, deadline_ms: int, attempt: int = 1, rejected: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """Return it with the names of the wire, for whole chips where nobody sits out.

        The values are new at each call.
        """
        hand = self.hand
        board = [_CARD_VALUES[card].copy() for card in hand.board]
        hole = [_CARD_VALUES[card].copy() for card in hand.hole_of(hand.actor)]
        request = self._facts(board, hole, self.legal_actions, attempt, deadline_ms)
        if rejected is not None:
            request["rejected"] = rejected
        views, history = self._seen_as_values()
        request["players"] = [views[seat].copy() for seat in self._by_number]
        request["history"] = [entry.copy() for entry in history]
        return request

    def _facts(
        self,
        board: Sequence[object],
        hole: Sequence[object],
        legal: Sequence[str],
        attempt: int,
        deadline_ms: int,
        current_bet: int | None = None,
    ) -> dict[str, Any]:
        """Return the first fields of `ActionRequest` in their order, with amounts in chips."""
        hand, names = self.hand, self.names
        seat, has_total = hand.actor, self._offers_total
        me = names.players[seat]
        return {
            "tableId": names.table_id,
            "bettingRound": ROUNDS[hand.street],
            "communityCards": board,
            "holeCards": hole,
            "pot": hand.pot,
            "minimumRaise": hand.min_raise,
            "currentBet": hand.price if current_bet is None else current_bet,
            "playerStack": hand.stacks[seat],
            "legalActions": legal,
            "requestId": f"{names.hand_id}:{len(hand.actions) + 1}:{attempt}",
            "gameType": HOLDEM,
            "handId": names.hand_id,
            "handNumber": names.hand_number,
            "playerId": me.player_id,
            "seatNumber": me.seat_number,
            "buttonSeat": self._button_seat,
            "toCall": hand.to_call,
            "minRaiseTo": hand.min_raise_to if has_total else None,
            "maxRaiseTo": hand.max_raise_to if has_total else None,
            "deadlineMs": deadline_ms,
        }

    # Two makers: one that is given what it makes is a tenth slower where both kinds are asked.

    def _seen_as_structs(self) -> tuple[list[Any], list[Any]]:
        hand, players, amount = self.hand, self.names.players, self.amount
        if (seen := self._structs) is None:
            seen = self._structs = _Seen(players)
        views, history = seen.views, seen.history
        seats, actions = self._news(seen)
        for seat in seats:
            player_id, display_name, number = players[seat]
            stack, bet = hand.stacks[seat], hand.bets[seat]
            chips = (stack, bet) if amount is None else (amount(stack), amount(bet))
            views[seat] = _VIEW(player_id, display_name, number, *chips, self._status(seat))
        for seat, street, kind, total, *_ in actions:
            named = total if total is None or amount is None else amount(total)
            history.append(_PAST(players[seat].player_id, ROUNDS[street], kind, named))
        return views, history

    def _seen_as_values(self) -> tuple[list[Any], list[Any]]:
        hand, players = self.hand, self.names.players
        if (seen := self._values) is None:
            seen = self._values = _Seen(players)
        views, history = seen.views, seen.history
        seats, actions = self._news(seen)
        live, with_chips = hand.live, hand.with_chips
        for seat in seats:
            player_id, display_name, number = players[seat]
            views[seat] = {
                "playerId": player_id,
                "displayName": display_name,
                "seatNumber": number,
                "stack": hand.stacks[seat],
                "bet": hand.bets[seat],
                "status": _STATUS[(live >> seat & 1) + (with_chips >> seat & 1)],
            }
        for seat, street, kind, total, *_ in actions:
            past = {
                "playerId": players[seat].player_id,
                "bettingRound": ROUNDS[street],
                "action": kind,
            }
            if total is not None:
                past["amount"] = total
            history.append(past)
        return views, history

    def _news(self, seen: "_Seen") -> tuple[Iterable[Seat], list[Any]]:
        """Return the seats whose view is another one, and the actions, since the last question."""
        hand, sits_out = self.hand, self.sits_out
        actions = hand.actions[len(seen.history) :]
        away = [seat for seat in seen.seats if sits_out(seat)] if sits_out else _NOBODY
        if hand.street == seen.street and away == seen.away:
            return [action[0] for action in actions], actions
        seen.street, seen.away = hand.street, away
        return seen.seats, actions

    def _status(self, seat: Seat) -> str:
        hand, sits_out = self.hand, self.sits_out
        status = _STATUS[(hand.live >> seat & 1) + (hand.with_chips >> seat & 1)]
        return "sitting-out" if sits_out and status == "active" and sits_out(seat) else status


class _Seen:
    """What the players have seen of a hand: views by seat, and the history."""

    __slots__ = ("away", "history", "seats", "street", "views")

    def __init__(self, players: Sequence[NamedPlayer]) -> None:
        self.street = -1
        self.away = _NOBODY
        self.seats = range(len(players))
        self.views: list[Any] = [None] * len(players)
        self.history: list[Any] = []


@lru_cache(maxsize=64)
def _by_number(players: tuple[NamedPlayer, ...]) -> list[Seat]:
    return sorted(range(len(players)), key=lambda seat: players[seat].seat_number)
