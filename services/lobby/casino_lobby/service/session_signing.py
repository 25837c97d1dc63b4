"""Signs the results of sessions that have ended, from their stored events.

A room is read in pages, and with it is saved how far: nothing is lost or signed twice when the
lobby is killed. Before its old events are deleted they are read.
"""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from typing import Final

import orjson
import structlog
from casino_agentkit import CardSigner
from casino_agentkit.process.background_tasks import BackgroundTasks
from casino_contracts import SessionResult, SessionResults
from casino_contracts.signed_results import MOST_RESULTS
from casino_histories.signed_result import SessionTally, SignedAs, may_end

from casino_lobby.domain.lobby_events import Committed, EventsCommitted
from casino_lobby.domain.room import Room
from casino_lobby.domain.room_views import public_json
from casino_lobby.errors import StoreFailed, TooFarBehind
from casino_lobby.store import Store

_PAGE: Final = 25
"""Events that are read and hashed at a time, in some milliseconds."""
_BEHIND: Final = 1_000
"""A session that goes on is read after so many events, so that little is left at its end."""
_UNSIGNED: Final = (
    "This lobby has no card key, so it signs nothing. CASINO_LOBBY_CARD_KEY names a file for one; a"
    " lobby with a data directory has its own."
)

logger = structlog.get_logger(__name__)


class SessionSigning:
    """Signs for the rooms that this lobby owns; without a signer it does nothing."""

    def __init__(
        self, store: Store, signer: CardSigner | None, background: BackgroundTasks
    ) -> None:
        self._store = store
        self._signer = signer
        self._background = background
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    def follow(self, event: EventsCommitted) -> None:
        """Sign in the background what has ended with these events."""
        if self._signer is None or not event.is_own:
            return
        room, last = event.room, event.committed[-1].event
        epoch, sequence = room.signed.tally.place
        read = sequence if epoch == room.epoch else 0
        if (last.sequence or 0) - read >= _BEHIND or any(
            may_end(item.event.event_type, item.event.payload) for item in event.committed
        ):
            self._background.begin(self.catch_up([room]))

    async def catch_up(self, rooms: Sequence[Room]) -> None:
        """Read what is new of rooms, one after the other, and sign the sessions that ended."""
        signer = self._signer
        if signer is None:
            return
        for room in rooms:
            async with self._locks[room.room_id]:
                try:
                    if await self._read_on(room, signer):
                        await self._store.save(room)
                except StoreFailed as failed:  # read again after the next session, or start
                    logger.warning("session_not_signed", room=room.room_id, error=str(failed))

    def forget(self, room: Room) -> None:
        self._locks.pop(room.room_id, None)

    def results(self, room: Room) -> SessionResults:
        return SessionResults(
            room_id=room.room_id,
            results=tuple(map(SessionResult.model_validate, room.signed.results)),
            unsigned=_UNSIGNED if self._signer is None else None,
        )

    async def _read_on(self, room: Room, signer: CardSigner) -> bool:
        """Return whether a result was signed."""
        has_signed = False
        while self._store.room(room.room_id) is room:
            try:
                page = await self._store.committed(room.signed.cursor, _PAGE, room)
            except TooFarBehind:  # events of an older release were deleted unread
                room.signed.cursor = self._store.retention.oldest_cursor(room)
                room.signed.tally = SessionTally()
                continue
            for item in page:
                has_signed |= _read(room, item, signer)
            if len(page) < _PAGE:
                break
            await asyncio.sleep(0)  # play goes on
        return has_signed


def _read(room: Room, item: Committed, signer: CardSigner) -> bool:
    """Add an event to the tally of its room; return whether it ends a session, which is signed."""
    signed, event = room.signed, item.event
    signed.cursor, tally = item.cursor, signed.tally
    try:
        has_ended = tally.add(orjson.loads(public_json(event)), event.epoch or room.epoch)
    except ValueError as error:
        logger.warning(
            "event_not_signed", room=room.room_id, event=event.sequence, error=str(error)
        )
        return False
    if has_ended:
        known = {
            player_id: SignedAs(player.name, player.signer)
            for player_id, player in room.results.players.items()
        }
        result = signer.sealed(tally.statement(room.room_id, room.game_type, known))
        signed.results = [result, *signed.results][:MOST_RESULTS]
        signed.tally = SessionTally(tally.place)
        logger.info("session_signed", room=room.room_id, hands=tally.hands, events=tally.events)
    return has_ended
