"""The deal that nobody can choose and anybody can check; `docs/fair-deal.md` has every byte. Pure.

The table commits to two decks for each hand of a block; the contributors' entropy then says which
of them is played, and as which card each of its numbers counts. A card is a number here, and a leaf
what is dealt and opened together: the rules that say which leaf is whose are elsewhere.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from hashlib import sha256
from hmac import digest
from itertools import accumulate
from struct import pack
from typing import Any, Final, Literal, NamedTuple

from casino_agentkit.canonical_json import canonical_json, decoded, encoded

PROTOCOL: Final = "a2a-casino/fair/v1"
BYTES: Final = 32
"""Size of a contribution, of a secret and of a hash."""
MOST_CARDS, MOST_LEAVES, MOST_IN_LEAF = 65_535, 64, 64

Side = Literal["A", "B"]
"""One of the two decks of a hand."""
_SIDES: Final[tuple[Side, Side]] = ("A", "B")
_TAG: Final = PROTOCOL.encode() + b"/"
_SALT: Final = 16  # bytes
_SHORTS: Final = [number.to_bytes(2, "big") for number in range(MOST_LEAVES)]


class DeckPlan(NamedTuple):
    """What the decks of a block are made of."""

    cards: int
    """The deck has the numbers below it; 0: a game of others, which is dealt from a seed."""
    leaves: tuple[int, ...]
    """How many cards each leaf has; empty: the deck is opened as a whole after the hand."""


class DeckName(NamedTuple):
    """What the hashes of a deck are bound to."""

    block: str
    hand: int
    side: Side

    @property
    def context(self) -> bytes:
        """25 bytes: 16 of the hash of the block's name, the hand's number, the side."""
        return _hash_of_block(self.block) + self.hand.to_bytes(8, "big") + self.side.encode()


class OpenedLeaves(NamedTuple):
    """Some leaves of a deck, and the hashes of all others."""

    leaves: tuple[int, ...]
    """Which, in ascending order."""
    numbers: tuple[int, ...]
    """The numbers of these leaves, one leaf after the other."""
    salts: bytes
    closed: bytes
    """The hashes of the other leaves, in their order."""

    def to_json(self) -> dict[str, Any]:
        return {
            "leaves": self.leaves,
            "numbers": self.numbers,
            "salts": encoded(self.salts),
            "closed": encoded(self.closed),
        }

    @classmethod
    def of_json(cls, fields: Mapping[str, Any]) -> "OpenedLeaves":
        """Raise ValueError, naming the field, for anything that is no opening."""
        return cls(
            _numbers(fields, "leaves"),
            _numbers(fields, "numbers"),
            bytes_in(fields, "salts"),
            bytes_in(fields, "closed"),
        )

    def in_leaves(self, plan: DeckPlan) -> dict[int, tuple[int, ...]]:
        """Return the numbers of each opened leaf; raises ValueError where they do not fit."""
        if any(leaf >= len(plan.leaves) for leaf in self.leaves):
            raise ValueError("leaves: the deck has not so many")
        if sorted(set(self.leaves)) != list(self.leaves):
            raise ValueError("leaves: they do not ascend")
        ends = _starts(tuple([plan.leaves[leaf] for leaf in self.leaves]))
        if ends[-1] != len(self.numbers) or not all(one < plan.cards for one in self.numbers):
            raise ValueError("numbers: they do not fit the leaves and the deck")
        return {
            leaf: self.numbers[ends[index] : ends[index + 1]]
            for index, leaf in enumerate(self.leaves)
        }

    def root(self, name: DeckName, plan: DeckPlan) -> bytes:
        """Return the root of the deck that this is an opening of; raises ValueError."""
        opened, context = self.in_leaves(plan), name.context
        if len(self.salts) != _SALT * len(opened):
            raise ValueError("salts: there must be 16 bytes for each leaf")
        if len(self.closed) != BYTES * (len(plan.leaves) - len(opened)):
            raise ValueError("closed: there must be a hash for each other leaf")
        hashes, start = b"", 0
        for number, (leaf, cards) in enumerate(opened.items()):
            before = BYTES * (leaf - number)
            salt = self.salts[_SALT * number : _SALT * (number + 1)]
            numbers = pack(f">{len(cards)}H", *cards)
            hashes += self.closed[start:before] + _leaf(context, leaf, numbers, salt)
            start = before
        return _root(hashes + self.closed[start:])


class CommittedDeck:
    """The leaves of one deck, which follow from its secret."""

    def __init__(self, secret: bytes, name: DeckName, plan: DeckPlan) -> None:
        starts = self._starts = _starts(plan.leaves)
        self._dealt = shuffled(secret, b"order", plan.cards, starts[-1])
        pairs, salted = _SHORTS[: (len(plan.leaves) + 1) // 2], b"salt" + secret
        salts = b"".join([sha256(salted + pair).digest() for pair in pairs])
        self._salts = _pieces(salts, _SALT)
        numbers, context = pack(f">{starts[-1]}H", *self._dealt), name.context
        self._hashes = [
            _leaf(context, leaf, numbers[2 * starts[leaf] : 2 * starts[leaf + 1]], salt)
            for leaf, salt in enumerate(self._salts[: len(plan.leaves)])
        ]
        self.root = _root(b"".join(self._hashes))

    def opening(self, leaves: Collection[int]) -> OpenedLeaves:
        """Open some leaves, and no other."""
        opened, starts, dealt = sorted(leaves), self._starts, self._dealt
        return OpenedLeaves(
            tuple(opened),
            tuple([one for leaf in opened for one in dealt[starts[leaf] : starts[leaf + 1]]]),
            b"".join([self._salts[leaf] for leaf in opened]),
            b"".join([one for leaf, one in enumerate(self._hashes) if leaf not in leaves]),
        )


class DealKey:
    """What the entropy of a block says of one of its hands; public."""

    def __init__(self, entropy: bytes, hand: int) -> None:
        self.key = _block(entropy, b"hand", hand)
        self.played: Side = _SIDES[self.key[0] & 1]
        self.audited: Side = _SIDES[~self.key[0] & 1]

    def values(self, cards: int) -> list[int]:
        """Return as which card each number of the played deck counts."""
        return shuffled(self.key, b"values", cards)

    def seed(self, secret: bytes) -> str:
        """Return the seed of a game that has no deck, from the played side's secret."""
        return digest(secret, _TAG + b"seed" + self.key, "sha256").hex()


