"""Check the blocks of a fair deal, each against the one before it. Pure.

`docs/fair-deal.md` says what a block is, and when a new one begins.
"""

from collections.abc import Collection, Mapping
from hashlib import sha256
from typing import Any, Final, NamedTuple, TypeVar

from casino_agentkit.canonical_json import decoded
from casino_agentkit.card_key import PublicCardKey
from casino_agentkit.fair_deal import (
    BYTES,
    MOST_CARDS,
    MOST_IN_LEAF,
    MOST_LEAVES,
    PROTOCOL,
    DeckPlan,
    block_entropy,
    block_root,
    bytes_in,
)
from casino_agentkit.violations import violations_of
from casino_contracts import HOLDEM
from casino_contracts.base import WireModel
from casino_contracts.deal_messages import DealCommitment, DealContributed, holdem_leaves
from pydantic import ValidationError

Json = Mapping[str, Any]
ModelT = TypeVar("ModelT", bound=WireModel)

LOBBY: Final = "lobby"
"""Names the contributor that has no player id."""
CARDS: Final = tuple(rank + suit for rank in "23456789TJQKA" for suit in "cdhs")
"""The names of the cards of Hold'em, by number."""
CARD_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    HOLDEM: CARDS,
    "kuhn_poker": ("J", "Q", "K"),
    "leduc_poker": ("Jh", "Js", "Qh", "Qs", "Kh", "Ks"),
}
_LEAVES: Final[Mapping[str, tuple[int, ...]]] = {
    "kuhn_poker": (1, 1),
    "leduc_poker": (1, 1, 1),
    "roulette": (),
    "blackjack": (),
    "simple_card": (),
}


class PublishedBlock(NamedTuple):
    """A block whose commitment is well-formed."""

    name: str
    epoch: int
    number: int
    root: bytes
    plan: DeckPlan
    fields: DealCommitment
    roots: bytes

    @property
    def table(self) -> str:
        return self.name.rsplit("/", 2)[0]

    @property
    def first(self) -> int:
        """The number of its first hand."""
        return self.fields.first_hand

    @property
    def end(self) -> int:
        """The number after that of its last hand."""
        return self.first + len(self.roots) // BYTES

    @property
    def contributors(self) -> dict[str, str]:
        """The commitment of each contributor, in their order."""
        return {one.player_id or LOBBY: one.commitment for one in self.fields.commitments}

    def root_of(self, hand: int) -> bytes:
        return self.roots[(hand - self.first) * BYTES :][:BYTES]


class LeftOutContributor(NamedTuple):
    """A contributor without a part in a block."""

    block: str
    who: str
    reason: str
    """`silent`, `wrong`, or `not in it`: it had a part in the block before, and is at the table."""


