"""Search for hidden cards in the bytes that an attacker received."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import orjson
from casino_contracts import HandRecord, TableEvent


class Overheard:
    """All bytes that an attacker received, in pieces; `events` counts the table events."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._events: list[dict[str, Any]] = []
        self._rest = [_taken_apart(one, self._events) for one in _documents(pieces)]
        self.events = len(self._events)

    def holds_none_of(self, hidden: Mapping[str, set[str]]) -> None:
        """See to it that none of the hidden cards of a hand is there, and none beside an event.

        `hidden` is by hand id; a hand that is not in it counts as one without hidden cards.
        """
        for event in self._events:
            cards = cards_in(event) & hidden.get(event.get("handId", ""), set())
            assert not cards, event["eventType"]
        assert not cards_in(self._rest), "cards beside the public's events"


def hidden_by_hand(
    events: Iterable[TableEvent], records: Mapping[str, HandRecord]
) -> dict[str, set[str]]:
    """Return the hole cards that were never shown, by hand, for every hand of a room's records."""
    by_hand: dict[str, list[TableEvent]] = {}
    for event in events:
        by_hand.setdefault(event.hand_id or "", []).append(event)
    return {hand_id: _hidden_cards(one, by_hand[hand_id]) for hand_id, one in records.items()}


def cards_in(value: Any) -> set[str]:
    """Return every card anywhere in JSON, in its short form."""
    if isinstance(value, dict):
        rank, suit = value.get("rank"), value.get("suit")
        if isinstance(rank, str) and isinstance(suit, str):
            return {rank + suit[:1]}
        return set().union(*map(cards_in, value.values()))
    if isinstance(value, list):
        return set().union(*map(cards_in, value))
    return set()


def _hidden_cards(record: HandRecord, events: Sequence[TableEvent]) -> set[str]:
    """Return the hole cards of a hand that its events never show."""
    folded = {
        (event.payload or {}).get("playerId")
        for event in events
        if event.event_type == "action_taken" and (event.payload or {}).get("action") == "fold"
    }
    holes = record.hole_cards or ()
    left = [hole for hole in holes if hole.player_id not in folded]
    shown = {
        one["playerId"]
        for event in events
        if event.event_type == "hand_completed"
        for one in (event.payload or {}).get("shown", ())
    }
    may_show = {hole.player_id for hole in left} & shown if len(left) > 1 else set()
    return {card.text for hole in holes if hole.player_id not in may_show for card in hole.cards}


def _documents(pieces: Iterable[bytes]) -> Iterator[Any]:
    """Yield every JSON document among the bytes; streams are split into events."""
    for piece in pieces:
        for line in dict.fromkeys((piece, *piece.split(b"\n"))):
            with suppress(orjson.JSONDecodeError):
                yield orjson.loads(line.removeprefix(b"data: "))


def _taken_apart(value: Any, events: list[dict[str, Any]]) -> Any:
    """Return JSON without its table events and lines of lists of hands, which are added."""
    if isinstance(value, list):
        return [_taken_apart(one, events) for one in value]
    if not isinstance(value, dict):
        return value
    if "eventType" in value or {"handId", "shown"} <= value.keys():
        events.append({"eventType": "hand", **value})
        return {}
    return {key: _taken_apart(one, events) for key, one in value.items()}