def deck_order_of(secret: bytes, plan: DeckPlan) -> list[int]:
    """Return the numbers of a deck in the order in which it was committed."""
    return shuffled(secret, b"order", plan.cards)


def deck_secret(block_secret: bytes, hand: int, side: Side) -> bytes:
    return _block(block_secret, side.encode(), hand)


def deck_root(secret: bytes, name: DeckName, plan: DeckPlan) -> bytes:
    """Return the root of a deck that is opened by leaves, or as a whole by its secret."""
    if plan.leaves:
        return CommittedDeck(secret, name, plan).root
    return sha256(b"whole" + name.context + secret).digest()


def hand_root(roots: Mapping[Side, bytes]) -> bytes:
    """Return what a table commits to for one hand."""
    return sha256(b"hand" + roots["A"] + roots["B"]).digest()


def committed_hand(block_secret: bytes, block: str, hand: int, plan: DeckPlan) -> bytes:
    """Return the root of a hand, from the block's secret."""
    return hand_root(
        {
            side: deck_root(
                deck_secret(block_secret, hand, side), DeckName(block, hand, side), plan
            )
            for side in _SIDES
        }
    )


def block_root(commitment: Mapping[str, Any]) -> bytes:
    """Return the hash of a commitment, as it is on the wire, without its signature.

    Raises ValueError if it has no canonical form.
    """
    plain = {name: value for name, value in commitment.items() if name != "signature"}
    return sha256(canonical_json(plain)).digest()


def commitment_to(entropy: bytes) -> str:
    """Return what a contributor gives before the table commits to anything."""
    return encoded(sha256(entropy).digest())


def block_entropy(root: bytes, contributions: Iterable[bytes]) -> bytes:
    """Return E: contributions have 32 bytes each, and come in the order of the commitment."""
    return sha256(_TAG + b"entropy/" + root + b"".join(contributions)).digest()


