"""The changes of a table, one class for each kind of journal record. Pure.

A change is applied in the same way in live play and in recovery. A command first decides on its
change, then commits it and applies it, so a failed commit needs no undo. A change of play cannot
be refused: it is applied, which returns its drafts, and then committed with them.

`TableService.resume` (`service.py`) calls `recover` after a restart; `DecisionsMade` takes what
`Turn.decide` (`casino_play/turn.py`) made of an answer, or of none.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final

from casino_contracts import (
    ButtonRule,
    ConfigureTableInput,
    Contribution,
    DealCommitment,
    DealContributed,
    Defaulted,
    MissingContribution,
    SeatPlayerInput,
    Usage,
    WireModel,
)
from casino_games import GameError
from casino_play.turn import Decision
from typing_extensions import override

from casino_table.domain.admission import seat_for
from casino_table.domain.seat import Seat
from casino_table.domain.table import Table
from casino_table.journal.journal import EventDraft
from casino_table.journal.journal_log import BOUND, JournalRecord
from casino_table.play.deal_block import BlockHand, BlockHistory
from casino_table.play.game_presenter import status
from casino_table.play.running_hand import RunningHand, count_decision

_DECIDED, _WINDOW = "decided", "window"
_COMMITTED: Final = "deal_committed"
_CONTRIBUTED: Final = "deal_contributed"


@dataclass
class JournaledTable:
    """What the journal recovers: a table, its configuration and the running hand."""

    configuration: ConfigureTableInput
    table: Table
    hand: RunningHand | None = None
    fault: GameError | None = None
    """Why the running hand cannot be replayed: its game was changed or removed."""
    deal: BlockHistory = field(default_factory=BlockHistory)

    def record(self, kind: str) -> JournalRecord:
        """Return a record of the full state between hands, at which recovery can start."""
        content = {"by": self.configuration.model_dump(mode="json")}
        if self.deal.number:
            content["deal"] = self.deal.journaled
        return JournalRecord(kind, content, self.table.to_json())

    def copy(self) -> "JournaledTable":
        """Return an independent copy between hands, to decide on a change of many fields."""
        table = Table.from_json(self.table.to_json())
        return JournaledTable(self.configuration, table, deal=self.deal)

    @classmethod
    def of(cls, record: JournalRecord) -> "JournaledTable":
        assert record.table is not None  # noqa: S101  `Log.tail` starts at such a record
        assert record.content is not None  # noqa: S101
        configuration = ConfigureTableInput.model_validate(record.content["by"])
        deal = BlockHistory.of_json(record.content.get("deal") or {})
        return cls(configuration, Table.from_json(record.table), deal=deal)


class Change(ABC):
    """One change of a table; `_READERS` says how its record is read."""

    @abstractmethod
    def record(self) -> JournalRecord: ...

    @abstractmethod
    def apply(self, state: JournaledTable) -> list[EventDraft]: ...


@dataclass(frozen=True)
class PlayerSeated(Change):
    """A player takes a seat."""

    player: SeatPlayerInput

    @override
    def record(self) -> JournalRecord:
        return JournalRecord("seated", {"player": self.player.model_dump(mode="json")})

    @override
    def apply(self, state: JournaledTable) -> list[EventDraft]:
        seat, is_new = seat_for(state.table, self.player)
        if is_new:
            state.table.take_seat(seat)
        return []


@dataclass(frozen=True)
class PlayerLeaving(Change):
    """A player leaves after the running hand."""

    player_id: str

    @override
    def record(self) -> JournalRecord:
        return JournalRecord("leaving", {"player_id": self.player_id})

    @override
    def apply(self, state: JournaledTable) -> list[EventDraft]:
        state.table.seat_of(self.player_id).is_leaving = True
        return []


@dataclass(frozen=True)
class ConfigurationBound(Change):
    """The lobby sends the same configuration with another callback."""

    configuration: ConfigureTableInput

    @override
    def record(self) -> JournalRecord:
        return JournalRecord(BOUND, {"by": self.configuration.model_dump(mode="json")})

    @override
    def apply(self, state: JournaledTable) -> list[EventDraft]:
        state.configuration = self.configuration
        return []


@dataclass(frozen=True)
class TableClosing(Change):
    """The table closes after the running hand."""

    @override
    def record(self) -> JournalRecord:
        return JournalRecord("closing")

    @override
    def apply(self, state: JournaledTable) -> list[EventDraft]:
        state.table.begin_closing()
        return []


@dataclass(frozen=True)
class BlockCommitted(Change):
    """The table commits to the decks of a block; the record has the secret of which they follow."""

    deal: BlockHistory

    @override
    def record(self) -> JournalRecord:
        return JournalRecord(_COMMITTED, self.deal.journaled)

    @override
    def apply(self, state: JournaledTable) -> list[EventDraft]:
        block = self.deal.block
        assert block is not None  # noqa: S101  it is committed to
        state.deal = self.deal
        message = f"the table commits to its decks of {block.hands} hands"
        told = DealCommitment.model_validate(block.commitment)
        return [_told(status(state.table, _COMMITTED, message), commitment=told)]


@dataclass(frozen=True)
class BlockContributed(Change):
    """Contributors decide how the decks of a block are dealt; or one of them is missing."""

    contributed: DealContributed

    @override
    def record(self) -> JournalRecord:
        return JournalRecord(_CONTRIBUTED, self.contributed.model_dump(mode="json"))

    @override
    def apply(self, state: JournaledTable) -> list[EventDraft]:
        contributed, table = self.contributed, state.table
        state.deal = state.deal.contributed(contributed)
        names: dict[str | None, str] = {None: "the lobby"}
        names |= {seat.player_id: seat.display_name for seat in table.seats.values()}

        def named(parts: Iterable[Contribution | MissingContribution]) -> str:
            return ", ".join([names.get(part.player_id) or f"{part.player_id}" for part in parts])

        message = f"contributed to the deal: {named(contributed.contributions) or 'nobody'}"
        if contributed.missing:
            message = f"did not contribute to the deal: {named(contributed.missing)}"
        return [_told(status(table, _CONTRIBUTED, message), contributed=contributed)]


def _told(draft: EventDraft, **fields: WireModel) -> EventDraft:
    return draft._replace(payload=draft.payload.model_copy(update=fields))


@dataclass(frozen=True)
class HandDealt(Change):
    """A hand begins; its positions follow from the rule of the button.

    Its cards follow from the seed, without one from the table's block of hands.
    """

    seed: str | None = field(repr=False)
    rule: ButtonRule

    @override
    def record(self) -> JournalRecord:
        by_block = {"button": self.rule}
        return JournalRecord("hand", {"seed": self.seed} | by_block if self.seed else by_block)

    @override
    def apply(self, state: JournaledTable) -> list[EventDraft]:
        deal, block = state.table.next_deal(self.rule), state.deal.block
        state.table.note_hand(deal.number)
        if self.seed is None:
            assert block is not None  # noqa: S101  a block has its contributions before a hand
            state.hand = RunningHand(state.table, deal, BlockHand(block, deal.number))
        else:
            state.hand = RunningHand(state.table, deal, self.seed)
        return state.hand.started()


@dataclass(frozen=True)
class DecisionsMade(Change):
    """Players decide: one, or all players of a simultaneous decision in the game's order."""

    decisions: Sequence[Decision]

    @override
    def record(self) -> JournalRecord:
        contents = [_content(decision) for decision in self.decisions]
        if len(contents) == 1:
            return JournalRecord(_DECIDED, contents[0])
        return JournalRecord(_WINDOW, {"decisions": contents})

    @override
    def apply(self, state: JournaledTable) -> list[EventDraft]:
        """Apply the decisions to the hand and count the missed ones.

        Only a lobby with a room key gets the reasons of faults, because it keeps them private.
        """
        hand = state.hand
        assert hand is not None  # noqa: S101  a hand is dealt before it is decided
        drafts: list[EventDraft] = []
        is_for_us = state.configuration.casino_callback.secret is not None
        for decision in self.decisions:
            seat = hand.next_seat
            # A lobby that knows only the protocol document may publish all that it gets.
            drafts += hand.act(decision if is_for_us else decision._replace(reason=None))
            if count_decision(state.table, seat, decision):
                drafts.append(_sat_out(state.table, seat, decision))
        return drafts


