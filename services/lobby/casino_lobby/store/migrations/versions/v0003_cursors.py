"""Add an index of a room's events by cursor, for streams."""

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the index."""
    op.create_index("ix_event_room_id_cursor", "event", ["room_id", "cursor"])
