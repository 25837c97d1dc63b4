"""A block of hands whose cards nobody chooses, as its table knows it. Pure.

The block's secret makes all decks, so it is in the journal only; the deck that is played is opened
by leaves, or as a whole where its game hides nothing. `docs/fair-deal.md` has every byte.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any, Final

from casino_agentkit.canonical_json import decoded, encoded
from casino_agentkit.fair_deal import (
    PROTOCOL,
    CommittedDeck,
    DealKey,
    DeckName,
    DeckPlan,
    Side,
    block_entropy,
    block_root,
    committed_hand,
    deck_order_of,
    deck_root,
    deck_secret,
)
from casino_contracts import (
    CardProof,
    Contribution,
    DealCommitment,
    DealContributed,
    DealOpening,
    EntropyCommitment,
    SigningKey,
)
from pydantic import TypeAdapter

_NO_DECK: Final = DeckPlan(0, ())
Contributor = str | None
"""A player's id; None: the lobby."""


@dataclass(frozen=True)
class CommittedBlock:
    """What a table knows of a block: with the entropy, the cards of its hands."""

    name: str
    game_type: str
    first_hand: int
    hands: int
    cards: int
    leaves: tuple[int, ...]
    seats: tuple[str, ...]
    """The players at the table when it began."""
    secret: str = field(repr=False)
    commitments: tuple[EntropyCommitment, ...] = ()
    commitment: dict[str, Any] | None = None
    """As published; None after the contributions, when nobody asks for it any more."""
    entropy: str | None = None
    """What the contributions make of it; None: they are not known yet."""

    @property
    def plan(self) -> DeckPlan:
        return DeckPlan(self.cards, self.leaves)

    @property
    def contributors(self) -> tuple[Contributor, ...]:
        return tuple(one.player_id for one in self.commitments)

    def root_of(self, number: int) -> bytes:
        """Return what the table commits to for one hand; it takes a seventh of a millisecond."""
        return committed_hand(decoded(self.secret), self.name, number, self.plan)

    def committed(self, roots: Iterable[bytes], key: SigningKey | None) -> DealCommitment:
        """Return the commitment to the roots of all hands, without its signature."""
        return DealCommitment(
            protocol=PROTOCOL,
            block=self.name,
            game_type=self.game_type,
            first_hand=self.first_hand,
            cards=self.cards,
            leaves=self.leaves,
            seats=self.seats,
            commitments=self.commitments,
            roots=encoded(b"".join(roots)),
            key=key,
        )

    def contributed(self, contributions: Sequence[Contribution]) -> "CommittedBlock":
        """Return the block of which hands can be dealt, with the entropy of all contributors."""
        root = block_root(self.commitment or {})
        entropy = block_entropy(root, [decoded(one.entropy) for one in contributions])
        return replace(self, commitment=None, entropy=encoded(entropy))

    def fits(self, hand: int, plan: DeckPlan, players: Iterable[str]) -> bool:
        """Return whether a hand can be of this block, as far as the table knows before its deal."""
        return (
            self.first_hand <= hand < self.first_hand + self.hands
            and self.cards == plan.cards
            and len(self.leaves) >= len(plan.leaves)
            and set(players) <= set(self.seats)
        )


@dataclass(frozen=True)
class BlockHistory:
    """What a table remembers of the blocks of its epoch; it is part of its journaled state."""

    number: int = 0
    """That of the newest block, also of one to which somebody did not contribute."""
    block: CommittedBlock | None = None
    left_out: tuple[Contributor, ...] = ()
    """Who did not contribute, and is not asked any more in this session."""

    def committed(self, block: CommittedBlock) -> "BlockHistory":
        return BlockHistory(self.number + 1, block, self.left_out)

    def contributed(self, outcome: DealContributed) -> "BlockHistory":
        """Return the history after the contributions; without one of them the block is lost."""
        if outcome.missing:
            missing = tuple(one.player_id for one in outcome.missing)
            return replace(self, block=None, left_out=self.left_out + missing)
        assert self.block is not None  # noqa: S101  it was committed to
        return replace(self, block=self.block.contributed(outcome.contributions))

    @cached_property
    def journaled(self) -> dict[str, Any]:
        """The history as JSON, which each hand's record repeats."""
        data: dict[str, Any] = _adapter().dump_python(self, mode="json")
        return data

    @classmethod
    def of_json(cls, data: Mapping[str, Any]) -> "BlockHistory":
        return _adapter().validate_python(data)


class BlockHand:
    """One hand of a block: its cards, and what is opened of its decks."""

    def __init__(self, block: CommittedBlock, number: int) -> None:
        secret = decoded(block.secret)
        self.contributors = block.contributors
        self._block, self._plan, self._number = block.name, block.plan, number
        self._key = key = DealKey(decoded(block.entropy or ""), number)
        self._secret = deck_secret(secret, number, key.played)
        self._audit = deck_secret(secret, number, key.audited)

    @property
    def has_deck(self) -> bool:
        """Whether cards are dealt; else the game makes them of the seed."""
        return self._plan != _NO_DECK

    @property
    def leaves(self) -> int:
        """How many leaves its decks have."""
        return len(self._plan.leaves)

    @property
    def seed(self) -> str:
        return self._key.seed(self._secret)

    def dealt(self) -> tuple[list[list[int]], list[int]]:
        """Return the cards of each leaf, and all others in their order."""
        values = self._key.values(self._plan.cards)
        cards = [values[number] for number in deck_order_of(self._secret, self._plan)]
        leaves, start = [], 0
        for size in self._plan.leaves:
            leaves.append(cards[start : start + size])
            start += size
        return leaves, cards[start:]

    def opening(self, leaves: Collection[int]) -> DealOpening:
        """Return what is published when the hand is over: the other deck, and these leaves."""
        audit = encoded(self._audit)
        if not self.leaves and self.has_deck:
            return DealOpening(block=self._block, audit=audit, secret=encoded(self._secret))
        if not leaves:
            root = self._deck.root if self.leaves else self._root(self._key.played)
            return DealOpening(block=self._block, audit=audit, root=encoded(root))
        opened = self._deck.opening(leaves)
        return DealOpening(block=self._block, audit=audit, **opened.to_json())

    def proof(self, leaf: int) -> CardProof:
        """Return that the table committed to the cards of a leaf."""
        return CardProof.model_construct(
            block=self._block, **self._deck.opening((leaf,)).to_json(), other=self._other
        )

    @cached_property
    def _deck(self) -> CommittedDeck:
        name = DeckName(self._block, self._number, self._key.played)
        return CommittedDeck(self._secret, name, self._plan)

    @cached_property
    def _other(self) -> str:
        return encoded(self._root(self._key.audited))

    def _root(self, side: Side) -> bytes:
        secret = self._secret if side == self._key.played else self._audit
        return deck_root(secret, DeckName(self._block, self._number, side), self._plan)


@cache
def _adapter() -> TypeAdapter[BlockHistory]:
    return TypeAdapter(BlockHistory)