def _content(decision: Decision) -> dict[str, Any]:
    content: dict[str, Any] = {"action": decision.action, "outcome": decision.outcome}
    if decision.latency:
        content["latency_ms"] = decision.latency_ms
    if decision.message:
        content["message"] = decision.message
    if decision.reasoning:
        content["reasoning"] = decision.reasoning
    if decision.reason:
        content["reason"] = decision.reason
    if decision.refused:
        content["refused"] = decision.refused
    if decision.defaulted:
        content["defaulted"] = decision.defaulted.model_dump(mode="json")
    if decision.usage:
        content["usage"] = decision.usage.model_dump(mode="json")
    return content


def decisions_in(records: Iterable[JournalRecord]) -> list[dict[str, Any]]:
    """Return the decisions of records in order: `action`, `outcome`, texts such as `message`."""
    contents: list[dict[str, Any]] = []
    for record in records:
        content = record.content or {}
        if record.kind == _DECIDED:
            contents.append(content)
        elif record.kind == _WINDOW:
            contents += content["decisions"]
    return contents


def _decision(content: Mapping[str, Any]) -> Decision:
    latency = timedelta(milliseconds=content.get("latency_ms") or 0)
    return Decision(
        content["action"],
        content["outcome"],
        latency,
        content.get("message"),
        content.get("reasoning"),
        content.get("reason"),
        content.get("refused"),
        Defaulted.model_validate(content["defaulted"]) if "defaulted" in content else None,
        Usage.model_validate(content["usage"]) if "usage" in content else None,
    )


