"""Search for hidden cards in the bytes that an attacker received."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import orjson
from casino_contracts import HandRecord, TableEvent


class Overheard:
    """All bytes that an attacker received, in pieces; `events` counts the table events."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._documents = _documents(pieces)
        self.events = 0

    def holds_none_of(self, hidden: Mapping[str, set[str]]) -> None:
        """See to it that none of the hidden cards of a hand is there, and none beside an event.

        `hidden` is by hand id; a hand that is not in it counts as one without hidden cards.
        """
        for document in self._documents:
            for found in _events_in(document):
                self.events += 1
                hand_id = found.get("handId", "")
                assert not cards_in(found) & hidden.get(hand_id, set()), found["eventType"]
            assert not cards_in(_without_events(document)), "cards beside the public's events"


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


def _documents(pieces: Iterable[bytes]) -> list[Any]:
    """Return every JSON document among the bytes; streams are split into events."""
    found = []
    for piece in pieces:
        for line in dict.fromkeys((piece, *piece.split(b"\n"))):
            try:
                found.append(orjson.loads(line.removeprefix(b"data: ")))
            except orjson.JSONDecodeError:
                continue
    return found


def _events_in(value: Any) -> list[dict[str, Any]]:
    """Return every table event, and every line of a list of hands, within JSON."""
    if isinstance(value, list):
        return [found for one in value for found in _events_in(one)]
    if not isinstance(value, dict):
        return []
    if _is_public(value):
        return [{"eventType": "hand", **value}]
    return [found for one in value.values() for found in _events_in(one)]


def _is_public(value: dict[str, Any]) -> bool:
    return "eventType" in value or {"handId", "shown"} <= value.keys()


def _without_events(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_events(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {} if _is_public(value) else {key: _without_events(one) for key, one in value.items()}
