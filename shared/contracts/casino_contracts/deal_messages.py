"""Messages of a fair deal: what a table commits to, what contributors add, what is opened.

Bytes are base64url without padding: 43 characters are 32 bytes. `docs/fair-deal.md` says what they
are made of, and `casino_agentkit.fair_deal` computes them.
"""

from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import Field

from casino_contracts.base import FreeObject, Identifier, PlayerId, RequestId, WireModel, optional
from casino_contracts.numbers import PositiveWhole, Whole, whole

Bytes32 = Annotated[str, Field(pattern="^[A-Za-z0-9_-]{43}$")]
_ManyBytes = Annotated[str, Field(pattern="^[A-Za-z0-9_-]*$", max_length=50_000)]
_BlockName = Annotated[str, Field(min_length=1, max_length=300)]
_BLOCK = "Name of the block: table, epoch and number, as in `main/1/3`."
_WHO = "A player; absent: the lobby."
_LEAVES = "The opened leaves, in ascending order."
_NUMBERS = "The committed numbers of these leaves, one leaf after the other."
_SALTS = "16 bytes for each opened leaf."
_CLOSED = "The hashes of all other leaves, in their order: 32 bytes each."

MOST_HANDS_OF_BLOCK = 500
"""More would make the event of a commitment too large."""


class EntropyCommitment(WireModel):
    """A contributor's commitment to what it will contribute to one block."""

    player_id: PlayerId | None = optional(description=_WHO)
    commitment: Bytes32 = Field(description="SHA-256 of its entropy.")


class SigningKey(WireModel):
    """A public key of the curve P-256, as JSON Web Key."""

    kty: Literal["EC"] = "EC"
    crv: Literal["P-256"] = "P-256"
    x: Bytes32
    y: Bytes32


class DealCommitment(WireModel):
    """What a table commits to for the hands of a block, before it knows their entropy."""

    protocol: str = Field(description="Names the hashes: a2a-casino/fair/v1.")
    block: _BlockName = Field(description=_BLOCK)
    game_type: str
    first_hand: PositiveWhole = Field(description="Number of the first hand.")
    cards: Whole = Field(description="Numbers of a deck; 0: the game is dealt from a seed.")
    leaves: tuple[Whole, ...] = Field(
        description="Number of cards of each leaf; empty: a deck is opened as a whole."
    )
    seats: tuple[PlayerId, ...] = Field(description="The players at the table.")
    commitments: tuple[EntropyCommitment, ...] = Field(
        description="Of the contributors: the lobby first, then by seat."
    )
    roots: _ManyBytes = Field(description="The root of each hand, one after the other.")
    key: SigningKey | None = optional(description="The key of the table's card.")
    signature: str | None = optional(
        description="ES256 of the block's root with `key`: r and s, 64 bytes. Not part of the root."
    )


class Contribution(WireModel):
    """What a contributor adds to a block."""

    player_id: PlayerId | None = optional(description=_WHO)
    entropy: Bytes32


class MissingContribution(WireModel):
    """Who committed itself and did not contribute."""

    player_id: PlayerId | None = optional(description=_WHO)
    reason: Literal["silent", "wrong"] = Field(
        description="wrong: what came does not fit the commitment."
    )


class DealContributed(WireModel):
    """The contributions to a block; with `missing`, no hand of it is dealt."""

    block: _BlockName = Field(description=_BLOCK)
    contributions: tuple[Contribution, ...] = Field(description="In the order of the commitment.")
    missing: tuple[MissingContribution, ...] | None = optional()


class DealOpening(WireModel):
    """What is opened of a hand's decks when it is over."""

    block: _BlockName = Field(description=_BLOCK)
    audit: Bytes32 = Field(description="The secret of the deck that was not played.")
    root: Bytes32 | None = optional(
        description="The root of the played deck, where nothing of it is opened."
    )
    secret: Bytes32 | None = optional(
        description="The secret of the played deck, in a game that hides nothing at its end."
    )
    leaves: tuple[Whole, ...] | None = optional(description=_LEAVES)
    numbers: tuple[Whole, ...] | None = optional(description=_NUMBERS)
    salts: _ManyBytes | None = optional(description=_SALTS)
    closed: _ManyBytes | None = optional(description=_CLOSED)


class CardProof(WireModel):
    """That a player's own cards are those to which the table committed."""

    block: _BlockName = Field(description=_BLOCK)
    leaves: tuple[Whole, ...] = Field(description=_LEAVES)
    numbers: tuple[Whole, ...] = Field(description=_NUMBERS)
    salts: _ManyBytes = Field(description=_SALTS)
    closed: _ManyBytes = Field(description=_CLOSED)
    other: Bytes32 = Field(description="The root of the deck that is not played.")


class ContributeInput(WireModel):
    """A table asks for a part in its deal (input of `contribute`), up to three times for a block.

    Without `commitment` it asks for a commitment, with it for the entropy; `contributed` says what
    came of it. The entropy is for the first commitment of a block only.
    """

    table_id: Identifier
    block: _BlockName = Field(description=_BLOCK)
    player_id: PlayerId | None = optional(description=_WHO)
    commitment: FreeObject | None = optional(description="As in the event `deal_committed`.")
    contributed: FreeObject | None = optional(description="As in the event `deal_contributed`.")
    request_id: RequestId | None = optional()


class ContributeOutput(WireModel):
    """A contributor's part (output of `contribute`); empty where it takes none."""

    commitment: Bytes32 | None = optional(description="SHA-256 of the entropy.")
    entropy: Bytes32 | None = optional(description="32 bytes.")


class FairMark(WireModel):
    """Who had a part in a room's deal."""

    block: _BlockName = Field(description=_BLOCK)
    contributors: tuple[str, ...] = Field(description="Player ids; `lobby` for the lobby.")
    missing: tuple[MissingContribution, ...] | None = optional(
        description="Who was left out of this session because it did not contribute in time."
    )
    key: str | None = optional(
        description="Thumbprint of the key that signed the table's card, as the lobby read it."
    )


DealBlock = Annotated[int, whole(1, MOST_HANDS_OF_BLOCK)]


def holdem_leaves(seats: int) -> tuple[int, ...]:
    """Return the leaves of a deck of Hold'em: two cards a seat, then flop, turn and river."""
    return (*(2 for _ in range(seats)), 3, 1, 1)


def board_leaves(leaves: int, cards: int) -> tuple[int, ...]:
    """Return the leaves of a board that has so many cards, of a deck with so many leaves."""
    return tuple(range(leaves - 3, leaves - 3 + {0: 0, 3: 1, 4: 2, 5: 3}[cards]))


def holdem_order(seats: Iterable[int], button_seat: int) -> list[int]:
    """Return the numbers of a hand's seats as cards are dealt; the n-th of them has leaf n.

    The button, or who is before it, comes last.
    """
    ordered = sorted(seats)
    after = [seat for seat in ordered if seat > button_seat]
    return after + [seat for seat in ordered if seat <= button_seat]
