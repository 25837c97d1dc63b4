"""Signed results of sessions: who played, with which chips, and a chain over every public event.

The lobby signs one for each session that ends, with the key of its card. `signature` is ES256 of 32
bytes: SHA-256 of the result without it, in canonical JSON (RFC 8785). `chain` is the last of the
hashes h(i) = SHA-256(h(i - 1) ‖ event i in canonical JSON), from 32 zero bytes on, over the events
as `GET /v1/rooms/{roomId}/events` returns them.
"""

from typing import Annotated, Final

from pydantic import Field

from casino_contracts.base import PlayerId, WireModel, optional
from casino_contracts.deal_messages import Bytes32, SigningKey
from casino_contracts.events.table_event import EventPlace
from casino_contracts.numbers import Amount, PositiveWhole, SignedAmount, Whole

RESULT_PROTOCOL: Final = "a2a-casino/result/v1"
MOST_RESULTS: Final = 20
"""Maximum number of sessions of a room whose results are kept, the newest."""

Signature = Annotated[str, Field(pattern="^[A-Za-z0-9_-]{86}$")]
"""ES256 in base64url without padding: r and s, 64 bytes."""


class PlayerOutcome(WireModel):
    """What one player won or lost in the completed hands of a session."""

    player_id: PlayerId
    display_name: str
    key: Bytes32 | None = optional(
        description="Thumbprint of the key that signed its agent card; absent: an unsigned card."
    )
    net: SignedAmount = Field(description="Chips won or lost; bought and cashed out ones apart.")
    stack: Amount = Field(description="Chips after its last hand.")
    hands: PositiveWhole


class SessionResult(WireModel):
    """The result of one session of a room.

    It covers all events after those of the session before, so that none is between two results.
    """

    protocol: str = Field(description=f"Says how it is hashed: {RESULT_PROTOCOL}.")
    room_id: str
    game_type: str
    first: EventPlace = Field(description="Its first event.")
    last: EventPlace = Field(description="Its last event, which ends the session.")
    events: PositiveWhole = Field(description="How many events the chain covers.")
    hands: Whole = Field(description="How many hands were completed.")
    chain: Bytes32
    players: tuple[PlayerOutcome, ...] = Field(description="Who was dealt in, as they came.")
    key: SigningKey
    signature: Signature


class SessionResults(WireModel):
    """The signed results of a room's sessions."""

    room_id: str
    results: tuple[SessionResult, ...] = Field(description="The newest first, at most 20.")
    unsigned: str | None = optional(description="Why this lobby signs none; absent: it does.")
