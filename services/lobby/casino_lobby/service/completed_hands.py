"""Completed hands in their public form: as summaries, with all events, or as PHH text.

The record of a hand, which has every card, comes from the table. Where it is missing or late, the
hand is written with the cards that were shown, and a comment says why.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from heapq import nlargest
from operator import itemgetter
from typing import NamedTuple, TypeVar

from casino_agentkit import CommandRefused
from casino_contracts import (
    EventPlace,
    HandDetail,
    HandProof,
    HandRecord,
    HandSummary,
    Reason,
    StackAfter,
    TableEvent,
)
from casino_contracts.careers import RoomHighlight
from casino_contracts.events.content import HandCompleted, hand_number_of, stacks_of
from casino_histories import NotExportable
from casino_histories.from_record import history_of
from casino_histories.phh import comment, phh

from casino_lobby.domain.observed_hand import HOUR_S
from casino_lobby.domain.room import Room
from casino_lobby.domain.room_views import public
from casino_lobby.service.use_cases import UseCases
from casino_lobby.store import HandKey, Store, StoredHand

MOST_EVENTS = 5_000
"""Maximum number of events of a hand; only a third-party table can exceed it."""
_MAX_TRAILING = 50
"""Events after `hand_completed` that may still belong to the hand, such as `player_busted`."""

_SKEW_S = 60
"""How much a table's clock may be ahead."""
_CARDS_S = 10.0
"""How long a page waits for the records of all its hands."""
_LATE = "the table did not send its records in time"

HandT = TypeVar("HandT")


