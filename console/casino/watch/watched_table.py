"""The table that `casino watch` shows, with the newest lines and the result of the hand."""

from collections.abc import Iterator, Mapping, Sequence
from copy import copy, deepcopy
from dataclasses import dataclass, field, replace
from typing import Self

from casino_contracts import (
    CostSum,
    DecisionCosts,
    DisclosedDecision,
    RoomSnapshot,
    RoomSummary,
    TableEvent,
    Waiting,
)
from casino_contracts.events.content import (
    ActionTaken,
    EventContent,
    HandCompleted,
    HandStarted,
    StatusChanged,
)
from casino_contracts.events.table_view import TableSeat, TableView

from casino.output import chips, decided, status_word
from casino.public_state import action_words, facts_of, game_words

MAX_LINES = 30
"""Number of the newest lines to keep."""


@dataclass
class WatchedTable(TableView):
    """A table that is watched; every change returns a new one, since another thread draws it."""

    outcome: str = ""
    """Result of the hand; "" while it runs."""
    left: Mapping[str, TableSeat] = field(default_factory=dict)
    """Who left, as they were: their results are still of interest."""
    costs: Mapping[str, CostSum] = field(default_factory=dict)
    """By player id, of the hands that were watched."""
    lines: tuple[str, ...] = ()
    """The newest messages of events and players."""
    news: tuple[str, ...] = ()
    """The lines of the last event."""
    waits: tuple[Waiting, ...] = ()
    """Why the room does not go on."""

    @classmethod
    def of(cls, room: RoomSnapshot, previous: Self | None = None) -> Self:
        """Return the table of a snapshot, or a `previous` one after it: no hand counts twice.

        The hands before the first snapshot are not counted: nobody watched them.
        """
        waits = (room.summary and room.summary.waits) or ()
        if previous is not None:
            table = replace(previous.copied(), waits=waits)
            table.catch_up(room)
            return table
        table = super().of(room)
        table.hands, table.waits = 0, waits
        for seat in table.seats.values():
            seat.won = seat.hands = seat.faults = 0
        return table

    @property
    def word(self) -> str:
        """What the room does."""
        return status_word(self.status, self.state, self.waits)

    @property
    def game(self) -> str:
        """Name of a game other than Hold'em, which has facts instead of blinds, board and pot."""
        return game_words(self.game_type)

    @property
    def street(self) -> str:
        """The betting round of the running hand of Hold'em, "" otherwise."""
        return self.betting_round if self.is_running and not self.game else ""

    @property
    def to_act(self) -> TableSeat | None:
        """Who is to act in the running hand of Hold'em; another game has it among its facts."""
        return None if self.game else super().to_act

    @property
    def facts(self) -> dict[str, str]:
        return facts_of(self.public, {seat.player_id: seat.name for seat in self.seats.values()})

    @property
    def everybody(self) -> list[TableSeat]:
        left = (replace(seat, name=f"{seat.name} (left)") for seat in self.left.values())
        return [*self.in_order, *left]

    def after(self, event: TableEvent) -> Self:
        table = self.copied()
        table.apply(event)
        return table

    def closed(self, room: RoomSummary) -> Self:
        return replace(self, status=room.status, state=room.state)

    def copied(self) -> Self:
        seats = {player_id: copy(seat) for player_id, seat in self.seats.items()}
        return replace(self, seats=seats, news=())

    def _fold(self, content: EventContent | None, event: TableEvent, /) -> None:
        super()._fold(content, event)
        lines = [event.message]
        match content:
            case HandStarted():
                self.outcome = ""
            case ActionTaken():
                seat = self.seats.get(content.player_id)
                if content.message:
                    name = seat.name if seat else content.player_id
                    lines.append(f"{name}: “{content.message}”")
                if seat is not None and (content.action or content.state is not None):
                    is_holdem = content.state is None
                    words = content.action or "" if is_holdem else action_words(content)
                    seat.action = words + (f" ({content.fault})" if content.fault else "")
            case HandCompleted():
                self.outcome = event.message.partition(": ")[2] or event.message
                if content.scores is not None and content.house:
                    verb = "wins" if content.house > 0 else "loses"
                    self.outcome += f", the bank {verb} {chips(abs(content.house))}"
                if content.disclosed:
                    lines += self._disclosed(content.disclosed)
            case StatusChanged(kind="hand_cancelled"):
                self.outcome, self.public = "the hand is cancelled", {}
        self.news = tuple(lines)
        self.lines = (*self.lines, *lines)[-MAX_LINES:]

    def _disclosed(self, disclosed: Sequence[DisclosedDecision]) -> Iterator[str]:
        """Add what the decisions of a hand cost, and yield what else became public of them."""
        costs = deepcopy(dict(self.costs))
        for said in disclosed:
            if said.usage is not None:
                costs.setdefault(said.player_id, CostSum()).add(said.usage)
            if said.reasoning or said.defaulted:
                seat = self.seats.get(said.player_id)
                name = seat.name if seat else said.player_id
                yield f"{name}, decision {said.decision}: {'; '.join(decided(said))}"
        self.costs = costs

    def costs_of(self, seat: TableSeat) -> DecisionCosts | None:
        """Return what the decisions of a seat cost; its results are in big blinds or in chips."""
        costs = self.costs.get(seat.player_id)
        if costs is None:
            return None
        blind = self.config.big_blind if self.config and not self.game else 1
        return costs.over(seat.hands, 100 * seat.won / blind / seat.hands if seat.hands else 0.0)

    def _leave(self, player_id: str) -> None:
        if seat := self.seats.get(player_id):
            self.left = {**self.left, player_id: seat}
        super()._leave(player_id)
