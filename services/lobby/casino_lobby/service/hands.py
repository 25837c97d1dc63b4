"""Completed hands in their public form: as summaries or with all events."""

from casino_agentkit import CommandRefused
from casino_contracts import (
    EventPlace,
    HandSummary,
    Reason,
    StackAfter,
    TableEvent,
)
from casino_contracts.events.content import HandCompleted, hand_number_of, stacks_of

from casino_lobby.domain.room import Room
from casino_lobby.domain.room_views import public
from casino_lobby.store import (
    EVERY_HAND,
    HandFilter,
    HandKey,
    Rank,
    RankedKey,
    Store,
    StoredHand,
)

MOST_EVENTS = 5_000
"""Maximum number of events of a hand; only a third-party table can exceed it."""
_MAX_TRAILING = 50
"""Events after `hand_completed` that may still belong to the hand, such as `player_busted`."""


class Hands:
    """The completed hands of every room, read from the store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def in_order(
        self,
        room: Room,
        after: HandKey | None,
        limit: int,
        *,
        newest_first: bool,
        among: HandFilter = EVERY_HAND,
    ) -> list[StoredHand]:
        """Return the hands that follow `after`, in the order of play; raises StoreFailed."""
        return await self._store.hands(room, after, limit, newest_first=newest_first, among=among)

    async def best(
        self,
        room: Room,
        after: RankedKey | None,
        limit: int,
        *,
        by: Rank,
        among: HandFilter = EVERY_HAND,
    ) -> list[StoredHand]:
        """Return the hands that follow `after`, the best first; raises StoreFailed."""
        return await self._store.best_hands(room, after, limit, by=by, among=among)

    async def kept_from(self, room: Room) -> EventPlace | None:
        """Return a room's oldest event if older ones are deleted; raises StoreFailed.

        Called after events or hands were read, so that none of them was deleted unnoticed.
        """
        place = await self._store.kept_from(room)
        return None if place is None else EventPlace(epoch=place.epoch, sequence=place.sequence)

    async def find(self, room: Room, number: int, epoch: int | None) -> StoredHand:
        """Return one hand; raises CommandRefused: HAND_NOT_FOUND, and StoreFailed."""
        hand = await self._store.hand(room, number, epoch)
        if hand is None:
            raise CommandRefused(
                Reason.HAND_NOT_FOUND,
                f"No completed hand {number} of room {room.room_id} is kept"
                + ("." if epoch is None else f" in epoch {epoch}."),
            )
        return hand

    def summary(self, room: Room, hand: StoredHand) -> HandSummary:
        """Return a hand's summary.

        Payload parts of another shape, from third-party tables, are left empty; of the stacks
        those that can be read are returned.
        """
        completed = hand.completed
        content = HandCompleted(completed.payload)
        return HandSummary(
            hand_id=completed.hand_id or f"{room.table_id}/{hand.key.number}",
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

    async def events(self, room: Room, hand: StoredHand) -> list[TableEvent]:
        """Return the public form of a hand's events, including those that trail it.

        Raises CommandRefused: HAND_NOT_FOUND if the hand was deleted meanwhile, and StoreFailed.
        """
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
