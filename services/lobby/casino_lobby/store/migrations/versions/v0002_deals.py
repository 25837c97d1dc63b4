"""Add the table of the blocks that hands are dealt from."""

from alembic import op

from casino_lobby.store.schema import deal

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    deal.create(op.get_bind())
