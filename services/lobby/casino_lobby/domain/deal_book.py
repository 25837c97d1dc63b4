"""The lobby's part in the deals of a room, and who else has one; `docs/fair-deal.md`. Pure.

What the lobby adds to a block follows from the room's secret and the block's name: nothing is
stored, and every lobby that knows the room gives the same.
"""

from dataclasses import dataclass, replace
from hmac import digest
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from casino_agentkit import CommandRefused
from casino_agentkit.canonical_json import encoded
from casino_agentkit.fair_deal import BYTES, block_root, bytes_in, commitment_to
from casino_contracts import (
    ContributeInput,
    ContributeOutput,
    DealCommitment,
    DealContributed,
    EntropyCommitment,
    FairMark,
    MissingContribution,
    Reason,
)
from casino_contracts.deal_messages import MOST_HANDS_OF_BLOCK
from casino_contracts.events.content import StatusChanged

from casino_lobby.domain.reported_event import ReportedEvent, content_of_event

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from casino_lobby.domain.room import Room

_LOBBY: Final = "lobby"
_MOST_MISSING: Final = 32
_DIGITS: Final = 15  # of a safe integer
_Half = Literal["committed", "contributed"]
_KINDS: Final = ("deal_committed", "deal_contributed")


class DealHalf(NamedTuple):
    """One of the two events that hands of a block are checked with."""

    block: str
    half: _Half
    epoch: int
    last_hand: int
    """Number of the block's last hand."""
    content: dict[str, Any]


@dataclass
class DealBook:
    """The newest block of a room; of each block its first commitment counts."""

    epoch: int = 0
    number: int = 0
    """The highest number of a block of this epoch; 0: none is committed."""
    block: str = ""
    root: str = ""
    last_hand: int = 0
    commitments: tuple[EntropyCommitment, ...] = ()
    is_contributed: bool = False
    mark: FairMark | None = None
    """Who had a part in the newest block that can be dealt."""
    missing: tuple[MissingContribution, ...] = ()
    """Who has not contributed in this session, the newest last."""
    key: str | None = None
    """Thumbprint of the key that signed the table's card; None: it is unsigned."""

    def take(self, room: "Room", content: StatusChanged) -> DealHalf | None:
        """Take what an event says, and return it; None if it counts for nothing.

        Raises ValueError if it cannot be read.
        """
        if content.kind == "deal_committed":
            return self._commit(room, dict(content.commitment or {}))
        return self._contribute(room, dict(content.contributed or {}))

    def _commit(self, room: "Room", said: dict[str, Any]) -> DealHalf | None:
        commitment = DealCommitment.model_validate(said)
        number = _number(room, commitment.block)
        if number is None:
            raise ValueError("block: its name is not that of the table, its epoch and a number")
        hands, rest = divmod(len(bytes_in(said, "roots")), BYTES)
        if not 0 < hands <= MOST_HANDS_OF_BLOCK or rest:
            raise ValueError(
                f"roots: {BYTES} bytes a hand, and at most {MOST_HANDS_OF_BLOCK} hands"
            )
        if commitment.first_hand > room.last_hand + MOST_HANDS_OF_BLOCK:
            raise ValueError("firstHand: too far ahead, its block would be kept for ever")
        if self.epoch == room.epoch and number <= self.number:
            return None
        if self.epoch != room.epoch:
            self.mark = None
        self.epoch, self.number, self.block = room.epoch, number, commitment.block
        self.root, self.is_contributed = encoded(block_root(said)), False
        self.last_hand = commitment.first_hand + hands - 1
        self.commitments = commitment.commitments
        return DealHalf(self.block, "committed", self.epoch, self.last_hand, said)

    def _contribute(self, room: "Room", said: dict[str, Any]) -> DealHalf | None:
        contributed = DealContributed.model_validate(said)
        if self.is_contributed or (self.epoch, self.block) != (room.epoch, contributed.block):
            return None
        self.is_contributed = True
        if contributed.missing:
            names = {missing.player_id for missing in contributed.missing}
            others = [old for old in self.missing if old.player_id not in names]
            self.missing = (*others, *contributed.missing)[-_MOST_MISSING:]
        elif _is_complete(self.commitments, contributed):
            who = tuple(
                one.player_id or _LOBBY
                for one in self.commitments
                if one.player_id is not None or one.commitment == _own(room, self.block)
            )
            self.mark = FairMark(block=self.block, contributors=who) if who else None
        return DealHalf(self.block, "contributed", self.epoch, self.last_hand, said)

    def begin_session(self) -> None:
        self.missing = ()


