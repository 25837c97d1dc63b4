"""Add what the notable hands of matches were parsed to; those of earlier releases have none."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "publication_hand",
        sa.Column("position", sa.BigInteger, nullable=False, autoincrement=False),
        sa.Column("number", sa.BigInteger, nullable=False, autoincrement=False),
        sa.Column(
            "content", sa.Text, nullable=False, comment="what its history was parsed to, as JSON"
        ),
        sa.PrimaryKeyConstraint("position", "number", name="pk_publication_hand"),
    )
