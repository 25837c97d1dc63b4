"""Add published matches and leagues."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_ROW_NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "publication",
        sa.Column("position", _ROW_NUMBER, nullable=False, comment="the order of publication"),
        sa.Column("kind", sa.Text, nullable=False, comment="match or league"),
        sa.Column("publication_id", sa.Text, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("summary", sa.Text, nullable=False, comment="its entry of a list, as JSON"),
        sa.Column("content", sa.Text, nullable=False, comment="the message, as JSON"),
        sa.PrimaryKeyConstraint("position", name="pk_publication"),
        sa.UniqueConstraint("kind", "publication_id", name="uq_publication_kind_publication_id"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "publication_player",
        sa.Column("position", sa.BigInteger, nullable=False, autoincrement=False),
        sa.Column("player", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("position", "player", name="pk_publication_player"),
    )
    op.create_index("ix_publication_player_player", "publication_player", ["player", "position"])
