"""Add what is left of deleted events: cursors, hands of sessions; and index archived rooms."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_COLUMNS = {
    "room": ("deleted_until", "the newest cursor of its deleted events"),
    "session": ("deleted_hands", "how many of its hands have no row any more"),
    "lobby_order": ("deleted_until", "the newest cursor of all deleted events"),
}


def upgrade() -> None:
    """Add the columns; they stay empty until something is deleted."""
    for table, (column, comment) in _COLUMNS.items():
        op.add_column(table, sa.Column(column, sa.BigInteger, comment=comment))
    op.create_index(
        "ix_room_archived_at",
        "room",
        ["archived_at"],
        sqlite_where=sa.text("archived_at IS NOT NULL"),
        postgresql_where=sa.text("archived_at IS NOT NULL"),
    )
