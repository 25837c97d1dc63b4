"""Notable hands of published matches: parsed when a match is published, shown as events.

The texts are foreign. What is kept of a hand is what its text was parsed to.
"""

from dataclasses import dataclass
from typing import Final, Literal

from casino_agentkit import CommandRefused
from casino_contracts import MatchHand, MatchResult, NotableHand, Reason, TableEvent
from casino_histories import HandHistory, HistoryError
from casino_histories.as_events import EventsOfHand
from casino_histories.phh import read_phhs
from pydantic import TypeAdapter

from casino_lobby.errors import UnreadableHand

_EPOCH = 1
_UNDATED = "2000-01-01T00:00:00Z"


@dataclass(frozen=True)
class _KeptHand:
    deck: int
    seating: int
    kind: Literal["biggest", "decisive"]
    at: str
    hand: HandHistory


_KEPT: Final = TypeAdapter(list[_KeptHand])


def kept_hands(match_id: str, result: MatchResult) -> str:
    """Return what is kept of the notable hands of a match, as JSON; raises UnreadableHand."""
    kept = []
    for number, notable in enumerate(result.notable_hands, 1):
        try:
            parsed = _parsed(notable, result)
            _shown(match_id, number, parsed)
        except (HistoryError, ValueError) as error:
            raise UnreadableHand(f"notableHands.{number - 1}.history", str(error)) from error
        kept.append(parsed)
    return _KEPT.dump_json(kept).decode()


def kept_hand(match_id: str, number: int, kept: str) -> MatchHand:
    """Return a hand of a match of which this is kept; they count from 1.

    Raises ValueError if it cannot be read, CommandRefused: HAND_NOT_FOUND.
    """
    hands = _KEPT.validate_json(kept)
    if number > len(hands):
        raise CommandRefused(
            Reason.HAND_NOT_FOUND, f"The match {match_id} has {len(hands)} notable hands."
        )
    return _shown(match_id, number, hands[number - 1])


def _parsed(notable: NotableHand, result: MatchResult) -> _KeptHand:
    """Return a hand whose history has no other; raises HistoryError, ValueError."""
    (hand,) = read_phhs(notable.history)
    at = result.finished_at or _UNDATED
    return _KeptHand(notable.deck, notable.seating, notable.kind, at, hand)


def _shown(match_id: str, number: int, kept: _KeptHand) -> MatchHand:
    """Return a hand as the page shows it; raises ValueError for what no event can say."""
    described = EventsOfHand(kept.hand, number)
    events = tuple(
        TableEvent(
            table_id=match_id,
            event_type=kind,
            message=message,
            timestamp=kept.at,
            payload=payload,
            sequence=sequence,
            epoch=_EPOCH,
            hand_id=f"{match_id}/{number}",
        )
        for sequence, (kind, message, payload) in enumerate(described.events(), 1)
    )
    return MatchHand(
        match_id=match_id,
        hand_number=number,
        deck=kept.deck,
        seating=kept.seating,
        kind=kept.kind,
        events=events,
        record=described.record(match_id, _EPOCH),
    )
