"""What the members of a group committed after a position, read in one statement.

One statement sees one state of the database, and everything up to the newest number of that state
is in it: commits come in the order of their numbers.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from casino_lobby.domain.member import Member

EVENT: Final = "event"
ROOM: Final = "room"
REMOVED: Final = "removed"
NAME: Final = "name"
_NEWEST, _MEMBER = "newest", "member"

PAGE: Final = 2_000
"""Maximum number of events that are read at once."""

_AFTER = text("""
SELECT newest AS number, 'newest' AS kind, NULL::text AS room_id, NULL::text AS table_id,
    NULL::bigint AS epoch, NULL::bigint AS sequence, NULL::bytea AS content, NULL::bigint AS owner,
    NULL::boolean AS is_archived, deleted_until
FROM lobby_order
UNION ALL
SELECT number, 'member', url, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM lobby_member WHERE number > 0
UNION ALL (
    SELECT cursor, 'event', room_id, NULL, epoch, sequence, content, NULL, NULL, NULL
    FROM event WHERE cursor > :after ORDER BY cursor LIMIT :limit)
UNION ALL
SELECT changed, 'room', room_id, table_id, NULL, NULL, convert_to(content, 'UTF8'), owner,
    archived_at IS NOT NULL, deleted_until
FROM room WHERE changed > :after
UNION ALL
SELECT changed, 'removed', room_id, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM removed_room WHERE changed > :after
UNION ALL
SELECT changed, 'name', name_key, NULL, NULL, NULL, convert_to(signer, 'UTF8'), NULL, NULL, NULL
FROM owned_name WHERE changed > :after
ORDER BY 1
""")


class Entry(NamedTuple):
    """A commit: an event, a room's newest state, the end of a room, or the owner of a name.

    Of a name `room_id` is the key and `content` the signer.
    """

    number: int
    kind: str
    room_id: str
    table_id: str
    epoch: int
    sequence: int
    content: bytes
    owner: int | None
    is_archived: bool
    deleted_until: int | None


class Page(NamedTuple):
    """The commits after a position, in order, and the number up to which they are complete.

    `members` are all members of the group by number, those that are lost too.
    """

    upto: int
    members: Mapping[int, Member]
    entries: list[Entry]
    is_last: bool = True
    deleted_until: int = 0
    """The newest cursor of all deleted events."""


async def read(connection: AsyncConnection, after: int, limit: int = PAGE) -> Page:
    """Return what was committed after a number, at most `limit` events of it."""
    rows = (await connection.execute(_AFTER, {"after": after, "limit": limit})).all()
    upto, deleted_until, entries, members = after, 0, [], {}
    for row in rows:
        entry = Entry(*row)
        if entry.kind == _NEWEST:
            upto, deleted_until = max(upto, entry.number), entry.deleted_until or 0
        elif entry.kind == _MEMBER:
            members[entry.number] = Member(entry.number, entry.room_id)
        else:
            entries.append(entry)
    events = [entry.number for entry in entries if entry.kind == EVENT]
    if len(events) < limit:
        return Page(upto, members, entries, deleted_until=deleted_until)
    last = events[-1]
    complete = [entry for entry in entries if entry.number <= last]
    return Page(last, members, complete, is_last=False, deleted_until=deleted_until)
