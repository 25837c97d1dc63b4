"""Audit a casino: each room's chips and hands, event by event, against what the lobby says."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Protocol

from casino_contracts import (
    EventPage,
    HandPage,
    HandSummary,
    RoomList,
    RoomSnapshot,
    StackAfter,
    Standing,
    Standings,
    TableEvent,
)
from casino_contracts.events.content import (
    ActionTaken,
    EventContent,
    HandCompleted,
    HandStarted,
    PlayerBusted,
    PlayerRegistered,
    StatusChanged,
    TableFailed,
    content_of,
)
from casino_contracts.events.payload_fields import PlayerStack, ReportedSeat

from casino.errors import Irregular

Chips = int | Decimal
"""An exact amount; a fraction where the table's unit is one."""


@dataclass
class RoomAudit:
    """The state of one room by its events, which are taken in order."""

    room_id: str
    epoch: int = 1
    sequence: int = 0
    stacks: dict[str, Chips] = field(default_factory=dict)
    """As of the last completed hand, with what was bought and paid out since."""
    bought: Chips = 0
    """Bought in and bought again, less what left or the bank won."""
    nets: dict[str, Chips] = field(default_factory=dict)
    """Won and lost in completed hands, by player."""
    running: int | None = None
    dealt: dict[str, Chips] = field(default_factory=dict)
    deciders: list[str] = field(default_factory=list)
    """Of the running hand, by decision."""
    started: int = 0
    """The newest hand."""
    completed: set[int] = field(default_factory=set)
    cancelled: set[int] = field(default_factory=set)
    actions: Counter[int] = field(default_factory=Counter)
    """By hand."""
    paid: dict[int, tuple[int, int, dict[str, Chips]]] = field(default_factory=dict)
    """By completed hand: epoch and sequence of its end, and the stacks then."""
    events: int = 0
    first_hand: int = 1
    """The oldest hand whose events are kept."""
    is_cut: bool = False
    """Whether older events are deleted, so that what was bought before is not paid."""
    unread: int = 0
    """Events that leave out what they are about, as those of other tables may."""

    def begin_at(self, epoch: int, sequence: int) -> None:
        """Begin where the oldest kept event is, which begins a hand."""
        self.epoch, self.sequence, self.is_cut = epoch, sequence - 1, True

    def take(self, event: TableEvent) -> None:
        """Apply one event; raises Irregular."""
        self._follow(event)
        content = content_of(event)
        if self._is_unread(content):
            self.unread += 1
        elif not self.unread:  # where hands cannot be read, only the order is checked
            self._apply(content)
            total = sum(self.stacks.values())
            self._must(total == self.bought, f"the stacks sum to {total}, not {self.bought}")

    def check_whole(self) -> None:
        """Raise Irregular unless every hand but the last was completed or cancelled."""
        hands = range(self.first_hand, self.started + 1)
        open_hands = {self.running} if self.running else set()
        endless = set(hands) - self.completed - self.cancelled - open_hands
        self._must(not endless, f"hands without an end: {sorted(endless)}")
        twice = self.completed & self.cancelled
        self._must(not twice, f"hands cancelled and completed: {sorted(twice)}")

    def check_count(self, counted: int) -> None:
        """Raise Irregular if the lobby counted hands that no event reports."""
        if not self.unread and not self.is_cut:
            reported = len(self.completed)
            self._must(counted <= reported, f"{counted} hands counted, {reported} reported")

    def check_listed(self, hand: HandSummary) -> None:
        """Compare a hand of the lobby's list with its event; raises Irregular."""
        if self.unread or hand.hand_number < self.first_hand:
            return
        paid = self.paid.get(hand.hand_number)
        number = hand.hand_number
        self._must(paid is not None, f"hand {number} is listed, and no event completes it")
        listed = (hand.epoch, hand.last_sequence, _stacks(hand.stacks))
        self._must(listed == paid, f"hand {number} is listed as {listed}, not {paid}")

    def check_standing(self, standing: Standing) -> None:
        """Compare a player's result by the lobby with the events; raises Irregular."""
        if not self.unread and not self.is_cut:
            name, net = standing.player_id, _chips(standing.net)
            won = self.nets.get(name, 0)
            self._must(net == won, f"{name} has {net} in the standings, and {won} by the events")

    def _follow(self, event: TableEvent) -> None:
        epoch = event.epoch or 1
        self._must(epoch >= self.epoch, f"an event of epoch {epoch} follows")
        if epoch > self.epoch:  # one in between may have no events
            self.epoch, self.sequence = epoch, 0
        expected, sequence = self.sequence + 1, event.sequence
        fault = "is missing" if (sequence or 0) > expected else "stands here again"
        self._must(sequence == expected, f"event {expected}, then {sequence}: one {fault}")
        self.sequence = expected
        self.events += 1

    def _is_unread(self, content: EventContent | None) -> bool:
        """Tell whether an event that concerns chips or hands leaves them out."""
        match content:
            case PlayerRegistered(seat=seat):
                return seat.stack is None
            case HandStarted() as hand:
                return hand.hand_number is None or not hand.players
            case HandCompleted() as hand:
                return hand.hand_number is None or not hand.stacks
            case ActionTaken() as action:
                return action.hand_number is None
        return content is None

    def _apply(self, content: EventContent | None) -> None:
        match content:
            case PlayerRegistered(seat=seat):
                self._must(seat.player_id not in self.stacks, f"{seat.player_id} sits down twice")
                self._buy(seat.player_id, seat.stack, seat.stack)
            case HandStarted(hand_number=int(number)) as hand:
                self._begin(number, _stacks(hand.players))
            case ActionTaken(hand_number=int(number)) as action:
                self._act(number, action)
            case HandCompleted(hand_number=int(number)) as hand:
                self._complete(number, hand)
            case PlayerBusted(player_id=name):
                held = self.stacks.pop(name, 0)
                self._must(held == 0, f"{name} is out with {held} chips")
            case TableFailed():
                self._must(False, f"the table has a fault: {content.fields}")
            case StatusChanged() as status:
                self._change(status)

    def _change(self, status: StatusChanged) -> None:
        match status.kind, status.player_id:
            case "rebought", str(name):
                self._buy(name, status.amount, status.stack)
            case "cashed_out", str(name):
                self._buy(name, -(status.amount or 0), status.stack)
            case "left", str(name):
                held = self.stacks.pop(name, 0)
                self._must(held == _chips(status.stack or 0), f"{name} left with other chips")
                self.bought -= held
            case "hand_cancelled", _:
                number = status.hand_number
                self._must(number == self.running, f"hand {number} is cancelled, never begun")
                self.cancelled.add(number or 0)
                self.running = None

    def _buy(self, name: str, amount: float | None, stack: float | None) -> None:
        held, bought = self.stacks.get(name, 0), _chips(amount or 0)
        has = _chips(stack or 0)
        self._must(has == held + bought, f"{name} has {has} after buying {bought} to {held}")
        self.stacks[name] = has
        self.bought += bought

    def _begin(self, number: int, dealt: dict[str, Chips]) -> None:
        self._must(self.running is None, f"hand {number} begins within hand {self.running}")
        self._must(number > self.started, f"hand {number} begins after {self.started}")
        if self.is_cut:
            if not self.started:
                self.first_hand = number
            for name in dealt.keys() - self.stacks.keys():
                self.stacks[name] = dealt[name]
                self.bought += dealt[name]
        self.running = self.started = number
        self.dealt, self.deciders = dealt, []
        for name, stack in dealt.items():
            held = self.stacks.get(name)
            self._must(held == stack, f"hand {number} begins with {name} at {stack}, not {held}")

    def _act(self, number: int, action: ActionTaken) -> None:
        self._must(number == self.running, f"an action of hand {number} in hand {self.running}")
        self._must(action.player_id in self.dealt, f"{action.player_id} acts, and was not dealt in")
        if action.stack is not None:
            left, dealt = _chips(action.stack), self.dealt[action.player_id]
            self._must(0 <= left <= dealt, f"{action.player_id} acts with {left} of {dealt} left")
        self.actions[number] += 1
        self.deciders.append(action.player_id)

    def _complete(self, number: int, hand: HandCompleted) -> None:
        self._must(number not in self.completed, f"hand {number} is completed twice")
        self._must(number == self.running, f"hand {number} ends within hand {self.running}")
        stacks = _stacks(hand.stacks)
        self._must(stacks.keys() == self.dealt.keys(), f"hand {number} pays {sorted(stacks)}")
        bank = _chips(hand.house or 0)
        results = sum(stacks.values()) - sum(self.dealt.values()) + bank
        self._must(results == 0, f"the results of hand {number} sum to {results}")
        if hand.scores:
            scores = sum(map(_chips, hand.scores.values())) + bank
            self._must(scores == 0, f"the scores of hand {number} sum to {scores}")
        for pot in hand.pots:
            amount, won = _chips(pot.amount), sum(_chips(share.amount) for share in pot.winners)
            self._must(won == amount, f"a pot of {amount} in hand {number} pays {won}")
        is_read = bool(hand.disclosed) or not hand.fields.get("disclosed")
        self._must(is_read, f"what hand {number} discloses cannot be read")
        undisclosed = dict(enumerate(self.deciders, 1))
        for said in hand.disclosed:
            is_own = undisclosed.pop(said.decision, None) == said.player_id
            what = f"decision {said.decision} of {said.player_id}"
            self._must(is_own, f"hand {number} discloses {what}, which it has not, or twice")
        for name, stack in stacks.items():
            self.nets[name] = self.nets.get(name, 0) + stack - self.dealt[name]
        self.stacks.update(stacks)
        self.bought -= bank
        self.completed.add(number)
        self.paid[number] = (self.epoch, self.sequence, stacks)
        self.running = None

    def _must(self, is_right: bool, otherwise: str) -> None:  # noqa: FBT001  what else
        if not is_right:
            raise Irregular(f"{self.room_id} {self.epoch}:{self.sequence}: {otherwise}")