def shuffled(key: bytes, use: bytes, count: int, first: int | None = None) -> list[int]:
    """Return the numbers below `count` in an order that follows from a key and its use.

    With `first`, only so many of them: a place does not change after its turn.
    It is forward Fisher-Yates: for `place` = 0, 1, 2, … `n = count - place` numbers are candidates.
    Draws of one byte (of four, big-endian, where `count` is above 256) are skipped while they are
    `>= m - m % n`, where `m` is how many values a draw has; the first other draw `d` swaps the
    numbers at `place` and `place + d % n`. The last number needs no draw. The bytes are the blocks
    0, 1, 2, … of `HMAC-SHA256(key, PROTOCOL + "/" + use + number of the block as 8 bytes)`.
    """
    if count > _BYTE_VALUES:
        return _shuffled_by_words(key, use, count)[:first]
    order = list(range(count))
    stream, blocks = iter(_block(key, use, 0)), 1
    for place, choices in enumerate(_choices(count)[:first]):
        while True:
            for byte in stream:
                if (chosen := choices[byte]) is not None:
                    break
            else:
                stream = iter(_block(key, use, blocks))
                blocks += 1
                continue
            break
        order[place], order[chosen] = order[chosen], order[place]
    return order[:first]


_BYTE_VALUES, _WORD = 256, 4
_WORD_VALUES: Final = 2 ** (8 * _WORD)


@lru_cache(maxsize=8)
def _choices(count: int) -> tuple[tuple[int | None, ...], ...]:
    """Return for each place and byte the place to swap with; None where it is skipped."""
    return tuple(
        tuple(
            place + byte % (count - place)
            if byte < _BYTE_VALUES - _BYTE_VALUES % (count - place)
            else None
            for byte in range(_BYTE_VALUES)
        )
        for place in range(count - 1)
    )


def _shuffled_by_words(key: bytes, use: bytes, count: int) -> list[int]:
    order, blocks = list(range(count)), 0
    words: Iterator[int] = iter(())
    for place in range(count - 1):
        candidates = count - place
        fair = _WORD_VALUES - _WORD_VALUES % candidates
        while (word := next(words, _WORD_VALUES)) >= fair:
            if word == _WORD_VALUES:
                block, blocks = _block(key, use, blocks), blocks + 1
                words = iter([int.from_bytes(piece, "big") for piece in _pieces(block, _WORD)])
        other = place + word % candidates
        order[place], order[other] = order[other], order[place]
    return order


def bytes_in(fields: Mapping[str, Any], name: str, size: int | None = None) -> bytes:
    """Return the bytes of a field in base64url; raises ValueError, naming the field."""
    value = fields.get(name)
    if not isinstance(value, str):
        raise ValueError(f"{name}: it is no text")  # noqa: TRY004  as for other bad values
    try:
        content = decoded(value)
    except ValueError as error:
        raise ValueError(f"{name}: it {error}") from error
    if size is not None and len(content) != size:
        raise ValueError(f"{name}: it must have {size} bytes, not {len(content)}")
    return content


def _numbers(fields: Mapping[str, Any], name: str) -> tuple[int, ...]:
    values = fields.get(name)
    if not isinstance(values, list | tuple) or not all(
        type(value) is int and 0 <= value < MOST_CARDS for value in values
    ):
        raise ValueError(f"{name}: it must be a list of whole numbers below {MOST_CARDS}")
    return tuple(values)


def _block(key: bytes, use: bytes, number: int) -> bytes:
    return digest(key, _TAG + use + number.to_bytes(8, "big"), "sha256")


@lru_cache(maxsize=64)
def _starts(leaves: tuple[int, ...]) -> tuple[int, ...]:
    """Return which of the dealt numbers is the first of each leaf, and how many there are."""
    return tuple(accumulate(leaves, initial=0))


@lru_cache(maxsize=256)
def _hash_of_block(name: str) -> bytes:
    return sha256(_TAG + b"block/" + name.encode()).digest()[:16]


def _leaf(context: bytes, leaf: int, numbers: bytes, salt: bytes) -> bytes:
    return sha256(b"leaf" + context + _SHORTS[leaf] + numbers + salt).digest()


def _root(hashes: bytes) -> bytes:
    return sha256(b"deck" + hashes).digest()


def _pieces(content: bytes, size: int) -> list[bytes]:
    return [content[start : start + size] for start in range(0, len(content), size)]
