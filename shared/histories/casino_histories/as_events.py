"""A hand as the events that a table would have published, and as the operator's record of it.

The page and the lobby so show hands of files as they show those of rooms.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from casino_contracts import HOLDEM, HandRecord, Unit
from casino_contracts.base import ID_LIMIT, displayed, is_legible
from casino_contracts.events.content import EventType
from casino_contracts.player_messages import Card

from casino_histories.completed_hand import BOARD_SIZES, STREETS, Action, HandHistory

Json = dict[str, Any]
Described = tuple[EventType, str, Json]
"""Type, message and payload of an event."""

_WORDS = {"fold": "folds", "check": "checks", "call": "calls"}


class EventsOfHand:
    """Describes one hand; `number` is its number in the room that shows it."""

    def __init__(self, hand: HandHistory, number: int) -> None:
        self._hand = hand
        self._number = number
        self._amount = Unit(decimals=hand.decimals).amount
        self.ids = player_ids(hand)
        self._names = [
            displayed(seat.name) or f"Player {n}" for n, seat in enumerate(hand.seats, 1)
        ]
        self._left = [seat.stack for seat in hand.seats]
        self._pot = 0

    @property
    def seats(self) -> list[Json]:
        return [
            {
                "playerId": self.ids[number],
                "seatNumber": seat.number,
                "displayName": self._names[number],
                "stack": self._amount(seat.stack),
            }
            for number, seat in enumerate(self._hand.seats)
        ]

    def events(self) -> Iterator[Described]:
        hand = self._hand
        yield self._started()
        street = 0
        for action in hand.actions:
            while street < action.street:
                street += 1
                yield self._street(street)
            yield self._acted(action)
        while street < hand.streets:
            street += 1
            yield self._street(street)
        yield self._completed()

    def record(self, table_id: str, epoch: int) -> HandRecord:
        hand = self._hand
        return HandRecord.model_validate(
            {
                "tableId": table_id,
                "handId": f"{table_id}/{self._number}",
                "handNumber": self._number,
                "epoch": epoch,
                "gameType": HOLDEM,
                "buttonSeat": hand.button_number,
                "players": self.seats,
                "holeCards": [
                    {"playerId": self.ids[number], "cards": _cards(seat.cards)}
                    for number, seat in enumerate(hand.seats)
                    if seat.cards
                ],
                "scores": {
                    self.ids[seat]: self._amount(hand.won[seat] - hand.contributed[seat])
                    for seat in range(len(hand.seats))
                },
            }
        )

    def _started(self) -> Described:
        hand = self._hand
        posted: list[Json] = []
        for bet in hand.forced:
            amount = self._amount(bet.amount)
            posted.append({"playerId": self.ids[bet.seat], "kind": bet.kind, "amount": amount})
            if bet.is_dead:
                posted[-1]["isDead"] = True
            self._left[bet.seat] -= bet.amount
            self._pot += bet.amount
        payload = {
            "handNumber": self._number,
            "buttonSeat": hand.button_number,
            "smallBlind": self._amount(hand.small_blind),
            "bigBlind": self._amount(hand.big_blind),
            "ante": self._amount(hand.ante),
            "posted": posted,
            "players": self.seats,
        }
        return "hand_started", f"hand {hand.number} of {displayed(hand.table)} begins", payload

    def _street(self, street: int) -> Described:
        cards = self._hand.board[: BOARD_SIZES[street]]
        payload = {
            "status": "running",
            "kind": "street_dealt",
            "handNumber": self._number,
            "bettingRound": STREETS[street],
            "communityCards": _cards(cards),
        }
        return "table_status", f"{STREETS[street]}: {' '.join(cards)}", payload

    def _acted(self, action: Action) -> Described:
        self._left[action.seat] -= action.added
        self._pot += action.added
        payload: Json = {
            "handNumber": self._number,
            "playerId": self.ids[action.seat],
            "bettingRound": STREETS[action.street],
            "action": "all-in" if action.is_all_in else action.kind,
            "pot": self._amount(self._pot),
            "stack": self._amount(self._left[action.seat]),
            "outcome": "ok",
        }
        total = self._amount(action.total)
        if action.kind not in {"fold", "check"}:
            payload["amount"] = total
        words = _WORDS.get(action.kind) or (
            f"bets {total}" if action.kind == "bet" else f"raises to {total}"
        )
        if action.is_all_in:
            words = f"is all-in with {total}"
        return "action_taken", f"{self._names[action.seat]} {words}", payload

    def _completed(self) -> Described:
        hand = self._hand
        payload: Json = {
            "handNumber": self._number,
            "communityCards": _cards(hand.board),
            "pots": [
                {
                    "amount": self._amount(pot.amount),
                    "winners": [
                        {"playerId": self.ids[share.seat], "amount": self._amount(share.amount)}
                        for share in pot.winners
                    ],
                }
                for pot in hand.pots
            ],
            "shown": [
                {
                    "playerId": self.ids[item.seat],
                    "cards": _cards(item.cards),
                    "rankName": item.rank_name or "cards",
                }
                for item in hand.shown
            ],
            "stacks": [
                {"playerId": self.ids[seat], "stack": self._amount(stack)}
                for seat, stack in enumerate(hand.finishing_stacks)
            ],
        }
        if hand.returned:
            payload["returned"] = {
                "playerId": self.ids[hand.returned.seat],
                "amount": self._amount(hand.returned.amount),
            }
        if hand.rake:
            payload["rake"] = self._amount(hand.rake)
        results = [
            f"{self._names[seat]} wins {self._amount(won)}"
            for seat, won in enumerate(hand.won)
            if won
        ] or ["the file does not say who won"]
        if hand.is_cancelled:
            payload["isCancelled"] = True
            results = ["cancelled, everybody gets back what it put in"]
        if hand.rake:
            results.append(f"rake {self._amount(hand.rake)}")
        result = ", ".join(results)
        return "hand_completed", f"hand {self._number}: {result}", payload


def player_ids(hand: HandHistory) -> list[str]:
    """Return an id for each player that a room can have: that of the file if it is one."""
    ids: list[str] = []
    for number, seat in enumerate(hand.seats, 1):
        name = displayed(seat.player_id)[:ID_LIMIT]
        is_good = is_legible(name) and name not in ids
        ids.append(name if is_good else f"seat-{number}")
    return ids


def _cards(cards: Sequence[str]) -> list[Json]:
    return [Card.from_text(card).model_dump() for card in cards]
