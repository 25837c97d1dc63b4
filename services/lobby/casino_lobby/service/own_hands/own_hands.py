"""Reads a player's completed hands: from the lobby's events, and the cards from the table."""

import asyncio
from collections.abc import Sequence

from casino_agentkit import CommandRefused
from casino_contracts import HandRecord, OwnHandDetail, OwnHandPage, Reason
from casino_contracts.events.content import HandCompleted, stacks_of

from casino_lobby.domain.room import Room
from casino_lobby.domain.room_views import standings_of
from casino_lobby.service.hands import MOST_EVENTS
from casino_lobby.service.own_hands.story import Story
from casino_lobby.service.use_cases import UseCases
from casino_lobby.store import HandKey, Store, StoredHand

SCANNED = 200
"""Maximum number of a room's hands that are read for one page."""
_CARDS_S = 3.0
"""How long a page waits for the records of all its hands."""
_SLOW = "the table did not send its records in time"


class OwnHands:
    """The completed hands of one player; the caller has checked who reads."""

    def __init__(self, lobby: UseCases, store: Store) -> None:
        self._lobby = lobby
        self._store = store

    async def newest(
        self, room: Room, player_id: str, after: HandKey | None, limit: int
    ) -> OwnHandPage:
        """Return the player's newest hands after a position.

        Of a player with few of the room's hands a page is shorter than `limit`, and has a `next`.
        Raises CommandRefused: UNKNOWN_PLAYER, as the other lists do; and StoreFailed.
        """
        hands = await self._store.hands(room, after, SCANNED + 1, newest_first=True)
        own: list[StoredHand] = []
        place = None
        for hand in hands[:SCANNED]:
            place = hand.key
            if player_id in stacks_of(HandCompleted(hand.completed.payload).stacks):
                own.append(hand)
            if len(own) == limit:
                break
        has_more = place is not None and place != hands[-1].key
        next_ = f"{place.epoch}.{place.number}" if place and has_more else None
        return await self._page(room, player_id, own, next_)

    async def with_losses(self, room: Room, player_id: str, limit: int) -> OwnHandPage:
        """Return the hands with the player's greatest losses that are still stored, worst first."""
        player = room.results.players.get(player_id)
        places = [] if player is None else [(epoch, n) for _, epoch, n in player.losses.hands]
        return await self._page(room, player_id, await self._stored(room, places[:limit]))

    async def with_faults(self, room: Room, player_id: str, limit: int) -> OwnHandPage:
        """Return the hands of the player's newest faults that are still stored, newest first."""
        faults = room.faults.newest(player_id)
        places = dict.fromkeys(
            (fault.epoch, fault.hand_number) for fault in faults if fault.hand_number
        )
        return await self._page(room, player_id, await self._stored(room, list(places)[:limit]))

    async def hand(
        self, room: Room, player_id: str, number: int, epoch: int | None
    ) -> OwnHandDetail:
        """Return a hand with the player's decisions.

        Raises CommandRefused: HAND_NOT_FOUND, also for one without the player; and StoreFailed.
        """
        hand = await self._store.hand(room, number, epoch)
        story = None if hand is None else await self._story(room, player_id, hand)
        if hand is None or story is None:
            raise CommandRefused(
                Reason.HAND_NOT_FOUND,
                f"No completed hand {number} of room {room.room_id} with this player is kept.",
            )
        record, missing = None, None
        try:
            record = await self._record(room, hand, player_id, with_questions=True)
        except CommandRefused as refused:
            missing = refused.message
        return story.detail(room.room_id, record, missing)

    async def _stored(
        self, room: Room, places: Sequence[tuple[int, int | None]]
    ) -> list[StoredHand]:
        """Return the hands at these places, without those that are deleted or still running."""
        hands = [await self._store.hand(room, number or 0, epoch) for epoch, number in places]
        return [hand for hand in hands if hand is not None]

    async def _page(
        self, room: Room, player_id: str, hands: Sequence[StoredHand], next_: str | None = None
    ) -> OwnHandPage:
        results = room.results
        if player_id not in room.invited_ids | room.seats.keys() | results.players.keys():
            raise CommandRefused(
                Reason.UNKNOWN_PLAYER,
                f"No player with the id {player_id} sits or sat in this room.",
            )
        stories = []
        for hand in hands:
            story = await self._story(room, player_id, hand)
            if story is not None:
                stories.append((hand, story))
        records, missing = await self._records(room, [hand for hand, _ in stories], player_id)
        lines = standings_of(room).players
        return OwnHandPage(
            room_id=room.room_id,
            player_id=player_id,
            standing=next((line for line in lines if line.player_id == player_id), None),
            hands=tuple(story.hand(records.get(hand.key)) for hand, story in stories),
            next=next_,
            cards_missing=missing,
        )

    async def _records(
        self, room: Room, hands: Sequence[StoredHand], player_id: str
    ) -> tuple[dict[HandKey, HandRecord], str | None]:
        """Return the records that the table sends in time, and why any is missing."""
        records: dict[HandKey, HandRecord] = {}
        missing = None
        try:
            async with asyncio.timeout(_CARDS_S):
                for hand in hands:
                    try:
                        records[hand.key] = await self._record(room, hand, player_id)
                    except CommandRefused as refused:
                        missing = refused.message
                        if refused.reason != Reason.UNKNOWN_HAND:  # the others have none either
                            break
        except TimeoutError:
            missing = _SLOW
        return records, missing

    async def _record(
        self, room: Room, hand: StoredHand, player_id: str, *, with_questions: bool = False
    ) -> HandRecord:
        """Return the record of a hand; raises CommandRefused."""
        hand_id = hand.completed.hand_id or f"{room.table_id}/{hand.key.number}"
        record = await self._lobby.hand_record(room, hand_id, with_questions=with_questions)
        is_same = (record.epoch, record.hand_number) == hand.key
        if not is_same or all(seat.player_id != player_id for seat in record.players):
            raise CommandRefused(Reason.UNKNOWN_HAND, "The table has the record of another hand.")
        return record

    async def _story(self, room: Room, player_id: str, hand: StoredHand) -> Story | None:
        completed = hand.completed.sequence or 1
        first = hand.first_sequence or completed
        limit = min(completed - first + 1, MOST_EVENTS)
        events = await self._store.events(room, first - 1, limit, hand.key.epoch)
        return Story.of(player_id, hand.key.number, hand.key.epoch, events)
