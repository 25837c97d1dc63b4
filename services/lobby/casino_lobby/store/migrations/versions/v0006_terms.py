"""Add the terms of the lobbies that take the database over, one after the other."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table; the lobby that opens the database begins its first term."""
    op.create_table(
        "lobby_term",
        sa.Column(
            "number",
            sa.BigInteger,
            nullable=False,
            autoincrement=False,
            comment="1, 2, 3 …; the newest is that of the active lobby",
        ),
        sa.Column(
            "since", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()
        ),
        sa.PrimaryKeyConstraint("number", name="pk_lobby_term"),
    )
