"""What is known of a seat that the evaluator hosts."""

from dataclasses import dataclass, field

from casino_contracts import PlayerType


@dataclass
class SeatRecord:
    """A seat of a level's room; its table is known once the lobby has registered it."""

    name: str
    """The last part of the agent's address; nobody can guess it."""
    room_id: str
    display_name: str
    number: int
    """The wished seat."""
    kind: PlayerType = "ai"
    buy_in: float | None = None
    table_id: str | None = None
    table_token_digest: bytes | None = field(default=None, repr=False)
