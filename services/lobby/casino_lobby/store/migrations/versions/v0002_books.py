"""Add players, sessions, hands and the ledger, projected from the stored events."""

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from alembic import op
from casino_contracts import TableConfig, TableEvent, Unit

from casino_lobby.store.ledger import Ledger
from casino_lobby.store.projection import RoomProjection
from casino_lobby.store.serialization import read, written
from casino_lobby.store.unreadable import UNREADABLE

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_BATCH_SIZE = 1_000

_room = sa.table("room", sa.column("room_id"), sa.column("position"), sa.column("content"))
_event = sa.table(
    "event",
    sa.column("room_id"),
    sa.column("epoch"),
    sa.column("sequence"),
    sa.column("content"),
)


def upgrade() -> None:
    """Create the tables and fill them from the events."""
    player, session, hand, ledger = _player(), _session(), _hand(), _ledger()
    connection = op.get_bind()
    stored = sa.select(_room.c.room_id, _room.c.content).order_by(_room.c.position)
    for room_id, content in connection.execute(stored).all():
        try:
            unit = Unit.of(TableConfig.model_validate(json.loads(content)["config"]))
        except UNREADABLE:  # the store logs it when it is opened
            continue
        projection = RoomProjection(room_id, unit, Ledger({}))
        for epoch, events in _batches(connection, room_id):
            rows = projection.apply(epoch, events, write=written)
            for row in rows.players:
                _insert_once(connection, player, row, "player_id")
            _insert(connection, session, rows.sessions)
            for end in rows.session_ends:
                connection.execute(
                    session.update()
                    .where(session.c.room_id == end.room_id, session.c.number == end.number)
                    .values(
                        last_epoch=end.last_epoch, last_sequence=end.last_sequence, hands=end.hands
                    )
                )
            for hand_row in rows.hands:
                _insert_once(connection, hand, hand_row, "epoch", "hand_number")
            _insert(connection, ledger, rows.ledger)


def _batches(connection: sa.Connection, room_id: str) -> Iterator[tuple[int, list[TableEvent]]]:
    """Yield a room's events in order, in batches of one epoch each."""
    epoch, sequence = 0, 0
    while True:
        position = sa.tuple_(_event.c.epoch, _event.c.sequence)
        stored = connection.execute(
            sa.select(_event.c.epoch, _event.c.sequence, _event.c.content)
            .where(_event.c.room_id == room_id, position > sa.tuple_(epoch, sequence))
            .order_by(_event.c.epoch, _event.c.sequence)
            .limit(_BATCH_SIZE)
        ).all()
        if not stored:
            return
        epoch = stored[0].epoch
        batch = [row for row in stored if row.epoch == epoch]
        sequence = batch[-1].sequence
        yield epoch, list(_readable(batch))


def _readable(batch: Sequence[Any]) -> Iterator[TableEvent]:
    for row in batch:
        try:
            event = read(row.content)
        except UNREADABLE:  # the store logs it when it is read
            continue
        yield event.model_copy(update={"sequence": row.sequence})


def _insert(connection: sa.Connection, table: sa.Table, rows: Sequence[NamedTuple]) -> None:
    if rows:
        connection.execute(table.insert(), [row._asdict() for row in rows])


def _insert_once(connection: sa.Connection, table: sa.Table, row: NamedTuple, *key: str) -> None:
    """Insert a row unless its room has one with this key."""
    values: dict[str, Any] = row._asdict()
    has_key = sa.and_(*(table.c[name] == values[name] for name in ("room_id", *key)))
    if connection.execute(sa.select(sa.true()).select_from(table).where(has_key)).first() is None:
        own = {name: value for name, value in values.items() if name in table.c}
        connection.execute(table.insert(), own)  # columns of later revisions are not there yet


def _player() -> sa.Table:
    return op.create_table(
        "player",
        sa.Column("room_id", sa.Text, nullable=False),
        sa.Column("player_id", sa.Text, nullable=False),
        sa.Column("display_name", sa.Text, nullable=False),
        sa.Column("agent_card_url", sa.Text),
        sa.Column("seat_number", sa.BigInteger),
        sa.Column(
            "epoch", sa.BigInteger, nullable=False, comment="when the player was first seated"
        ),
        sa.Column("sequence", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("room_id", "player_id", name="pk_player"),
    )


def _session() -> sa.Table:
    return op.create_table(
        "session",
        sa.Column("room_id", sa.Text, nullable=False),
        sa.Column("number", sa.BigInteger, nullable=False, comment="1, 2, 3 … in its room"),
        sa.Column("epoch", sa.BigInteger, nullable=False),
        sa.Column("first_sequence", sa.BigInteger, nullable=False),
        sa.Column("last_epoch", sa.BigInteger, comment="another one, where a table was taken over"),
        sa.Column("last_sequence", sa.BigInteger, comment="null until its end is reported"),
        sa.Column("hands", sa.BigInteger, comment="null until its end is reported"),
        sa.PrimaryKeyConstraint("room_id", "number", name="pk_session"),
    )


def _hand() -> sa.Table:
    return op.create_table(
        "hand",
        sa.Column("room_id", sa.Text, nullable=False),
        sa.Column("epoch", sa.BigInteger, nullable=False),
        sa.Column("hand_number", sa.BigInteger, nullable=False),
        sa.Column(
            "first_sequence", sa.BigInteger, comment="null if its beginning was not reported"
        ),
        sa.Column("last_sequence", sa.BigInteger, nullable=False),
        sa.Column("board", sa.Text, nullable=False, comment="such as Td 9c 4s"),
        sa.Column("pot", sa.BigInteger, comment="chips; null if it was not reported"),
        sa.PrimaryKeyConstraint("room_id", "epoch", "hand_number", name="pk_hand"),
        sqlite_with_rowid=False,
    )


def _ledger() -> sa.Table:
    return op.create_table(
        "ledger",
        sa.Column("room_id", sa.Text, nullable=False),
        sa.Column("epoch", sa.BigInteger, nullable=False),
        sa.Column(
            "sequence", sa.BigInteger, nullable=False, comment="the event that moved the chips"
        ),
        sa.Column("account", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("chips", sa.BigInteger, nullable=False),
        sa.Column("hand_number", sa.BigInteger),
        sa.PrimaryKeyConstraint("room_id", "epoch", "sequence", "account", name="pk_ledger"),
        sqlite_with_rowid=False,
    )