def _sat_out(table: Table, seat: Seat, decision: Decision) -> EventDraft:
    why = ": nobody is there" if seat.is_away else f" after {seat.failures} failures in a row"
    message = f"{seat.display_name} sits out{why}"
    return status(table, "sat_out", message, seat, reason=decision.outcome)


_READERS: dict[str, Callable[[dict[str, Any]], Change]] = {
    "seated": lambda content: PlayerSeated(SeatPlayerInput.model_validate(content["player"])),
    "leaving": lambda content: PlayerLeaving(content["player_id"]),
    BOUND: lambda content: ConfigurationBound(ConfigureTableInput.model_validate(content["by"])),
    "closing": lambda _content: TableClosing(),
    # Hands of release 0.1.0 have no rule: the button moved.
    "hand": lambda content: HandDealt(content.get("seed"), content.get("button", "moving")),
    _COMMITTED: lambda content: BlockCommitted(BlockHistory.of_json(content)),
    _CONTRIBUTED: lambda content: BlockContributed(DealContributed.model_validate(content)),
    _DECIDED: lambda content: DecisionsMade([_decision(content)]),
    _WINDOW: lambda content: DecisionsMade([_decision(item) for item in content["decisions"]]),
}
"""How the content of each kind of record is read; other kinds only publish events."""


def change_of(record: JournalRecord) -> Change | None:
    read = _READERS.get(record.kind)
    return read(record.content or {}) if read else None


def recover(records: Sequence[JournalRecord]) -> JournaledTable:
    """Return the state after the last record; the first one must hold the full state.

    A hand that its game cannot replay ends in `fault`; all other changes are applied.
    """
    first, *later = records
    state = JournaledTable.of(first)
    for record in later:
        change = change_of(record)
        is_play = isinstance(change, HandDealt | DecisionsMade)
        if change is None or (is_play and state.fault is not None):
            continue
        try:
            change.apply(state)
        except GameError as fault:
            if not is_play:
                raise
            state.fault = fault
    return state
