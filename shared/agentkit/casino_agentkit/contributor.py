"""A part in a fair deal: the entropy of a player or lobby, and the check of a player's own cards.

A contributor reveals its entropy for the first commitment of a block only: nobody can try one deck
after the other. So it forgets no seat for which it has revealed some within the last hour, and
where it has no room for another seat, it takes no part. `docs/fair-deal.md` is the protocol.
"""

import logging
import secrets
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeVar

from casino_agentkit.accepted_json import shown
from casino_agentkit.canonical_json import encoded
from casino_agentkit.errors import KitReason, UnfairDeal
from casino_agentkit.fair_deal import (
    BYTES,
    MOST_CARDS,
    MOST_IN_LEAF,
    MOST_LEAVES,
    PROTOCOL,
    DealKey,
    DeckName,
    DeckPlan,
    OpenedLeaves,
    Side,
    block_entropy,
    block_root,
    bytes_in,
    commitment_to,
    hand_root,
)

MOST_SEATS: Final = 64
MOST_BLOCKS: Final = 4
"""Blocks of a seat that are kept."""
_QUIET_S: Final = 3_600.0
_FIELD: Final = 300  # characters of a name

ValueT = TypeVar("ValueT")
_Place = tuple[str, str | None]
"""Table and player; None is the lobby."""
_Number = tuple[int, int]
"""Epoch and number of a block."""

logger = logging.getLogger(__name__)


class _Committed(NamedTuple):
    """What a table has committed to for a block."""

    root: bytes
    plan: DeckPlan
    first_hand: int
    roots: bytes
    parts: tuple[tuple[str | None, str], ...]
    """The commitments of the contributors, in their order."""

    def has(self, hand: int) -> bool:
        return 0 <= hand - self.first_hand < len(self.roots) // BYTES

    def hand_root(self, hand: int) -> bytes:
        start = BYTES * (hand - self.first_hand)
        return self.roots[start : start + BYTES]


@dataclass
class _Block:
    """What a contributor knows of one block."""

    name: str
    entropy: bytes = field(repr=False)
    committed: _Committed | None = None
    """The first commitment, for which the entropy was revealed."""
    outcome: bytes | None = None
    """E, once all contributions are known; empty if one is missing, and no hand is dealt."""


@dataclass
class _Seat:
    """What a contributor knows of one player at one table."""

    used_at: float
    blocks: dict[str, _Block] = field(default_factory=dict)
    newest: _Number = (-1, -1)
    """The last block for which the entropy was revealed."""
    dealt_from: _Block | None = None
    """The last block that all have contributed to."""
    has_part: bool = False
    """Whether the next hands are of that block, as far as the table has said."""
    proven: tuple[int, str, frozenset[int]] = field(default=(-1, "", frozenset()), repr=False)
    """The last hand whose proof is right, who asked, and its cards."""
    refused: int = -1
    """The last hand whose proof is wrong or missing."""

    def block_of(self, hand: int, proof: Mapping[str, Any] | None) -> _Block | None:
        """Return the block that a hand must be of, None if that is not known."""
        block = self.dealt_from
        if block is None or not (self.has_part or hand == self.refused):
            block = block if block and proof and proof.get("block") == block.name else None
        if block is None and proof is not None:
            logger.warning("hand %d cannot be checked: its block is not known", hand)
        if block is None or block.committed is None or not block.committed.plan.leaves:
            return None
        return block if proof is not None or block.committed.has(hand) else None