class Hands:
    """The completed hands of every room, read from the store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.stored = store.hands

    async def kept_from(self, room: Room) -> EventPlace | None:
        """Return the oldest event if older ones are deleted; ask after reading any."""
        place = await self._store.retention.kept_from(room)
        return None if place is None else EventPlace(epoch=place.epoch, sequence=place.sequence)

    async def find(self, room: Room, number: int, epoch: int | None) -> StoredHand:
        """May raise CommandRefused: HAND_NOT_FOUND; StoreFailed."""
        hand = await self.stored.find(room, number, epoch)
        if hand is None:
            raise CommandRefused(
                Reason.HAND_NOT_FOUND,
                f"No completed hand {number} of room {room.room_id} is kept"
                + ("." if epoch is None else f" in epoch {epoch}."),
            )
        return hand

    def summary(self, room: Room, hand: StoredHand) -> HandSummary:
        """Leave parts of another shape (of third-party tables) empty, but keep readable stacks."""
        completed = hand.completed
        content = HandCompleted(completed.payload)
        return HandSummary(
            hand_id=hand.hand_id(room),
            hand_number=hand.key.number,
            epoch=hand.key.epoch,
            first_sequence=hand.first_sequence,
            last_sequence=completed.sequence or 1,
            timestamp=completed.timestamp,
            message=completed.message,
            community_cards=content.community_cards,
            pots=content.pots,
            shown=content.shown,
            stacks=tuple(
                StackAfter(player_id=player_id, stack=stack)
                for player_id, stack in stacks_of(content.stacks).items()
            ),
            score=hand.score,
            kinds=hand.kinds,
        )

    async def best_of_hour(self, limit: int, now: float) -> tuple[RoomHighlight, ...]:
        """Return the best hands of the hour before `now`, one of each room; raises StoreFailed.

        Rooms that a service has opened are left out, and hands whose events are deleted.
        """
        rooms = [room for room in self._store.rooms() if room.owner is None]
        until = now + _SKEW_S
        bests = ((room.results.best.since(now - HOUR_S, until), room) for room in rooms)
        found = [(best, room) for best, room in bests if best is not None]
        highlights = []
        for (_, epoch, number), room in nlargest(limit, found, key=itemgetter(0)):
            hand = await self.stored.find(room, number, epoch)
            if hand is not None:
                summary = self.summary(room, hand)
                highlights.append(
                    RoomHighlight(room_id=room.room_id, game_type=room.game_type, hand=summary)
                )
        return tuple(highlights)

    async def detail(self, room: Room, hand: StoredHand) -> HandDetail:
        """Return its summary and events; raises StoreFailed."""
        return HandDetail(
            room_id=room.room_id,
            hand=self.summary(room, hand),
            events=tuple(await self.events(room, hand)),
        )

    async def proof(self, room: Room, hand: StoredHand) -> HandProof:
        """May raise CommandRefused: NO_PROOF, or HAND_NOT_FOUND as `events`; StoreFailed."""
        block = (HandCompleted(hand.completed.payload).opening or {}).get("block")
        deal = await self.stored.deal(room, block) if isinstance(block, str) else None
        if deal is None:
            raise CommandRefused(Reason.NO_PROOF, _without_proof(room, hand, block))
        completed = hand.completed.sequence or 1
        return HandProof(
            room_id=room.room_id,
            hand_number=hand.key.number,
            commitment=deal.committed,
            contributed=deal.contributed,
            events=tuple(
                event
                for event in await self.events(room, hand)
                if (event.sequence or 0) <= completed
            ),
        )

    async def events(self, room: Room, hand: StoredHand) -> list[TableEvent]:
        """May raise CommandRefused: HAND_NOT_FOUND if it was deleted meanwhile; StoreFailed."""
        completed = hand.completed.sequence or 1
        first = hand.first_sequence or completed
        limit = min(completed - first + 1 + _MAX_TRAILING, MOST_EVENTS)
        events = await self._store.events(room, first - 1, limit, hand.key.epoch)
        within = [event for event in events if (event.sequence or 0) <= completed]
        if len(within) <= completed - first:  # some are unreadable, or the hand was deleted
            await self.find(room, hand.key.number, hand.key.epoch)
        for event in events[len(within) :]:
            if hand_number_of(event) != hand.key.number:
                break
            within.append(event)
        return [public(event) for event in within]


def _without_proof(room: Room, hand: StoredHand, block: object) -> str:
    """Return why nobody can check the deal of a hand."""
    name = f"hand {hand.key.number} of room {room.room_id}"
    if block is not None:
        return f"The table has told the lobby no commitment with contributions for {name}."
    if room.is_seeded:
        return f"The cards of {name} follow from the room's seed, which its creator knows."
    return f"The table dealt {name} by itself."


async def records_in_time(
    hands: Sequence[HandT], record_of: Callable[[HandT], Awaitable[HandRecord]], seconds: float
) -> Sequence[HandRecord | str]:
    """Return for each hand the record that its table sends in time, or why there is none."""
    records: list[HandRecord | str] = []
    missing = _LATE
    try:
        async with asyncio.timeout(seconds):
            for hand in hands:
                try:
                    records.append(await record_of(hand))
                except CommandRefused as refused:
                    records.append(missing := refused.message)
                    if refused.reason != Reason.UNKNOWN_HAND:  # the others have none either
                        break
    except TimeoutError:
        missing = _LATE
    return [*records, *[missing] * (len(hands) - len(records))]


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
        """May raise CommandRefused, if a hand is deleted meanwhile, and StoreFailed."""
        stored = await self._hands.stored.page(room, after, limit + 1)
        chosen = stored[:limit]
        details = [await self._hands.detail(room, hand) for hand in chosen]
        records: Sequence[HandRecord | str | None] = [None] * len(details)
        if with_all_cards:
            records = await records_in_time(details, partial(self._record, room), _CARDS_S)
        parts = []
        for number, (detail, record) in enumerate(zip(details, records, strict=True), 1):
            parts += self._hand(number, detail, record)
        last = chosen[-1].key if len(stored) > limit else None
        return HistoryPage("".join(parts), last)

    def _hand(self, number: int, detail: HandDetail, record: HandRecord | str | None) -> list[str]:
        name = f"hand {detail.hand.hand_number}, epoch {detail.hand.epoch}"
        try:
            if isinstance(record, str):
                hand = history_of(detail)
                note = comment(f"{name}: only the cards that were shown: {record}")
            else:
                hand, note = history_of(detail, record), ""
            return [f"[{number}]\n", note, phh(hand), "\n"]
        except NotExportable as reason:
            return [comment(f"{name} is left out: {reason}"), "\n"]

    async def _record(self, room: Room, detail: HandDetail) -> HandRecord:
        """May raise CommandRefused."""
        record = await self._lobby.hand_record(room, detail.hand.hand_id)
        if (record.epoch, record.hand_number) != (detail.hand.epoch, detail.hand.hand_number):
            raise CommandRefused(Reason.UNKNOWN_HAND, "the table has the record of another hand")
        return record