def halves_of(room: "Room", events: "Iterable[ReportedEvent]") -> "Iterator[DealHalf]":
    """Yield what a room's next events say of its deals; they are not folded into it."""
    book = None
    for event in events:
        kind = (event.payload or {}).get("kind") if event.event_type == "table_status" else None
        if kind not in _KINDS:
            continue
        book = book or replace(room.deals)
        content = content_of_event(event)
        try:
            half = book.take(room, content) if isinstance(content, StatusChanged) else None
        except ValueError:  # the fold of the event logs it
            continue
        if half is not None:
            yield half


def fair_mark(room: "Room") -> FairMark | None:
    """Return who has a part in the deal of a room's epoch; None: its table deals by itself."""
    book = room.deals
    if book.mark is None or book.epoch != room.epoch:
        return None
    return book.mark.model_copy(update={"missing": book.missing or None, "key": book.key})


def contribution_of(room: "Room", request: ContributeInput) -> ContributeOutput:
    """Answer a room's table, which asks for a commitment, then for the entropy, and then tells it.

    The entropy is for the first commitment of a block only, as it is recorded.
    Raises CommandRefused: DEAL_REFUSED.
    """
    if request.contributed is not None:
        return ContributeOutput()
    number, book = _number(room, request.block), room.deals
    if number is None:
        raise _refusal(f"block: a block of this table is named {room.table_id}/{room.epoch}/1, …")
    newest = book.number if book.epoch == room.epoch else 0
    entropy = _entropy(room, request.block)
    if request.commitment is None:
        if number <= newest:
            raise _refusal(f"block: number {newest} is committed already, ask for a higher one")
        return ContributeOutput(commitment=commitment_to(entropy))
    if number != newest:
        raise _refusal("block: the newest `deal_committed` that is recorded is not of this block")
    try:
        root = encoded(block_root(request.commitment))
    except ValueError as error:
        raise _refusal(f"commitment: it {error}") from error
    if root != book.root:
        raise _refusal("commitment: another one to this block was recorded first")
    if EntropyCommitment(commitment=commitment_to(entropy)) not in book.commitments:
        raise _refusal("commitment.commitments: the lobby's own is missing")
    return ContributeOutput(entropy=encoded(entropy))


def _refusal(message: str) -> CommandRefused:
    return CommandRefused(Reason.DEAL_REFUSED, f"{message}.")


def _entropy(room: "Room", block: str) -> bytes:
    return digest(room.secret.encode(), f"contribute/{block}".encode(), "sha256")


def _own(room: "Room", block: str) -> str:
    return commitment_to(_entropy(room, block))


def epoch_of(block: str) -> int | None:
    """Return the epoch in a block's name, whatever its table; None if the name has none."""
    epoch = block.rsplit("/", 2)[-2:][0]
    return int(epoch) if epoch.isascii() and epoch.isdecimal() and len(epoch) <= _DIGITS else None


def _number(room: "Room", block: str) -> int | None:
    """Return the number in a block's name; None if it is not of the room's table and epoch."""
    number = block.removeprefix(f"{room.table_id}/{room.epoch}/")
    is_number = number != block and number.isascii() and number.isdecimal() and number[0] != "0"
    return int(number) if is_number and len(number) <= _DIGITS else None


def _is_complete(commitments: tuple[EntropyCommitment, ...], contributed: DealContributed) -> bool:
    """Return whether each contributor has added that to which it was committed, and nobody else."""
    given = [
        EntropyCommitment(
            player_id=one.player_id,
            commitment=commitment_to(bytes_in({"entropy": one.entropy}, "entropy", BYTES)),
        )
        for one in contributed.contributions
    ]
    return given == list(commitments)
