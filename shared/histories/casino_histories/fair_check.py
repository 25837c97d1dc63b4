"""Check the deal of a room from its public events, as `docs/fair-deal.md` says. Pure.

Events are JSON objects in their order, as in `GET /v1/rooms/{id}/events`. The first fault ends the
check: what comes after it is not looked at.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from casino_histories.committed_blocks import CommittedBlocks, Json, LeftOutContributor, must
from casino_histories.opened_hand import DealtHand, list_in, object_in, short_cards


class UnfairHand(NamedTuple):
    """The first fault of a room's deal."""

    hand: int | None
    sentence: str

    def __str__(self) -> str:
        return self.sentence if self.hand is None else f"hand {self.hand}: {self.sentence}"


@dataclass
class FairReport:
    """What was checked, and what could not be."""

    checked: int = 0
    """Hands whose cards follow from what was committed to."""
    alone: int = 0
    """Of these: hands to which nobody contributed, so that the table could choose."""
    own: int = 0
    """Hands of a player's log whose cards are right."""
    blocks: int = 0
    contributors: Counter[str] = field(default_factory=Counter)
    """Number of hands by contributor."""
    left_out: list[LeftOutContributor] = field(default_factory=list)
    cancelled: list[int] = field(default_factory=list)
    skipped: int = 0
    """Hands whose block is deleted, so that nothing can be said of them."""
    by_table: int = 0
    """Hands that the table dealt by itself, before it committed to anything."""
    fault: UnfairHand | None = None


