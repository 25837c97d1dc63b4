"""Tables of the gateway's database. Tokens are stored as digests only."""

from sqlalchemy import Column, DateTime, Float, Integer, LargeBinary, MetaData, String, Table, Text

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
