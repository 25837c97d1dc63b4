"""Add the scores of hands; those of stored hands are filled in when the store is opened."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns, which are null in stored rows, and the indexes of the best hands."""
    score = sa.Column("score", sa.BigInteger, comment="null if an older release stored it")
    op.add_column("hand", score)
    op.add_column("hand", sa.Column("kinds", sa.Text, comment="such as big-pot all-in"))
    players = "ids of those who were dealt in, one in a line"
    op.add_column("hand", sa.Column("players", sa.Text, comment=players))
    for value in ("score", "pot"):
        op.create_index(f"ix_hand_{value}", "hand", ["room_id", value, "epoch", "hand_number"])
    op.create_index(
        "ix_hand_unscored",
        "hand",
        ["room_id", "epoch", "last_sequence"],
        sqlite_where=sa.text("score IS NULL"),
        postgresql_where=sa.text("score IS NULL"),
    )
