"""Completed hands of a room as PHH text: with every card for the operator, else with those shown.

The record of a hand, which has the cards, comes from the table. Where it is missing or late, the
hand is written with the cards that were shown, and a comment says why.
"""

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

from casino_agentkit import CommandRefused
from casino_contracts import HandDetail, HandRecord, Reason
from casino_histories import NotExportable
from casino_histories.from_record import history_of
from casino_histories.phh import comment, phh

from casino_lobby.domain.room import Room
from casino_lobby.service.hands import Hands
from casino_lobby.service.use_cases import UseCases
from casino_lobby.store import HandKey, StoredHand

_CARDS_S = 10.0
"""How long a page waits for the records of all its hands."""
_LATE = "the table did not send its records in time"


class HistoryPage(NamedTuple):
    """Some hands as text, and the place of the last one if more follow."""

    text: str
    next: HandKey | None


class RoomHistories:
    """Writes the hands of rooms of Hold'em; the caller has checked who reads."""

    def __init__(self, lobby: UseCases, hands: Hands) -> None:
        self._lobby = lobby
        self._hands = hands

    async def page(
        self, room: Room, after: HandKey | None, limit: int, *, with_all_cards: bool
    ) -> HistoryPage:
        """Return at most `limit` hands that follow `after`, in the order of play.

        Raises CommandRefused, if a hand is deleted meanwhile, and StoreFailed.
        """
        stored = await self._hands.in_order(room, after, limit + 1, newest_first=False)
        chosen = stored[:limit]
        details = [await self._detail(room, hand) for hand in chosen]
        records: dict[str, HandRecord | str] = {}
        if with_all_cards:
            records = await self._records(room, details)
        parts = []
        for number, detail in enumerate(details, 1):
            parts += self._hand(number, detail, records.get(detail.hand.hand_id))
        last = chosen[-1].key if len(stored) > limit else None
        return HistoryPage("".join(parts), last)

    async def _detail(self, room: Room, hand: StoredHand) -> HandDetail:
        return HandDetail(
            room_id=room.room_id,
            hand=self._hands.summary(room, hand),
            events=tuple(await self._hands.events(room, hand)),
        )

    def _hand(self, number: int, detail: HandDetail, record: HandRecord | str | None) -> list[str]:
        name = f"hand {detail.hand.hand_number}, epoch {detail.hand.epoch}"
        try:
            if isinstance(record, str):
                hand = history_of(detail)
                note = comment(f"{name}: only the cards that were shown: {record}")
            else:
                hand, note = history_of(detail, record), ""
        except NotExportable as reason:
            return [comment(f"{name} is left out: {reason}"), "\n"]
        return [f"[{number}]\n", note, phh(hand), "\n"]

    async def _records(
        self, room: Room, details: Sequence[HandDetail]
    ) -> dict[str, HandRecord | str]:
        """Return by hand the record, or why there is none."""
        records: dict[str, HandRecord | str] = {}
        missing = _LATE
        try:
            async with asyncio.timeout(_CARDS_S):
                for detail in details:
                    hand_id = detail.hand.hand_id
                    try:
                        records[hand_id] = await self._record(room, detail)
                    except CommandRefused as refused:
                        records[hand_id] = missing = refused.message
                        if refused.reason != Reason.UNKNOWN_HAND:  # the others have none either
                            break
        except TimeoutError:
            missing = _LATE
        return {
            detail.hand.hand_id: records.get(detail.hand.hand_id, missing) for detail in details
        }

    async def _record(self, room: Room, detail: HandDetail) -> HandRecord:
        """Return the record of a hand; raises CommandRefused."""
        record = await self._lobby.hand_record(room, detail.hand.hand_id)
        if (record.epoch, record.hand_number) != (detail.hand.epoch, detail.hand.hand_number):
            raise CommandRefused(Reason.UNKNOWN_HAND, "the table has the record of another hand")
        return record