class Contributor:
    """The part of a process in the deals of its seats, in bounded memory.

    `entropy` returns 32 random bytes, `clock` a time in seconds that only rises.
    """

    def __init__(
        self,
        entropy: Callable[[], bytes] = lambda: secrets.token_bytes(BYTES),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._entropy = entropy
        self._clock = clock
        self._seats: dict[_Place, _Seat] = {}

    def answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Answer a call of `contribute`, as JSON; {} is no part in the block.

        The same call gets the same answer. Raises UnfairDeal, and warns of it in the log.
        """
        try:
            name = _field(request, "block", str)
            who = None if request.get("playerId") is None else _field(request, "playerId", str)
            place, number = (_field(request, "tableId", str), who), _number_of(name)
            seat = self._seat(place)
            if request.get("contributed") is not None:
                _learn(*_known(seat, name), who, _field(request, "contributed", dict))
                return {}
            if request.get("commitment") is not None:
                seat, block = _known(seat, name)
                if block.committed is None:
                    seat.has_part = False
                _take(seat, block, number, who, _field(request, "commitment", dict))
                return {"entropy": encoded(block.entropy)}
            return self._committed(seat, place, name, number)
        except ValueError as error:
            raise _unfair(str(error)) from error

    def check(
        self,
        table_id: str,
        player_id: str,
        hand_number: int,
        proof: Mapping[str, Any] | None,
        cards: Collection[int],
        *,
        leaf: int | None,
        asker: str = "",
    ) -> None:
        """Raise UnfairDeal unless a player's own cards are those that the table committed to.

        `cards` are their numbers; `leaf` is the player's own in that hand, None where the question
        does not say it. After a hand's first question, `proof` may be absent for the same `asker`,
        such as the call's token: nobody else learns from a refusal which cards are right. A hand
        without any proof is refused; the next ones are then hands in which the player has no part.
        Such hands cannot be checked, nor those whose contributions the table did not tell.
        """
        seat = self._seats.get((table_id, player_id))
        if seat is None:
            return
        seat.used_at = self._clock()
        own = frozenset(cards)
        if proof is None and seat.proven == (hand_number, asker, own):
            return
        block = seat.block_of(hand_number, proof)
        if block is None:
            return
        try:
            _check_own(block, hand_number, proof, own, leaf)
        except ValueError as error:
            seat.refused = hand_number
            if proof is None and seat.proven[0] != hand_number:
                seat.has_part = False
            raise _unfair(f"hand {hand_number} of {block.name}: {error}") from error
        seat.proven = (hand_number, asker, own)

    def _seat(self, place: _Place) -> _Seat | None:
        """Return a seat that is known; one that was quiet for an hour is forgotten."""
        seat, now = self._seats.get(place), self._clock()
        if seat is not None:
            if now - seat.used_at > _QUIET_S:
                del self._seats[place]
                return None
            seat.used_at = now
        return seat

    def _new_seat(self, place: _Place) -> _Seat | None:
        """Return a new seat, None if there is no room for it."""
        now = self._clock()
        if len(self._seats) >= MOST_SEATS:
            idle = (
                place
                for place, seat in self._seats.items()
                if seat.newest == (-1, -1) or now - seat.used_at > _QUIET_S
            )
            if (given_up := next(idle, None)) is None:
                return None
            del self._seats[given_up]
        self._seats[place] = seat = _Seat(now)
        return seat

    def _committed(
        self, seat: _Seat | None, place: _Place, name: str, number: _Number
    ) -> dict[str, Any]:
        """Return the commitment to the entropy of a block, which is drawn when first asked for."""
        seat = seat or self._new_seat(place)
        if seat is None:
            logger.warning("no part in the deal of %s: too many tables have asked", shown(name))
            return {}
        if (block := seat.blocks.get(name)) is None:
            seat.has_part = False
            if number <= seat.newest:
                logger.warning("no part in the deal of %s: a later block is known", shown(name))
                return {}
            block = seat.blocks[name] = _Block(name, self._entropy())
            if len(seat.blocks) > MOST_BLOCKS:
                del seat.blocks[next(iter(seat.blocks))]
        return {"commitment": commitment_to(block.entropy)}


def _unfair(why: str) -> UnfairDeal:
    """Return what is raised, and warn of it in the log."""
    logger.warning("the deal is not fair: %s", shown(why))
    return UnfairDeal(KitReason.UNFAIR_DEAL, f"The deal is not fair: {shown(why)}.")


def _known(seat: _Seat | None, name: str) -> tuple[_Seat, _Block]:
    if seat is None or (block := seat.blocks.get(name)) is None:
        raise ValueError(f"block: {name} is not one that we have a part in")
    return seat, block


def _take(
    seat: _Seat, block: _Block, number: _Number, who: str | None, commitment: dict[str, Any]
) -> None:
    """Take the commitment for which the entropy is revealed. Raises ValueError."""
    root = block_root(commitment)
    if block.committed is not None:
        if block.committed.root != root:
            seat.has_part = False  # the table goes on without this contributor
            raise ValueError(f"commitment: {block.name} has had another one before")
        return
    committed = _read_commitment(commitment, block.name, root)
    own = commitment_to(block.entropy)
    if [part for player, part in committed.parts if player == who] != [own]:
        raise ValueError("commitment.commitments: ours is missing, or another one")
    if number <= seat.newest:
        raise ValueError(f"block: {block.name} is not above the block before")
    before = seat.blocks.get(_name_of(block.name, seat.newest))
    if before is not None and before.outcome is None:
        logger.warning("nobody told what was contributed to %s", shown(before.name))
    block.committed, seat.newest = committed, number


def _learn(seat: _Seat, block: _Block, who: str | None, contributed: dict[str, Any]) -> None:
    """Learn the contributions of all, and so the deal. Raises ValueError."""
    committed = block.committed
    if committed is None:
        raise ValueError(f"contributed: nothing was committed to for {block.name}")
    if contributed.get("block") != block.name:
        raise ValueError("contributed.block: it is another one than block")
    if contributed.get("missing"):
        if block.outcome:
            raise ValueError("contributed.missing: all have contributed before")
        block.outcome = b""
        if who in [_player_of(one) for one in _field(contributed, "missing", list)]:
            raise ValueError("contributed.missing: names us, who have answered")
        return
    entropies = _entropies(committed, contributed)
    if block.outcome == b"":
        raise ValueError(f"contributed: {block.name} was given up before")
    if block.outcome is None:
        block.outcome = block_entropy(committed.root, entropies)
        seat.dealt_from, seat.has_part, seat.refused = block, True, -1


def _entropies(committed: _Committed, contributed: dict[str, Any]) -> list[bytes]:
    """Return the contributions, which fit their commitments. Raises ValueError."""
    given = _field(contributed, "contributions", list)
    if [_player_of(one) for one in given] != [player for player, _ in committed.parts]:
        raise ValueError("contributed.contributions: they are not of those who committed")
    entropies = [bytes_in(one, "entropy", BYTES) for one in given]
    for entropy, (player, part) in zip(entropies, committed.parts, strict=True):
        if commitment_to(entropy) != part:
            raise ValueError(
                f"contributed.contributions: that of {player or 'the lobby'} does not fit"
            )
    return entropies


@lru_cache(maxsize=256)
def _values(outcome: bytes, hand: int, cards: int) -> tuple[Side, Side, list[int]]:
    """Return the played side, the other one, and what the played numbers count as.

    All players of a process ask for the same hands.
    """
    key = DealKey(outcome, hand)
    return key.played, key.audited, key.values(cards)


def _check_own(
    block: _Block,
    hand: int,
    proof: Mapping[str, Any] | None,
    cards: frozenset[int],
    leaf: int | None,
) -> None:
    """Raise ValueError unless a proof is that of the cards of a leaf."""
    committed = block.committed
    if proof is None or committed is None or block.outcome is None:
        raise ValueError("proof: none has come for these cards")
    if proof.get("block") != block.name:
        raise ValueError("proof.block: it is another one")
    if not committed.has(hand):
        raise ValueError("handNumber: the block has no such hand")
    opened = OpenedLeaves.of_json(proof)
    if leaf is None or opened.leaves != (leaf,):
        raise ValueError("proof.leaves: it is not that of the seat")
    played, other, values = _values(block.outcome, hand, committed.plan.cards)
    roots = {
        played: opened.root(DeckName(block.name, hand, played), committed.plan),
        other: bytes_in(proof, "other", BYTES),
    }
    if hand_root(roots) != committed.hand_root(hand):
        raise ValueError("proof: it is not of the cards that the table committed to")
    if cards != {values[number] for number in opened.numbers}:
        raise ValueError("the cards are not those of the proof")


def _read_commitment(commitment: dict[str, Any], name: str, root: bytes) -> _Committed:
    """Raise ValueError, naming the field, for what no deal can come of."""
    if commitment.get("protocol") != PROTOCOL:
        raise ValueError(f"commitment.protocol: it must be {PROTOCOL}")
    if commitment.get("block") != name:
        raise ValueError("commitment.block: it is another one than block")
    cards, first = _field(commitment, "cards", int), _field(commitment, "firstHand", int)
    leaves = tuple(_field(commitment, "leaves", list))
    if len(leaves) > MOST_LEAVES or not all(
        type(size) is int and 0 < size <= MOST_IN_LEAF for size in leaves
    ):
        raise ValueError(f"commitment.leaves: up to {MOST_LEAVES} of up to {MOST_IN_LEAF} cards")
    if not sum(leaves) <= cards <= MOST_CARDS:
        raise ValueError("commitment.cards: the leaves have more, or it is too large")
    roots = bytes_in(commitment, "roots")
    if first < 1 or not roots or len(roots) % BYTES:
        raise ValueError("commitment.roots: it must have 32 bytes for each hand")
    parts = tuple(
        (_player_of(one), encoded(bytes_in(one, "commitment", BYTES)))
        for one in _field(commitment, "commitments", list)
    )
    if commitment.get("key") is not None or commitment.get("signature") is not None:
        _check_signature(commitment, root)
    return _Committed(root, DeckPlan(cards, leaves), first, roots, parts)


def _check_signature(commitment: dict[str, Any], root: bytes) -> None:
    from casino_agentkit.card_key import PublicCardKey  # noqa: PLC0415  loads cryptography

    try:
        key = PublicCardKey.of_jwk(commitment.get("key"))
    except ValueError as error:
        raise ValueError(f"commitment.key: it {error}") from error
    if not key.has_signed(root, bytes_in(commitment, "signature")):
        raise ValueError("commitment.signature: it is not of this commitment, by its key")


def _field(fields: Mapping[str, Any], name: str, kind: type[ValueT]) -> ValueT:
    value = fields.get(name)
    if type(value) is not kind or (isinstance(value, str) and not 0 < len(value) <= _FIELD):
        raise ValueError(f"{name}: it is missing, or no {kind.__name__} of the protocol")
    return value


def _player_of(entry: Any) -> str | None:
    """Return the player of an entry in a list, None for the lobby. Raises ValueError."""
    if type(entry) is not dict:
        raise ValueError("commitments and contributions: each must be an object")
    return None if entry.get("playerId") is None else _field(entry, "playerId", str)


def _number_of(block: str) -> _Number:
    parts = block.rsplit("/", 2)
    if len(parts) != 3 or not all(part.isascii() and part.isdigit() for part in parts[1:]):  # noqa: PLR2004
        raise ValueError("block: it must be table/epoch/number, such as main/1/3")
    return int(parts[1]), int(parts[2])


def _name_of(block: str, number: _Number) -> str:
    """Return the name of another block of a block's table."""
    return "/".join((block.rsplit("/", 2)[0], *map(str, number)))
