"""Projection of a room's events into rows: the events themselves, and completed hands. Pure.

A projection keeps the state that the next batch needs; after a restart it is restored from the
database (`loading`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from casino_contracts import Unit
from casino_contracts.events.content import (
    HandCompleted,
    HandStarted,
    hand_number_of,
)

from casino_lobby.domain.hand_highlights import HandWatch, Highlight
from casino_lobby.domain.ledger import pot_of
from casino_lobby.domain.reported_event import ReportedEvent, said_by
from casino_lobby.store.hands.select import PLAYERS_APART
from casino_lobby.store.rows import (
    EventRow,
    HandRow,
    Rows,
)
from casino_lobby.store.serialization import Writing, proved

_MAX_BOARD = 16


@dataclass
class RoomProjection:
    """State of one room's projection."""

    room_id: str
    unit: Unit
    hand: tuple[int, int, int] | None = None
    """The newest hand that started: epoch, number, first sequence."""
    watch: HandWatch = field(default_factory=HandWatch)
    """What is known of the running hand, for its score."""

    def copy(self) -> "RoomProjection":
        """Return an independent copy."""
        return replace(self, watch=self.watch.copy())

    def apply(self, epoch: int, events: Sequence[ReportedEvent], write: Writing = proved) -> Rows:
        """Apply numbered events and return their rows; raises CommandRefused if `write` does."""
        rows = Rows()
        for event in events:
            sequence, number = event.sequence or 0, hand_number_of(event)
            rows.events.append(
                EventRow(
                    self.room_id,
                    epoch,
                    sequence,
                    event.event_type,
                    number,
                    write(event),
                )
            )
            if event.event_type == "action_taken":  # most events, and only the event has a row
                self.watch.act(event.payload or {}, epoch, number)
                continue
            content = said_by(event)
            highlight = self.watch.add(content, epoch)
            match content:
                case HandStarted() if number is not None:
                    self.hand = (epoch, number, sequence)
                case HandCompleted() if number is not None and highlight is not None:
                    place = (epoch, number, sequence)
                    rows.hands.append(self._hand(place, content, highlight))
        return rows

    def _hand(
        self, place: tuple[int, int, int], content: HandCompleted, highlight: Highlight
    ) -> HandRow:
        epoch, number, sequence = place
        first = self.hand[2] if self.hand and self.hand[:2] == (epoch, number) else None
        board = " ".join(card.text for card in content.community_cards[:_MAX_BOARD])
        pot = pot_of(content.pot_amounts, self.unit)
        return HandRow(
            self.room_id,
            epoch,
            number,
            first,
            sequence,
            board,
            pot,
            highlight.score,
            " ".join(highlight.kinds),
            PLAYERS_APART.join(highlight.players),
        )
