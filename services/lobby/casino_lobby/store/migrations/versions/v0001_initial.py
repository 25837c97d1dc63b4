"""Create the tables. Until the first release, its schema is that of `schema.py`."""

from alembic import op

from casino_lobby.store.schema import lobby_order, metadata

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create all tables, and the row that puts the commits of a group in order."""
    metadata.create_all(op.get_bind(), checkfirst=False)
    op.bulk_insert(lobby_order, [{"position": 1, "newest": 0}])
