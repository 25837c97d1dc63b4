"""The tables of the lobby's database.

Events are the source of truth; hands are a projection that is written in the same transaction. A
room's epochs are consecutive: (epoch, sequence) orders the events of a room, `cursor` those of the
whole lobby.
"""

from sqlalchemy import (
    BigInteger,
    Column,
    DateTime,
    Dialect,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
    func,
    text,
)


class StoredContent(LargeBinary):
    """The type of a column of stored events; their values are read as the driver returns them.

    SQLite accepts any type in any column: a value that is no binary one makes its row unreadable,
    not every query that returns it.
    """

    cache_ok = True

    def result_processor(self, _dialect: Dialect, _coltype: object) -> None:
        """Return None: values are not converted."""
        return


metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    }
)

_NUMBERED, _PENDING = text("changed IS NOT NULL"), text("answer IS NULL")
_OVER = text("archived_at IS NOT NULL")

RowNumber = BigInteger().with_variant(Integer, "sqlite")
"""SQLite assigns row numbers only to an INTEGER primary key."""

room = Table(
    "room",
    metadata,
    Column("position", RowNumber, primary_key=True),
    Column("room_id", Text, nullable=False),
    Column("table_id", Text, nullable=False),
    Column("content", Text, nullable=False, comment="Room.to_json(), the config's seed included"),
    Column("created_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    Column("archived_at", DateTime(timezone=True)),
    Column("owner", BigInteger, comment="the member that changes it; null outside a group"),
    Column("changed", BigInteger, comment="its newest change in the order of a group"),
    Column("deleted_until", BigInteger, comment="the newest cursor of its deleted events"),
    UniqueConstraint("room_id"),
    UniqueConstraint("table_id"),
    Index("ix_room_changed", "changed", sqlite_where=_NUMBERED, postgresql_where=_NUMBERED),
    Index("ix_room_archived_at", "archived_at", sqlite_where=_OVER, postgresql_where=_OVER),
)

event = Table(
    "event",
    metadata,
    Column("cursor", RowNumber, primary_key=True, comment="the order of commits in the lobby"),
    Column("room_id", Text, nullable=False),
    Column("epoch", BigInteger, nullable=False),
    Column("sequence", BigInteger, nullable=False),
    Column("event_type", Text, nullable=False),
    Column("hand_number", BigInteger),
    Column("content", StoredContent, nullable=False, comment="the TableEvent as JSON, compressed"),
    UniqueConstraint("room_id", "epoch", "sequence"),
    Index(None, "room_id", "cursor"),
    sqlite_autoincrement=True,  # a cursor is never assigned again
)

hand = Table(
    "hand",
    metadata,
    Column("room_id", Text, nullable=False),
    Column("epoch", BigInteger, nullable=False),
    Column("hand_number", BigInteger, nullable=False),
    Column("first_sequence", BigInteger, comment="null if its beginning was not reported"),
    Column("last_sequence", BigInteger, nullable=False),
    Column("board", Text, nullable=False, comment="such as Td 9c 4s"),
    Column("pot", BigInteger, comment="chips; null if it was not reported"),
    Column("score", BigInteger, nullable=False),
    Column("kinds", Text, comment="such as big-pot all-in"),
    Column("players", Text, comment="ids of those who were dealt in, one in a line"),
    PrimaryKeyConstraint("room_id", "epoch", "hand_number"),
    Index("ix_hand_score", "room_id", "score", "epoch", "hand_number"),
    Index("ix_hand_pot", "room_id", "pot", "epoch", "hand_number"),
    sqlite_with_rowid=False,
)

deal = Table(
    "deal",
    metadata,
    Column("room_id", Text, nullable=False),
    Column("block", Text, nullable=False, comment="its name: table, epoch and number"),
    Column("half", Text, nullable=False, comment="committed or contributed"),
    Column("epoch", BigInteger, nullable=False),
    Column("last_hand", BigInteger, nullable=False, comment="the last one that is dealt from it"),
    Column("content", StoredContent, nullable=False, comment="of its event, as JSON, compressed"),
    PrimaryKeyConstraint("room_id", "block", "half"),
)
"""What the hands of a block are checked with; deleted with the last of them."""

command = Table(
    "command",
    metadata,
    Column("position", RowNumber, primary_key=True),
    Column("key", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("digest", Text, nullable=False),
    Column("given", Text, nullable=False),
    Column("notes", Text, nullable=False),
    Column("answer", Text),
    Column("finished_at", DateTime(timezone=True)),
    Column("owner", BigInteger, comment="the member that executes it; null outside a group"),
    UniqueConstraint("key"),
    Index("ix_command_owner", "owner", sqlite_where=_PENDING, postgresql_where=_PENDING),
    Index(None, "finished_at"),
)

owned_name = Table(
    "owned_name",
    metadata,
    Column("name_key", Text, nullable=False, comment="what names of one look share"),
    Column("signer", Text, nullable=False, comment="the thumbprint of the card's key"),
    Column("since", DateTime(timezone=True), nullable=False, server_default=func.now()),
    Column("changed", BigInteger, comment="its place in the order of a group"),
    PrimaryKeyConstraint("name_key"),
    Index("ix_owned_name_changed", "changed", sqlite_where=_NUMBERED, postgresql_where=_NUMBERED),
)

lobby_member = Table(
    "lobby_member",
    metadata,
    Column("number", BigInteger, nullable=False, autoincrement=False),
    Column("url", Text, nullable=False, comment="where the other lobbies reach it"),
    Column("term", BigInteger, nullable=False, comment="grows with each change of hands"),
    Column("since", DateTime(timezone=True), nullable=False, server_default=func.now()),
    PrimaryKeyConstraint("number"),
)
"""The members of a group; row 0 has no address, and its term is that of the whole database."""


lobby_order = Table(
    "lobby_order",
    metadata,
    Column("position", BigInteger, nullable=False, autoincrement=False),
    Column("newest", BigInteger, nullable=False),
    Column("deleted_until", BigInteger, comment="the newest cursor of all deleted events"),
    PrimaryKeyConstraint("position"),
)
"""One row: the number of the newest commit of a group; its lock puts the commits in order."""

removed_room = Table(
    "removed_room",
    metadata,
    Column("changed", BigInteger, nullable=False, autoincrement=False),
    Column("room_id", Text, nullable=False),
    PrimaryKeyConstraint("changed"),
)

publication = Table(
    "publication",
    metadata,
    Column("position", RowNumber, primary_key=True, comment="the order of publication"),
    Column("kind", Text, nullable=False, comment="match or league"),
    Column("publication_id", Text, nullable=False),
    Column("digest", Text, nullable=False),
    Column("summary", Text, nullable=False, comment="its entry of a list, as JSON"),
    Column("content", Text, nullable=False, comment="the message, as JSON"),
    Column("hands", Text, nullable=False, comment="what notable hands were parsed to, as JSON"),
    UniqueConstraint("kind", "publication_id"),
    sqlite_autoincrement=True,  # a page after one that was deleted leaves none out
)

publication_player = Table(
    "publication_player",
    metadata,
    Column("position", BigInteger, nullable=False, autoincrement=False),
    Column("player", Text, nullable=False),
    PrimaryKeyConstraint("position", "player"),
    Index("ix_publication_player_player", "player", "position"),
)
