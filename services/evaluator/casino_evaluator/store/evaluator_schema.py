"""The evaluator's database and its tables. API keys are stored as digests only."""

from pathlib import Path

from casino_agentkit import Waits
from casino_contracts import WaitReason
from casino_storage.sqlite_file import SqliteFile
from sqlalchemy import (
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from casino_evaluator.errors import StoreFailed

metadata = MetaData()

identity = Table(
    "identity",
    metadata,
    Column("name", String(16), primary_key=True),
    Column("value", Text, nullable=False),
)

anonymous_keys = Table(
    "anonymous_keys",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("key", String(64), nullable=False, unique=True, comment="SHA-256 of the API key"),
    Column("created_at", Float, nullable=False, comment="seconds since 1970"),
)

cards = Table(
    "cards",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("card_id", String(36), nullable=False, unique=True),
    Column("key", String(64), nullable=False, index=True),
    Column("opened_at", Float, nullable=False),
    Column("updated_at", Float, nullable=False),
    Column("closed_at", Float, index=True, comment="null while it is open"),
    Column("details", Text, nullable=False, comment="JSON: what its owner said of it"),
)

runs = Table(
    "runs",
    metadata,
    Column("place", Integer, primary_key=True, autoincrement=True),
    Column("card_id", String(36), nullable=False, index=True),
    Column("guid", String(36), nullable=False),
    Column("number", Integer, nullable=False),
    Column("game_id", String(64), nullable=False),
    Column("score", Integer, nullable=False),
    Column("state", String(16), nullable=False),
    Column("details", Text, nullable=False, comment="JSON: the game, and counts of each level"),
    UniqueConstraint("guid", "number"),
)

sessions = Table(
    "sessions",
    metadata,
    Column("place", Integer, primary_key=True, autoincrement=True),
    Column("guid", String(36), nullable=False, unique=True),
    Column("key", String(64), nullable=False, index=True),
    Column("card_id", String(36), nullable=False, index=True),
    Column("game_id", String(64), nullable=False),
    Column("level", Integer, nullable=False),
    Column("acted", Boolean, nullable=False),
    Column("waiting", Boolean, nullable=False),
    Column("state", String(16), nullable=False),
    Column("score", Integer, nullable=False),
    Column("run", Integer, nullable=False),
    Column("actions", Text, nullable=False, comment="JSON: of the running level"),
    Column("commands", Integer, nullable=False, comment="how many it has taken"),
)

commands = Table(
    "commands",
    metadata,
    Column("place", Integer, primary_key=True, autoincrement=True),
    Column("guid", String(36), nullable=False),
    Column("number", Integer, nullable=False),
    Column("size", Integer, nullable=False),
    Column("content", LargeBinary, nullable=False, comment="see `replay_rows.py`"),
    Index("ix_commands_guid_number", "guid", "number", "size", unique=True),
)


def evaluator_database(path: Path, waits: Waits | None = None) -> SqliteFile:
    """Return the database in a file; all its failures are StoreFailed, and of writes waits."""
    return SqliteFile(path, metadata, StoreFailed, waits or Waits(), WaitReason.STORE_FAILED)
