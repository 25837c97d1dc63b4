"""Tables of A2G's logins and their bookings. Secrets are stored as SHA-256 hashes only."""

from datetime import UTC, datetime

from casino_storage.sqlite_file import Database
from sqlalchemy import Column, Float, Index, Integer, MetaData, Table, Text

metadata = MetaData()

account = Table(
    "a2g_account",
    metadata,
    Column("login_id", Text, primary_key=True),
    Column("display_name", Text, nullable=False),
    Column("wallet_address", Text, unique=True),
    Column("sequence", Integer, nullable=False, comment="no message has a higher one yet"),
)

token = Table(
    "a2g_token",
    metadata,
    Column("token_hash", Text, primary_key=True),
    Column("session_hash", Text, nullable=False, unique=True),
    Column("login_id", Text, nullable=False, index=True),
    Column("expires_at", Float, nullable=False, comment="seconds since 1970"),
    Column("heard_at", Float, nullable=False),
)

# Links of `a2g_link`, the table of earlier versions, bind nobody: no wallet signed them.
link = Table(
    "a2g_signed_link",
    metadata,
    Column("link_id", Text, primary_key=True),
    Column("login_id", Text, nullable=False, index=True, comment="who linked the wallet"),
    Column("wallet_address", Text, nullable=False, unique=True),
    Column("permissions", Text, nullable=False, comment="JSON"),
)

booking = Table(
    "a2g_booking",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("tx_id", Text, nullable=False, unique=True),
    Column("login_id", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("amount", Text, nullable=False, comment="decimal"),
    Column("balance", Text, nullable=False, comment="decimal; after it"),
    Column("table_id", Text, nullable=False),
    Column("game_type", Text, nullable=False),
    Column("at", Float, nullable=False),
    Index("ix_a2g_booking_login_id_number", "login_id", "number"),
)

cursor = Table(
    "a2g_cursor",
    metadata,
    Column("seat_id", Text, primary_key=True),
    Column("login_id", Text, nullable=False, index=True),
    Column("epoch", Integer, nullable=False),
    Column("sequence", Integer, nullable=False, comment="newest event whose chips are booked"),
    Column("stack", Text, comment="decimal; after it"),
)


async def create_tables(database: Database) -> None:
    """Create the tables that are missing. Raises StoreFailed."""
    async with database.writing() as connection:
        await connection.run_sync(metadata.create_all)


def time_of(seconds: float) -> datetime:
    """Return a stored time."""
    return datetime.fromtimestamp(seconds, UTC)
