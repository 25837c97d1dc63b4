"""Projection of a room's events into rows: players, sessions, hands, ledger. Pure.

A projection keeps the state that the next batch needs; after a restart it is restored from the
database (`loading`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from casino_contracts import TableEvent, Unit
from casino_contracts.numbers import MAX_SAFE

from casino_lobby.store.ledger import Ledger, chips_of, player_id_of
from casino_lobby.store.rows import (
    EventRow,
    HandRow,
    LedgerRow,
    PlayerRow,
    Rows,
    SessionEnd,
    SessionRow,
)
from casino_lobby.store.serialization import Writing, proved

_MAX_BOARD = 16
_MAX_TEXT = 2_000


@dataclass
class RoomProjection:
    """State of one room's projection."""

    room_id: str
    unit: Unit
    ledger: Ledger
    hand: tuple[int, int, int] | None = None
    """The newest hand that started: epoch, number, first sequence."""
    sessions: int = 0
    is_in_session: bool = False
    session_hands: int = 0

    def copy(self) -> "RoomProjection":
        """Return an independent copy."""
        return RoomProjection(
            self.room_id,
            self.unit,
            self.ledger.copy(),
            self.hand,
            self.sessions,
            self.is_in_session,
            self.session_hands,
        )

    def enter(self, epoch: int, events: Sequence[TableEvent], write: Writing = proved) -> Rows:
        """Apply numbered events and return their rows; raises CommandRefused if `write` does."""
        rows = Rows()
        for event in events:
            sequence, payload = event.sequence or 0, event.payload or {}
            number = _whole(payload.get("handNumber"))
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
            match event.event_type:
                case "action_taken":
                    continue
                case "player_registered":
                    self._seat(rows, epoch, sequence, payload)
                case "hand_started" if number is not None:
                    self.hand = (epoch, number, sequence)
                case "hand_completed":
                    self._complete(rows, epoch, sequence, payload)
                case "table_status" | "table_error":
                    self._note(rows, epoch, sequence, payload)
            rows.ledger += [
                LedgerRow(self.room_id, epoch, sequence, *entry, number)
                for entry in self.ledger.book(event, self.unit)
            ]
        return rows

    def _seat(self, rows: Rows, epoch: int, sequence: int, payload: dict[str, Any]) -> None:
        player_id = player_id_of(payload.get("playerId"))
        if player_id is not None:
            rows.players.append(
                PlayerRow(
                    self.room_id,
                    player_id,
                    _text(payload.get("displayName")) or player_id,
                    _text(payload.get("agentCardUrl")),
                    _whole(payload.get("seatNumber")),
                    epoch,
                    sequence,
                )
            )

    def _complete(self, rows: Rows, epoch: int, sequence: int, payload: dict[str, Any]) -> None:
        number = _whole(payload.get("handNumber"))
        if number is None:
            return
        self.session_hands += self.is_in_session
        first = self.hand[2] if self.hand and self.hand[:2] == (epoch, number) else None
        pot = _pot(payload.get("pots"), self.unit)
        board = _board(payload.get("communityCards"))
        rows.hands.append(HandRow(self.room_id, epoch, number, first, sequence, board, pot))

    def _note(self, rows: Rows, epoch: int, sequence: int, payload: dict[str, Any]) -> None:
        kind = payload.get("kind")
        if kind == "started":
            self.sessions += 1
            self.is_in_session, self.session_hands = True, 0
            rows.sessions.append(SessionRow(self.room_id, self.sessions, epoch, sequence))
        elif self.is_in_session and (
            kind in {"finished", "closed"} or payload.get("status") == "error"
        ):
            self.is_in_session = False
            rows.session_ends.append(
                SessionEnd(epoch, sequence, self.session_hands, self.room_id, self.sessions)
            )


# Payloads come from tables and are validated here: invalid values must not fail a batch.


def _whole(value: object) -> int | None:
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value <= MAX_SAFE else None


def _text(value: object) -> str | None:
    return value.replace("\0", "")[:_MAX_TEXT] if isinstance(value, str) else None


def _pot(value: object, unit: Unit) -> int | None:
    pots = [chips_of(pot.get("amount"), unit) for pot in _dicts(value)]
    valid = [pot for pot in pots if pot is not None]
    return _whole(sum(valid)) if valid and len(valid) == len(pots) else None


def _board(value: object) -> str:
    cards = [(_text(card.get("rank")), _text(card.get("suit"))) for card in _dicts(value)]
    return " ".join(f"{rank}{suit[:1]}" for rank, suit in cards[:_MAX_BOARD] if rank and suit)


def _dicts(value: object) -> Iterable[dict[str, Any]]:
    return (item for item in value if isinstance(item, dict)) if isinstance(value, list) else ()
