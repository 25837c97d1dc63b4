"""Add the times when commands were finished and rooms archived, for their retention."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_command = sa.table("command", sa.column("answer"), sa.column("finished_at"))


def upgrade() -> None:
    """Add the columns; commands that are already finished get the current time."""
    op.add_column("room", sa.Column("archived_at", sa.DateTime(timezone=True)))
    op.add_column("command", sa.Column("finished_at", sa.DateTime(timezone=True)))
    op.create_index("ix_command_finished_at", "command", ["finished_at"])
    op.get_bind().execute(
        _command.update().where(_command.c.answer.is_not(None)).values(finished_at=sa.func.now())
    )
