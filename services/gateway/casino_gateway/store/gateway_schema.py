"""The gateway's database and its tables. Tokens and other secrets are stored as digests only."""

from datetime import UTC, datetime
from pathlib import Path

from casino_agentkit import Waits
from casino_contracts import WaitReason
from casino_storage.sqlite_file import SqliteFile
from sqlalchemy import (
    Column,
    DateTime,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
)

from casino_gateway.errors import StoreFailed

metadata = MetaData()

seats = Table(
    "seats",
    metadata,
    Column("seat_id", String(64), primary_key=True),
    Column("room_id", String(128), nullable=False),
    Column("display_name", String(256), nullable=False),
    Column("kind", String(8), nullable=False),
    Column("owner", String(128), nullable=False, index=True),
    Column("address", String(64), nullable=False),
    Column("buy_in", Float),
    Column("preferred_seat", Integer),
    Column("token_digest", LargeBinary(32), nullable=False, unique=True),
    Column("taken_at", DateTime, nullable=False),
    # Unknown until the lobby has registered the player.
    Column("player_id", String(128)),
    Column("seat_number", Integer),
    Column("game_type", String(128)),
    Column("table_id", String(128)),
    Column("table_token_digest", LargeBinary(32)),
    # Set once the seat is given back.
    Column("closed_reason", String(32)),
    Column("closed_at", DateTime),
)

questions = Table(
    "questions",
    metadata,
    Column("seat_id", String(64), primary_key=True),
    Column("request_id", String(256), primary_key=True),
    Column("turn", Integer, nullable=False),
    # Null while the question has no answer.
    Column("action", Text),
    Column("message", Text),
)

rooms = Table(
    "rooms",
    metadata,
    Column("room_id", String(128), primary_key=True),
    Column("cursor", Integer, nullable=False),
    Column("match", Text, nullable=False),
)


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


def time_of(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def gateway_database(path: Path, waits: Waits | None = None) -> SqliteFile:
    """Return the database in a file; all its failures are StoreFailed, and of writes waits."""
    return SqliteFile(path, metadata, StoreFailed, waits or Waits(), WaitReason.STORE_FAILED)
