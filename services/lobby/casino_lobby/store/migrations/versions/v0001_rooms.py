"""Add rooms, events and commands."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

ROW_NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Create the first tables."""
    op.create_table(
        "room",
        sa.Column("position", ROW_NUMBER, nullable=False),
        sa.Column("room_id", sa.Text, nullable=False),
        sa.Column("table_id", sa.Text, nullable=False),
        sa.Column(
            "content", sa.Text, nullable=False, comment="Room.to_json(), the config's seed included"
        ),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            nullable=False,
            server_default=sa.func.now(),
        ),
        sa.PrimaryKeyConstraint("position", name="pk_room"),
        sa.UniqueConstraint("room_id", name="uq_room_room_id"),
        sa.UniqueConstraint("table_id", name="uq_room_table_id"),
    )
    op.create_table(
        "event",
        sa.Column(
            "cursor", ROW_NUMBER, nullable=False, comment="the order of commits in the lobby"
        ),
        sa.Column("room_id", sa.Text, nullable=False),
        sa.Column("epoch", sa.BigInteger, nullable=False),
        sa.Column("sequence", sa.BigInteger, nullable=False),
        sa.Column("event_type", sa.Text, nullable=False),
        sa.Column("hand_number", sa.BigInteger),
        sa.Column("content", sa.Text, nullable=False, comment="the TableEvent as JSON"),
        sa.PrimaryKeyConstraint("cursor", name="pk_event"),
        sa.UniqueConstraint("room_id", "epoch", "sequence", name="uq_event_room_id_epoch_sequence"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "command",
        sa.Column("position", ROW_NUMBER, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("given", sa.Text, nullable=False),
        sa.Column("notes", sa.Text, nullable=False),
        sa.Column("answer", sa.Text),
        sa.PrimaryKeyConstraint("position", name="pk_command"),
        sa.UniqueConstraint("key", name="uq_command_key"),
    )
