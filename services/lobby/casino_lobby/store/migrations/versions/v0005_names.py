"""Add the owners of display names: the first signed player that requested each."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "owned_name",
        sa.Column("name_key", sa.Text, nullable=False, comment="what names of one look share"),
        sa.Column("signer", sa.Text, nullable=False, comment="the thumbprint of the card's key"),
        sa.Column(
            "since", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()
        ),
        sa.PrimaryKeyConstraint("name_key", name="pk_owned_name"),
    )