class FairCheck:
    """Follows the events of one room, and the own cards in lines of players' logs."""

    def __init__(self, signer: str | None = None, own: Iterable[Json] = ()) -> None:
        """`signer` is the thumbprint of the key that must have signed each block."""
        self.report = FairReport()
        self._blocks = CommittedBlocks(signer)
        self.report.left_out = self._blocks.left_out
        self._own: dict[tuple[Any, Any], list[Json]] = {}
        for line in own:
            self._own.setdefault((line.get("block"), line.get("handNumber")), []).append(line)
        self._is_cut = False
        """Whether earlier events are deleted."""
        self._place: tuple[int, int] | None = None
        self.newest: int | None = None
        """The hand that began last."""
        self._running: int | None = None
        self._deal: DealtHand | None = None
        """The running hand, if it is of a block."""
        self._board: list[str] = []

    @property
    def hand(self) -> int | None:
        """The hand that is being checked, or comes next."""
        return self._next if self._running is None else self._running

    @property
    def is_without_block(self) -> bool:
        """Whether a hand would be skipped, unless `take_block` says more."""
        return self._blocks.newest is None and (self._is_cut or self._place is None)

    @contextmanager
    def to_the_first_fault(self) -> Iterator[None]:
        """Write what `take`, `take_block` and `end` raise into the report, and leave the block."""
        try:
            yield
        except ValueError as fault:
            self.report.fault = UnfairHand(self.hand, str(fault))
        except (KeyError, TypeError, IndexError, AttributeError) as fault:
            what = f"an event cannot be read: {type(fault).__name__} {fault}"
            self.report.fault = UnfairHand(self.hand, what)

    def take(self, event: Json) -> None:
        """Apply one event; raises ValueError with what is wrong, others if it cannot be read."""
        self._follow(event)
        payload = event.get("payload")
        fields: Json = payload if isinstance(payload, Mapping) else {}
        match event.get("eventType"), fields.get("kind"):
            case "table_status", "deal_committed":
                self._commit(fields, event.get("tableId"))
            case "table_status", "deal_contributed":
                must(self._running is None, "contributions came within a hand")
                self._blocks.contribute(object_in(fields, "contributed"))
            case "table_status", "street_dealt":
                board, self._board = self._board, short_cards(fields["communityCards"])
                must(self._board[: len(board)] == board, "cards of the board changed")
            case "table_status", "hand_cancelled":
                self._cancel()
            case "hand_started", _:
                self._start(fields, event.get("tableId"))
            case "hand_completed", _:
                self._complete(fields)

    def take_block(self, proof: Json) -> None:
        """Apply commitment and contributions of a HandProof, whose events are deleted or follow.

        Raises ValueError as `take`.
        """
        self._is_cut = True
        self._blocks.begin_epoch()
        commitment = object_in(proof, "commitment")
        self._blocks.commit(commitment, is_cut=True)
        self._blocks.contribute(object_in(proof, "contributed"))
        self.report.blocks += 1

    def end(self) -> None:
        """Raise ValueError if a hand of a player's log is in no event."""
        for block, number in self._own:
            is_hidden = block in self._blocks.names
            must(not is_hidden, f"hand {number} of the log is not among the events")

    @property
    def _next(self) -> int | None:
        return None if self.newest is None else self.newest + 1

    def _follow(self, event: Json) -> None:
        epoch, sequence = event.get("epoch", 1), event.get("sequence")
        if not isinstance(sequence, int) or not isinstance(epoch, int):
            return
        before, self._place = self._place, (epoch, sequence)
        if before is None:
            self._is_cut |= self._place != (1, 1)
        elif epoch > before[0]:
            self._cancel()  # what ran at a lost table
            self._blocks.begin_epoch()
            self._is_cut = False
            must(sequence == 1, f"the events of epoch {epoch} begin with {sequence}")
        else:
            what = f"event {epoch}:{sequence} follows event {before[0]}:{before[1]}"
            must((epoch, sequence - 1) == before, what)

    def _commit(self, fields: Json, table: Any) -> None:
        must(self._running is None, "a block was committed to within a hand")
        self._blocks.commit(
            object_in(fields, "commitment"),
            table=table,
            epoch=self._place[0] if self._place else None,
            next_hand=self._next,
            is_cut=self._is_cut,
        )
        self.report.blocks += 1

    def _start(self, fields: Json, table: Any) -> None:
        number = fields.get("handNumber")
        if not isinstance(number, int):
            must(self._blocks.newest is None, "a hand began without its number")
            return
        running, last = self._running, self.newest
        self._running = self.newest = number
        self._deal, self._board = None, []
        must(running is None, "it began within another hand")
        must(last is None or number > last, "it was dealt a second time")
        blocks = self._blocks
        if (block := blocks.newest) is None:
            is_fair = bool(blocks.names) and not self._is_cut
            must(not is_fair, "it was dealt from no block, in a room that is fair")
            return
        must(last is None or number == last + 1, f"it came after hand {last}: one was left out")
        missing = ", ".join(sorted(blocks.missing))
        must(not missing, f"it was dealt from block {block.name}, where {missing} is missing")
        if blocks.entropy is None:
            raise ValueError(f"it began before the contributions to block {block.name} came")
        must(block.table == table, f"it is of another table than block {block.name}")
        must(block.first <= number < block.end, f"it is outside of block {block.name}")
        self._deal = DealtHand(block, blocks.entropy, number, fields)
        for line in self._own.pop((block.name, number), ()):
            proof, who = object_in(line, "proof"), line.get("playerId")
            self._deal.check_own(who, list_in(line, "cards"), proof)
            self.report.own += 1

    def _cancel(self) -> None:
        if self._running is not None:
            self.report.cancelled.append(self._running)
        self._running = self._deal = None

    def _complete(self, fields: Json) -> None:
        number, running, report = fields.get("handNumber"), self._running, self.report
        if running is None:  # its beginning is deleted, or has no number
            is_read = self._is_cut and isinstance(number, int)
            must(self.newest is None, f"hand {number} ended, and had not begun")
            self.newest = number if is_read else None
            report.skipped += is_read
            report.by_table += not is_read
            return
        must(number == running, f"hand {number} ended within it")
        if self._deal is not None:
            self._deal.check_end(fields, self._board)
            contributors = self._deal.block.contributors
            report.checked += 1
            report.alone += not contributors
            report.contributors.update(contributors.keys())
        elif "opening" in fields:
            must(self._is_cut, "it was dealt from a block that was never shown")
            report.skipped += 1
        else:
            report.by_table += 1
        self._running = self._deal = None


def checked(
    events: Iterable[Json], *, signer: str | None = None, own: Iterable[Json] = ()
) -> FairReport:
    """Check a room's events in their order, from wherever they begin."""
    check = FairCheck(signer, own)
    with check.to_the_first_fault():
        for event in events:
            check.take(event)
        check.end()
    return check.report


def checked_proof(proof: Json, *, own: Iterable[Json] = ()) -> FairReport:
    """Check a HandProof: one hand, with its block."""
    check = FairCheck(own=own)
    with check.to_the_first_fault():
        check.take_block(proof)
        for event in list_in(proof, "events"):
            check.take(event)
        is_right = (check.report.checked, check.newest) == (1, proof.get("handNumber"))
        must(is_right, f"the events are not those of hand {proof.get('handNumber')}")
    return check.report
