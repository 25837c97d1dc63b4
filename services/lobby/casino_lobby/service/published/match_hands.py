"""Notable hands of published matches as events and records, from their histories."""

from casino_agentkit import CommandRefused
from casino_contracts import MatchHand, MatchResult, NotableHand, Reason, TableEvent
from casino_histories import HandHistory, HistoryError
from casino_histories.as_events import EventsOfHand
from casino_histories.reading.phh import read_phhs

_EPOCH = 1
_UNDATED = "2000-01-01T00:00:00Z"


def match_hand(match_id: str, result: MatchResult, number: int) -> MatchHand:
    """Return a notable hand of a match; they count from 1.

    Raises CommandRefused: HAND_NOT_FOUND, also for a hand whose history cannot be read.
    """
    hands = result.notable_hands
    if number > len(hands):
        raise _missing(f"The match {match_id} has {len(hands)} notable hands.")
    notable = hands[number - 1]
    try:
        described = EventsOfHand(_history(notable), number)
        events = tuple(
            TableEvent(
                table_id=match_id,
                event_type=kind,
                message=message,
                timestamp=result.finished_at or _UNDATED,
                payload=payload,
                sequence=sequence,
                epoch=_EPOCH,
                hand_id=f"{match_id}/{number}",
            )
            for sequence, (kind, message, payload) in enumerate(described.events(), 1)
        )
        record = described.record(match_id, _EPOCH)
    except (HistoryError, ValueError) as error:
        raise _missing(f"The history of hand {number} of {match_id} cannot be read.") from error
    return MatchHand(
        match_id=match_id,
        hand_number=number,
        deck=notable.deck,
        seating=notable.seating,
        kind=notable.kind,
        events=events,
        record=record,
    )


def _history(notable: NotableHand) -> HandHistory:
    """Return the only hand of a history; raises HistoryError, ValueError."""
    (hand,) = read_phhs(notable.history)
    return hand


def _missing(message: str) -> CommandRefused:
    return CommandRefused(Reason.HAND_NOT_FOUND, message)
