"""Looks for hole cards and secrets in what the public can read.

What may be public follows from what the players did: hole cards of those who did not fold, if at
least two were left and the hand is over; of the board what was dealt.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from casino_contracts import Card

from support.casino.streams import TOKEN

SEED, SECRET = "the-seed-of-this-room", "the-secret-of-this-room"


STREETS = {3: "flop", 4: "turn", 5: "river"}


CARD = re.compile(r"(?<![A-Za-z0-9])(?:10|[2-9TJQKA])[hdcs♥♦♣♠](?![A-Za-z0-9])")


Holes = dict[str, dict[str, set[Card]]]
"""By hand and player."""


def cards_in(value: Any) -> list[Card]:
    """Return all cards anywhere in JSON."""
    if isinstance(value, dict):
        if {"rank", "suit"} <= value.keys():
            return [Card.model_validate(value)]
        return [card for one in value.values() for card in cards_in(one)]
    if isinstance(value, list):
        return [card for one in value for card in cards_in(one)]
    return []


def texts_in(value: Any) -> Iterator[str]:
    """Yield all texts anywhere in JSON, also names of fields."""
    if isinstance(value, dict):
        for key, one in value.items():
            yield key
            yield from texts_in(one)
    elif isinstance(value, list):
        for one in value:
            yield from texts_in(one)
    elif isinstance(value, str):
        yield value


class LeakAuditor:
    """Finds hidden cards of known hands."""

    def __init__(self, holes: Holes) -> None:
        self._holes = holes
        self._folded: defaultdict[str, set[str]] = defaultdict(set)
        self._dealt: defaultdict[str, list[Card]] = defaultdict(list)
        self._messages: set[str] = set()
        self.shown = self.mucked = 0

    def learn(self, events: Iterable[dict[str, Any]]) -> None:
        """Learn from all events in order what may be public, and when."""
        for event in events:
            hand, payload = event.get("handId", ""), event.get("payload", {})
            self._messages.add(event["message"])
            if event["eventType"] == "action_taken" and payload["action"] == "fold":
                self._folded[hand].add(payload["playerId"])
            if payload.get("kind") == "street_dealt":
                board = cards_in(payload["communityCards"])
                assert len(board) in STREETS
                assert board[: len(self._dealt[hand])] == self._dealt[hand]
                self._dealt[hand] = board

    def audit(self, value: Any) -> None:
        """Check public JSON."""
        if isinstance(value, list):
            for one in value:
                self.audit(one)
        elif isinstance(value, dict) and "eventType" in value:
            self._audit_event(value)
        elif isinstance(value, dict) and {"handId", "shown"} <= value.keys():  # a line of the list
            self._audit_event({**value, "eventType": "hand_completed", "payload": value})
        elif isinstance(value, dict):
            assert not {"rank", "suit"} <= value.keys(), value
            for one in (*value, *value.values()):
                self.audit(one)
        elif isinstance(value, str) and value not in self._messages:  # those are looked at apart
            self.audit_text(value)

    def _audit_event(self, event: dict[str, Any]) -> None:
        hand, texts = event.get("handId", ""), "\n".join(texts_in(event))
        seen = {*cards_in(event), *map(Card.from_text, CARD.findall(texts))}
        self.audit_text(CARD.sub("", texts))
        may_be_seen = set(self._dealt[hand])
        if event["eventType"] == "hand_completed":
            left = self._holes[hand].keys() - self._folded[hand]
            shown = {one["playerId"] for one in event["payload"].get("shown", ())}
            if len(left) > 1:
                assert shown <= left, f"{hand}: {shown - left} folded"
                may_be_seen |= {card for who in shown for card in self._holes[hand][who]}
            self.shown += len(shown)
            self.mucked += len(self._holes[hand]) - len(shown)
        assert seen <= may_be_seen, f"{hand}: {event['eventType']} shows {seen - may_be_seen}"

    @staticmethod
    def audit_text(text: str) -> None:
        """Check public text: short cards, reasoning, secrets."""
        assert CARD.findall(text) == []
        for secret in (SEED, SECRET, TOKEN, "holding"):
            assert secret not in text