class CommittedBlocks:
    """The blocks of a room, in the order of its events.

    `signer` is the thumbprint of the key that must have signed each of them.
    """

    def __init__(self, signer: str | None = None) -> None:
        self.newest: PublishedBlock | None = None
        """Of this epoch."""
        self.entropy: bytes | None = None
        """Of the newest block, once all have contributed."""
        self.missing: Collection[str] = ()
        """Who did not contribute to the newest block."""
        self.names: set[str] = set()
        self.left_out: list[LeftOutContributor] = []
        self._signer = signer

    def begin_epoch(self) -> None:
        """Forget the blocks of a lost table."""
        self.newest, self.entropy, self.missing = None, None, ()

    def commit(
        self,
        raw: Json,
        *,
        table: Any = None,
        epoch: int | None = None,
        next_hand: int | None = None,
        is_cut: bool,
    ) -> None:
        """Take a commitment; raises ValueError with what is wrong.

        `table`, `epoch` and `next_hand` are those of the events, if known. `is_cut` says whether
        earlier events of the epoch are deleted.
        """
        block = _read(raw)
        name, before = block.name, self.newest
        must(table in {None, block.table}, f"block {name} is of another table")
        must(epoch in {None, block.epoch}, f"block {name} was committed to in epoch {epoch}")
        must(name not in self.names, f"block {name} was committed to twice")
        if before is not None:
            self._check_reason(before, block, next_hand)
        elif not is_cut:
            must(block.number == 1, f"block {name} is not the first, and no other was shown")
        is_next = next_hand in {None, block.first}
        must(is_next, f"block {name} begins with hand {block.first}, not with {next_hand}")
        self._check_signature(raw, block)
        if before is not None:
            gone = before.contributors.keys() - block.contributors.keys() - {*self.missing}
            here = {*block.fields.seats, LOBBY}
            self.left_out += [
                LeftOutContributor(name, who, "not in it") for who in sorted(gone & here)
            ]
        self.newest, self.entropy, self.missing = block, None, ()
        self.names.add(name)

    def contribute(self, raw: Json) -> None:
        """Take the contributions to the newest block; raises ValueError with what is wrong."""
        fields = _validated(DealContributed, raw, "contributed")
        block, name = self.newest, fields.block
        if block is None or block.name != name:
            raise ValueError(f"contributions to block {name} came without its commitment")
        is_first = self.entropy is None and not self.missing
        must(is_first, f"contributions to block {name} came twice")
        committed = block.contributors
        given = [one.player_id or LOBBY for one in fields.contributions]
        missing = {one.player_id or LOBBY: one.reason for one in fields.missing or ()}
        for who, one in zip(given, fields.contributions, strict=True):
            fits = sha256(decoded(one.entropy)).digest() == decoded(committed.get(who, ""))
            must(fits, f"what {who} contributed to block {name} is not what it committed to")
            must(who not in missing, f"{who} is named missing in block {name}, and contributed")
        for who in missing:
            must(who in committed, f"{who} is named missing in block {name}, and had no part")
        for who in committed.keys() - given - missing.keys():
            raise ValueError(f"the contribution of {who} to block {name} is left out")
        is_ordered = [who for who in committed if who in given] == given
        must(is_ordered, f"the contributions to block {name} are not in their order")
        self.missing = missing.keys()
        self.left_out += [LeftOutContributor(name, who, reason) for who, reason in missing.items()]
        if not missing:
            parts = [decoded(one.entropy) for one in fields.contributions]
            self.entropy = block_entropy(block.root, parts)

    def _check_reason(
        self, before: PublishedBlock, block: PublishedBlock, next_hand: int | None
    ) -> None:
        """Raise ValueError unless a block may begin after another one of its epoch."""
        number, name = before.number + 1, block.name
        must(block.number >= number, f"block {name} follows block {before.name}")
        must(block.number == number, f"block {name} follows {before.name}: one was not shown")
        is_used_up = next_hand is not None and next_hand >= before.end
        is_new = not {*block.fields.seats} <= {*before.fields.seats}
        is_other = before.fields.game_type != block.fields.game_type
        is_other |= before.plan.cards != block.plan.cards
        may_begin = is_used_up or is_new or is_other or bool(self.missing)
        must(may_begin, f"block {before.name} was given up for {name}, without a reason")

    def _check_signature(self, raw: Json, block: PublishedBlock) -> None:
        name, jwk = block.name, raw.get("key")
        before = self.newest.fields.key if self.newest else None
        if jwk is None:
            is_expected = any((before, self._signer, block.fields.signature))
            must(not is_expected, f"block {name} is not signed with the table's key")
            return
        try:
            key = PublicCardKey.of_jwk(jwk)
            signature = bytes_in(raw, "signature", 2 * BYTES)
        except ValueError as error:
            raise ValueError(f"block {name} is not signed: its key or {error}") from None
        must(key.has_signed(block.root, signature), f"the signature of block {name} is wrong")
        is_same = self.newest is None or before == block.fields.key
        must(is_same, f"block {name} is signed with another key than the one before")
        is_expected = self._signer in {None, key.thumbprint}
        must(is_expected, f"block {name} is signed with the key {key.thumbprint}, not the expected")


def _read(raw: Json) -> PublishedBlock:
    fields = _validated(DealCommitment, raw, "commitment")
    must(fields.protocol == PROTOCOL, f"the protocol {fields.protocol} is unknown")
    name = fields.block
    table, *numbers = name.rsplit("/", 2)
    is_name = len(numbers) == len(("epoch", "number")) and table != ""
    is_name &= all(one.isdecimal() and one[0] != "0" for one in numbers)
    must(is_name, f"{name} is no name of a block, as in main/1/3")
    plan = DeckPlan(fields.cards, fields.leaves)
    sizes = f"{plan.cards} cards, leaves of {[*plan.leaves]}"
    must(_is_deck(plan, fields), f"block {name} has decks that its game does not have: {sizes}")
    roots = bytes_in(raw, "roots")
    must(bool(roots) and not len(roots) % BYTES, f"block {name} has half a root, or none")
    who = [one.player_id for one in fields.commitments]
    in_order = [one for one in (None, *fields.seats) if one in who]
    must(in_order == who, f"the contributors of block {name} are not the lobby, then by seat")
    root = block_root(dict(raw))
    epoch, number = map(int, numbers)
    return PublishedBlock(name, epoch, number, root, plan, fields, roots)


def _is_deck(plan: DeckPlan, fields: DealCommitment) -> bool:
    """Return whether a plan is within the bounds, and that of its game where it is known."""
    cards, leaves, game = plan.cards, plan.leaves, fields.game_type
    if cards > MOST_CARDS or len(leaves) > MOST_LEAVES or sum(leaves) > cards:
        return False
    known = holdem_leaves(len(fields.seats)) if game == HOLDEM else _LEAVES.get(game, leaves)
    is_known = leaves == known and all(1 <= size <= MOST_IN_LEAF for size in leaves)
    return is_known and cards == len(CARD_NAMES.get(game, range(cards)))


def _validated(model: type[ModelT], raw: Json, name: str) -> ModelT:
    try:
        return model.model_validate(raw)
    except ValidationError as error:
        fault = violations_of(error)[0]
        raise ValueError(f"{name}.{fault.field} {fault.message}") from None


def must(is_right: bool, otherwise: str) -> None:  # noqa: FBT001  what else
    """Raise ValueError with a sentence unless something is right."""
    if not is_right:
        raise ValueError(otherwise)