def _chips(amount: float) -> Chips:
    """Return an amount of the wire exactly: 0.1 and 0.2 are 0.3."""
    exact = Decimal(repr(amount))
    return int(exact) if exact == exact.to_integral_value() else exact


def _stacks(seats: Iterable[ReportedSeat | PlayerStack | StackAfter]) -> dict[str, Chips]:
    return {seat.player_id: _chips(seat.stack) for seat in seats if seat.stack is not None}


_ALL = 10**9


class PublicRecord(Protocol):
    """Where the record is read: `LobbyApi` is one."""

    async def rooms(self, status: str | None = None) -> RoomList:
        """Return all rooms."""

    async def room(self, room_id: str) -> RoomSnapshot:
        """Return a room."""

    async def events(self, room_id: str, after: int, epoch: int) -> EventPage:
        """Return a page of an epoch's events after a sequence."""

    async def standings(self, room_id: str) -> Standings:
        """Return the results of a room's players."""

    async def hands(self, room_id: str, order: str, limit: int) -> HandPage:
        """Return completed hands."""


class Auditor:
    """Audits the rooms of a lobby, also while they play; what was read is not read again."""

    def __init__(self, record: PublicRecord) -> None:
        self._record = record
        self.rooms: dict[str, RoomAudit] = {}

    async def read(self) -> None:
        """Read the new events of every room; raises Irregular."""
        for room in (await self._record.rooms()).rooms:
            await self.read_room(room.room_id)

    async def read_room(self, room_id: str) -> RoomAudit:
        """Read the new events of a room, and compare counts and standings; raises Irregular.

        What they are compared with is read before the events, which may only say more.
        """
        audit = self.rooms.setdefault(room_id, self.begin(room_id))
        room = await self._record.room(room_id)
        standings = await self._record.standings(room_id)
        _compare(audit, standings)
        for epoch in range(audit.epoch, (room.epoch or 1) + 1):
            await self._read_epoch(audit, epoch, standings)
        audit.check_whole()
        audit.check_count(room.summary.hand_count if room.summary else 0)
        return audit

    async def check_list(self, audit: RoomAudit) -> None:
        """Compare the list of a room's completed hands with its events; raises Irregular."""
        listed = (await self._record.hands(audit.room_id, "oldest", _ALL)).hands
        for hand in listed:
            if hand.hand_number <= audit.started:  # the others were played since
                audit.check_listed(hand)

    def begin(self, room_id: str) -> RoomAudit:
        return RoomAudit(room_id)

    async def _read_epoch(self, audit: RoomAudit, epoch: int, standings: Standings) -> None:
        while True:
            after = audit.sequence if epoch == audit.epoch else 0
            page = await self._record.events(audit.room_id, after, epoch)
            kept = page.kept_from
            if kept and not audit.events and not audit.is_cut:
                audit.begin_at(kept.epoch, kept.sequence)
                if epoch <= kept.epoch:
                    continue
            if epoch < audit.epoch:
                return
            for event in page.events:
                audit.take(event)
                if event.event_type == "hand_completed":
                    _compare(audit, standings)
            if not page.events:
                return


def _compare(audit: RoomAudit, standings: Standings) -> None:
    """Compare the standings if they are those after the newest hand that was read."""
    if standings.hands == len(audit.completed):
        for player in standings.players:
            audit.check_standing(player)
