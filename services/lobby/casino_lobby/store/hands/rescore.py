"""Scores hands that an older release stored without a score, from their events."""

from typing import Any, Final

from casino_contracts.events.content import content_of, hand_number_of
from sqlalchemy import Row, bindparam, select
from sqlalchemy.ext.asyncio import AsyncConnection

from casino_lobby.domain.highlights.hand_watch import HandWatch
from casino_lobby.domain.highlights.score import Highlight
from casino_lobby.store.hands.select import PLAYERS_APART
from casino_lobby.store.schema import event, hand
from casino_lobby.store.serialization import read_row
from casino_lobby.store.unreadable import UnreadableRows

MOST_EVENTS: Final = 100_000
"""How many events a start of the lobby reads for this; the next start goes on."""

_PAGE: Final = 5_000
"""Events; a hand with more, which only a third-party table can have, gets 0."""
_NOTHING: Final = Highlight(0, (), ())
_Unscored = Row[*tuple[Any, ...]]
_PLACE = (event.c.epoch, event.c.sequence)


async def complete(
    connection: AsyncConnection, unreadable: UnreadableRows, most: int = MOST_EVENTS
) -> None:
    """Score the hands of all rooms, archived ones as well, in one transaction.

    A hand that cannot be read gets 0. The values follow from the events, so it does no harm if
    another member of a group writes them at the same time.
    """
    async with connection.begin():
        left = most
        while left > 0 and (first := await _first(connection)) is not None:
            left -= await _score(connection, first, unreadable)


async def _first(connection: AsyncConnection) -> _Unscored | None:
    """Return the first hand without a score."""
    query = (
        select(
            hand.c.room_id,
            hand.c.epoch,
            hand.c.last_sequence,
            hand.c.first_sequence,
        )
        .where(hand.c.score.is_(None))
        .order_by(hand.c.room_id, hand.c.epoch, hand.c.last_sequence)
        .limit(1)
    )
    return (await connection.execute(query)).one_or_none()


async def _score(
    connection: AsyncConnection,
    first: _Unscored,
    unreadable: UnreadableRows,
) -> int:
    """Score the hands in a page of events; returns how many events were read, at least 1."""
    begin = first.last_sequence if first.first_sequence is None else first.first_sequence
    of_room = event.c.room_id == first.room_id
    query = (
        select(event.c.room_id, *_PLACE, event.c.content)
        .where(of_room, event.c.epoch == first.epoch, event.c.sequence >= begin)
        .order_by(event.c.sequence)
        .limit(_PAGE)
    )
    of_epoch = (hand.c.room_id == first.room_id) & (hand.c.epoch == first.epoch)
    watch, count, end = HandWatch(), 0, first.last_sequence
    scored: list[dict[str, Any]] = []
    for row in (await connection.execute(query)).all():
        count, end = count + 1, max(end, row.sequence)
        read = read_row(row, unreadable)
        highlight = None if read is None else watch.add(content_of(read), row.epoch)
        if read is not None and highlight is not None:
            scored.append({"of_hand": hand_number_of(read), "end": row.sequence, **_row(highlight)})
    if scored:
        is_hand = hand.c.hand_number == bindparam("of_hand")
        ends = hand.c.last_sequence == bindparam("end")
        await connection.execute(hand.update().where(of_epoch, is_hand, ends), scored)
    rest = hand.c.score.is_(None) & (hand.c.last_sequence <= end)
    await connection.execute(hand.update().where(of_epoch, rest).values(_row(_NOTHING)))
    return max(1, count)


def _row(highlight: Highlight) -> dict[str, object]:
    return {
        "score": highlight.score,
        "kinds": " ".join(highlight.kinds),
        "players": PLAYERS_APART.join(highlight.players),
    }
