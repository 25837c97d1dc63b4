"""Create the tables of the first release: those of `schema.py` without the later ones."""

from alembic import op

from casino_lobby.store.schema import deal, lobby_order, metadata

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create them, and the row that puts the commits of a group in order."""
    first = [table for table in metadata.sorted_tables if table is not deal]
    metadata.create_all(op.get_bind(), first, checkfirst=False)
    op.bulk_insert(lobby_order, [{"position": 1, "newest": 0}])
