"""Add the members of a group of lobbies, the owners of rooms, and the order of all commits."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_OWNED = {
    "room": "the member that changes it; null outside a group",
    "command": "the member that executes it; null outside a group",
}
_NUMBERED = {
    "room": "its newest change in the order of a group",
    "owned_name": "its place in the order of a group",
}


def upgrade() -> None:
    """Create the tables and columns; without a group the columns stay empty."""
    op.create_table(
        "lobby_member",
        sa.Column("number", sa.BigInteger, nullable=False, autoincrement=False),
        sa.Column("url", sa.Text, nullable=False, comment="where the other lobbies reach it"),
        sa.Column("term", sa.BigInteger, nullable=False, comment="grows with each change of hands"),
        sa.Column(
            "since", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()
        ),
        sa.PrimaryKeyConstraint("number", name="pk_lobby_member"),
    )
    order = op.create_table(
        "lobby_order",
        sa.Column("position", sa.BigInteger, nullable=False, autoincrement=False),
        sa.Column("newest", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("position", name="pk_lobby_order"),
    )
    op.bulk_insert(order, [{"position": 1, "newest": 0}])
    op.create_table(
        "removed_room",
        sa.Column("changed", sa.BigInteger, nullable=False, autoincrement=False),
        sa.Column("room_id", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("changed", name="pk_removed_room"),
    )
    for table, comment in _OWNED.items():
        op.add_column(table, sa.Column("owner", sa.BigInteger, comment=comment))
    op.create_index(
        "ix_command_owner",
        "command",
        ["owner"],
        sqlite_where=sa.text("answer IS NULL"),
        postgresql_where=sa.text("answer IS NULL"),
    )
    for table, comment in _NUMBERED.items():
        op.add_column(table, sa.Column("changed", sa.BigInteger, comment=comment))
        op.create_index(
            f"ix_{table}_changed",
            table,
            ["changed"],
            sqlite_where=sa.text("changed IS NOT NULL"),
            postgresql_where=sa.text("changed IS NOT NULL"),
        )
