"""The request of each decision of a hand of Hold'em, written as JSON from the hand itself.

It equals the JSON of `ActionRequest` in every byte. What changes rarely is kept as JSON: the board
until the next street, the view of a player until it changes, and the history, which only grows.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Final

from casino_contracts import HOLDEM, Unit
from casino_games.cards import NAMES, Card
from casino_games.holdem import Hand
from casino_games.holdem.record import Seat
from pydantic_core import to_json

from casino_play.cards import wire_cards
from casino_play.holdem_fields import ROUNDS, STATUS, HandNames

_CARDS: Final = tuple(card.wire() for card in wire_cards(NAMES))
_ROUNDS: Final = tuple(name.encode() for name in ROUNDS)
_KINDS: Final = {
    kind: b'"%b"' % kind.encode() for kind in ("fold", "check", "call", "bet", "raise", "all-in")
}
_ACTIVE: Final = "active"
_REQUEST: Final = (
    b'{"tableId":%b,"bettingRound":"%b","communityCards":[%b],"holeCards":[%b],"pot":%b,'
    b'"minimumRaise":%b,"currentBet":%b,"playerStack":%b,"legalActions":[%b],"requestId":%b,'
    b'"gameType":%b,"handId":%b,"handNumber":%d,"playerId":%b,"seatNumber":%d,"buttonSeat":%d,'
    b'"toCall":%b,"minRaiseTo":%b,"maxRaiseTo":%b,"deadlineMs":%d%b,"players":[%b],"history":[%b]}'
)
_VIEW: Final = b'{"playerId":%b,"displayName":%b,"seatNumber":%d,"stack":%b,"bet":%b,"status":"%b"}'
_TIME_BANK: Final = b',"timeBankMs":%d'
_GAME_TYPE: Final = b'"%b"' % HOLDEM.encode()

Number = Callable[[int], bytes]


class HoldemJson:
    """The requests of one hand, each to the seat that decides now; chips are in `unit` on the wire.

    `sits_out` tells whether the player of a seat of the engine sits out.
    """

    __slots__ = (
        "_actions", "_board", "_hand", "_history", "_names", "_number", "_seats", "_sits_out",
        "_street", "_views",
    )  # fmt: skip

    def __init__(
        self,
        hand: Hand,
        names: HandNames,
        unit: Unit,
        sits_out: Callable[[Seat], bool] = lambda _seat: False,
    ) -> None:
        self._hand = hand
        self._names = names
        self._number: Number = _whole if unit.decimals == 0 else _decimal(unit)
        self._sits_out = sits_out
        self._seats = sorted(
            range(len(names.players)), key=lambda seat: names.players[seat].seat_number
        )
        self._street = -1
        self._board = b""
        self._actions = 0
        """The actions that the history has."""
        self._history = b""
        self._views: list[tuple[object, bytes]] = [((), b"")] * len(names.players)

    def request(
        self,
        request_id: str,
        legal: tuple[str, ...],
        raise_to: tuple[int, int] | None,
        deadline_ms: int,
        time_bank_ms: int | None,
    ) -> bytes:
        """Return the request for the seat that decides now.

        `raise_to` are the smallest and the largest total of a bet or raise, None without one.
        """
        hand, names, number = self._hand, self._names, self._number
        seat = hand.actor
        me = names.players[seat]
        if hand.street != self._street:
            self._street = hand.street
            self._board = _cards(hand.board)
        return _REQUEST % (
            _text(names.table_id),
            _ROUNDS[hand.street],
            self._board,
            _cards(hand.hole_of(seat)),
            number(hand.pot),
            number(hand.min_raise),
            number(hand.price),
            number(hand.stacks[seat]),
            _kinds(legal),
            to_json(request_id),
            _GAME_TYPE,
            _text(names.hand_id),
            names.hand_number,
            _text(me.player_id),
            me.seat_number,
            names.players[-1].seat_number,
            number(hand.to_call),
            b"null" if raise_to is None else number(raise_to[0]),
            b"null" if raise_to is None else number(raise_to[1]),
            deadline_ms,
            b"" if time_bank_ms is None else _TIME_BANK % time_bank_ms,
            self.players(),
            self.history(),
        )

    def players(self) -> bytes:
        """Return the views of all players as items of JSON."""
        return b",".join([self._view(seat) for seat in self._seats])

    def history(self) -> bytes:
        """Return the actions of the hand so far as items of JSON."""
        if len(self._hand.actions) == self._actions:
            return self._history
        players, number = self._names.players, self._number
        entries = [self._history] if self._history else []
        for seat, street, kind, amount, *_ in self._hand.actions[self._actions :]:
            entries.append(
                b'{"playerId":%b,"bettingRound":"%b","action":%b%b}'
                % (
                    _text(players[seat].player_id),
                    _ROUNDS[street],
                    _KINDS[kind],
                    b"" if amount is None else b',"amount":%b' % number(amount),
                )
            )
        self._history = b",".join(entries)
        self._actions = len(self._hand.actions)
        return self._history

    def _view(self, seat: Seat) -> bytes:
        """Return the view of a player; it is written anew only if it has changed."""
        hand = self._hand
        status = STATUS[(hand.live >> seat & 1) + (hand.with_chips >> seat & 1)]
        if status == _ACTIVE and self._sits_out(seat):
            status = "sitting-out"
        facts = hand.stacks[seat], hand.bets[seat], status
        written, view = self._views[seat]
        if written != facts:
            player_id, display_name, number = self._names.players[seat]
            view = _VIEW % (
                _text(player_id),
                _text(display_name),
                number,
                self._number(facts[0]),
                self._number(facts[1]),
                status.encode(),
            )
            self._views[seat] = facts, view
        return view


def _whole(chips: int) -> bytes:
    return b"%d" % chips


def _decimal(unit: Unit) -> Number:
    return lambda chips: to_json(unit.amount(chips))


def _cards(cards: tuple[Card, ...]) -> bytes:
    return b",".join([_CARDS[card] for card in cards])


@lru_cache(maxsize=64)
def _kinds(legal: tuple[str, ...]) -> bytes:
    return b",".join([_KINDS[kind] for kind in legal])


@lru_cache(maxsize=4096)
def _text(text: str) -> bytes:
    """Return a text as JSON; names of tables and players come again and again."""
    return to_json(text)
