"""State of a room: seats, stacks, phase and epoch, and its transitions. Pure.

```
opening ──► open ──► closing ──► closed
   │         │
   ▼         ▼
(removed)  failed      its table is lost for good
```

Whether a session is running is `status`, taken from the table's events.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

from casino_contracts import (
    Amount,
    PlayerSeat,
    RoomKey,
    TableAgentSkills,
    TableConfig,
    TableStatus,
    Unit,
    Waiting,
)
from casino_contracts.lobby_messages import SeatRule, Service
from pydantic import InstanceOf, TypeAdapter

from casino_lobby.domain.deal_book import DealBook
from casino_lobby.domain.player_results import RoomResults
from casino_lobby.domain.reported_event import RecentEvents, ReportedEvent
from casino_lobby.domain.room_addresses import PlayerAgent, PlayerIds, RoomWaits, TablePlace
from casino_lobby.domain.room_books import FaultBook, Ledger, SignedSessions

Phase = Literal["opening", "open", "closing", "closed", "failed"]


@dataclass
class Room:
    """One room and the state that its table's events report.

    A table that knows only the protocol document numbers no events; the lobby then numbers them in
    order of arrival. A table that numbers its events begins at 1. If the lobby has numbered events
    of the epoch before, it records those of the table behind them, under higher numbers.
    """

    room_id: str
    table_id: str
    config: TableConfig
    game_type: str
    skills: TableAgentSkills
    game_config: dict[str, Any] = field(default_factory=dict)
    owner: Service | None = None
    """The service that opened it; None: the operator."""
    entry: SeatRule = "open"
    secret: str = field(default="", repr=False)
    """Secret from which epoch keys and seat tokens are derived; never sent."""
    epoch: int = 1
    last_sequence: int = 0
    unnumbered: int | None = None
    """How many were recorded before the table's first numbered one; None: it has numbered none."""
    is_keyed: bool = True
    """Whether its table requires the room key; minimal third-party tables do not."""
    is_launched: bool = False
    is_from_fleet: bool = False
    """Whether the lobby chose its table among the announced ones, and so may choose another one."""
    launch_port: int | None = None
    """Port that the operator chose for the launched table."""
    table_card_url: str = ""
    """Empty while the room has no table."""
    table_base_url: str | None = None
    state: str | None = None
    """What the table says of itself beyond its status, or that it is away or lost."""
    waits: RoomWaits = field(default_factory=RoomWaits)
    invited_ids: PlayerIds = field(default_factory=set)
    """Ids of the players that a lobby invited and seated, also of those who have left.

    Only such an id belongs to whoever has its seat token: a player that sat down at the table
    itself may have an id under which another agent was invited in vain."""
    players_named: int = 0
    phase: Phase = "opening"
    status: TableStatus = "waiting"
    message: str = "the table is being prepared"
    refused: Counter[str] = field(default_factory=Counter)
    """How many calls with its table's events were refused since one was taken, by reason."""
    hand_count: int = 0
    hands_are_told: bool = False
    """Whether its table's summary says how many hands were completed: its events do not count."""
    sessions: int = 0
    is_starting: bool = False
    start_is_due: bool = False
    """Whether the last free seat was taken and no session has started since."""
    table_is_closed: bool = False
    seats: dict[str, PlayerSeat] = field(default_factory=dict)
    agents: dict[str, PlayerAgent] = field(default_factory=dict)
    stacks: dict[str, Amount] = field(default_factory=dict)
    settled: dict[str, Amount] = field(default_factory=dict)
    """Stacks as of the last completed hand."""
    reported_ids: PlayerIds = field(default_factory=set)
    """Ids of players whose registration the table has reported."""
    hands_left: int = 0
    """Hands left in the session, if it has to continue in a new epoch."""
    goes_on: bool = False
    """Whether a session was interrupted by the end of an epoch and has to be resumed."""
    last_hand: int = 0
    running_hand: int | None = None
    running_since: tuple[int, int] | None = None
    """Epoch and sequence of its `hand_started`."""
    newest_hand: tuple[int, int, int] | None = None
    """Epoch, number and first sequence of the newest numbered hand that started."""
    big_blind_seat: int | None = None
    small_blind_seat: int | None = None
    """The seat where it was due in the last hand of Hold'em, also if nobody posted it."""
    blinds_before: tuple[int | None, int | None] | None = None
    """The seats of small and big blind before the running hand."""
    faults: FaultBook = field(default_factory=FaultBook)
    results: RoomResults = field(default_factory=RoomResults)
    ledger: Ledger = field(default_factory=Ledger)
    deals: DealBook = field(default_factory=DealBook)
    signed: SignedSessions = field(default_factory=SignedSessions)
    plays_for: Literal["points"] | None = None
    archived_at: str | None = None
    """When it was removed from memory (ISO 8601, UTC), if it is read from the archive."""
    recent: InstanceOf[RecentEvents] = field(default_factory=RecentEvents)

    def __post_init__(self) -> None:
        """Derive the unit from the configuration; the address is reported to nobody yet."""
        self.unit = Unit.of(self.config)
        self._address_changed: Callable[[], None] = lambda: None

    def to_json(self) -> dict[str, Any]:
        """Return the room without its recent events as JSON values, seed and secret included."""
        return dict(_adapter().dump_python(self, mode="json", exclude={"recent", "archived_at"}))

    @classmethod
    def from_json(cls, data: dict[str, Any], archived_at: str | None = None) -> "Room":
        """Return a room from stored JSON values; raises ValueError for invalid ones."""
        room: Room = _adapter().validate_python(data)
        room.archived_at = archived_at
        room.is_starting = False  # the process that was starting it has ended
        return room

    def key(self, epoch: int | None = None) -> RoomKey:
        """Return the key of an epoch, by default of the current one."""
        return RoomKey.of_epoch(self.secret, epoch or self.epoch)

    @property
    def is_full(self) -> bool:
        return len(self.seats) >= self.config.max_seats

    @property
    def is_playing(self) -> bool:
        return self.status == "running"

    @property
    def is_over(self) -> bool:
        return self.phase in {"closed", "failed"}

    @property
    def may_start_itself(self) -> bool:
        return (
            self.start_is_due
            and self.phase == "open"
            and self.status in {"waiting", "idle"}
            and not self.is_starting
        )

    @property
    def is_seeded(self) -> bool:
        """Whether its creator chose the seed, and so may know the cards."""
        return self.config.seed is not None

    def next_player_id(self) -> str:
        """Return a new player id; one that an invited player had is never used again."""
        while True:
            self.players_named += 1
            player_id = f"player-{self.players_named}"
            if player_id not in self.seats and player_id not in self.invited_ids:
                return player_id

    def seat(self, seat: PlayerSeat, agent: PlayerAgent) -> None:
        """Add a seat from the table's reply; its event may arrive before or after it."""
        if seat.player_id not in self.reported_ids:  # otherwise the player may have left already
            self._take(seat)
        if seat.player_id in self.seats:
            self._name(seat.player_id, seat.display_name, agent)
            self.agents[seat.player_id] = agent
            self.invited_ids.add(seat.player_id)

    def _take(self, seat: PlayerSeat) -> None:
        if seat.player_id not in self.seats:
            self.seats[seat.player_id] = seat
            self.stacks[seat.player_id] = self.settled[seat.player_id] = seat.stack
            self.start_is_due = self.is_full

    def _name(self, player_id: str, name: str, agent: PlayerAgent) -> None:
        """Give a seat the name that its player said to the lobby: its table may say its id."""
        named = self.seats[player_id].model_copy(update={"display_name": name})
        self.seats[player_id] = named
        self.results.name(player_id, name, agent)

    def mark_starting(self) -> None:
        self.is_starting, self.start_is_due = True, False

    def note(self, event: ReportedEvent) -> None:
        self.message = event.message
        self.refused.clear()
        self.recent.append(event)
        if event.sequence is not None:
            self.last_sequence = event.sequence

    def set_stack(self, player_id: str, stack: Amount | None) -> None:
        if player_id in self.stacks and stack is not None:
            self.stacks[player_id] = stack

    def report_seat(self, seat: PlayerSeat, agent: PlayerAgent | None) -> None:
        """Add a seat that the table reports; `agent` does not replace an invited one."""
        self.reported_ids.add(seat.player_id)
        current = self.agents.get(seat.player_id)
        if not (current and current.is_invited):
            self.invited_ids.discard(seat.player_id)
            if agent is not None:
                self.agents[seat.player_id] = agent
        self._take(seat)
        if current and current.is_invited:
            self._name(seat.player_id, self.seats[seat.player_id].display_name, current)

    def has_reported(self, player_id: str) -> bool:
        """Return whether a player sits here whose registration the table has reported."""
        return player_id in self.seats and player_id in self.reported_ids

    def start_hand(self, number: int | None) -> None:
        self.status = "running"
        if number is not None:
            self.last_hand, self.running_hand = max(self.last_hand, number), number
            self.newest_hand = (self.epoch, number, self.last_sequence)
        self.running_since = (self.epoch, self.last_sequence)

    def post(self, player_id: str, amount: Amount) -> None:
        if player_id in self.stacks:
            left = round(self.stacks[player_id] - amount, 6)  # removes floating-point errors
            self.stacks[player_id] = max(0, left)

    def set_blinds(self, small: str | None, big: str) -> None:
        """Note who posted the blinds: one of nobody was due at the seat of the last big blind."""
        self.blinds_before = self.small_blind_seat, self.big_blind_seat
        self.small_blind_seat = self._number(small) if small else self.big_blind_seat
        self.big_blind_seat = self._number(big)

    def _number(self, player_id: str) -> int | None:
        seat = self.seats.get(player_id)
        return seat.seat_number if seat else None

    def restore_blinds(self) -> None:
        """Put the blinds back to where they were before the running hand."""
        if self.running_hand is not None and self.blinds_before is not None:
            self.small_blind_seat, self.big_blind_seat = self.blinds_before
            self.blinds_before = None

    def complete_hand(self) -> None:
        self.hand_count += not self.hands_are_told
        self.hands_left = max(0, self.hands_left - 1)
        self.running_hand = self.running_since = None
        self.settle()

    def settle(self) -> None:
        self.settled = dict(self.stacks)

    def set_status(self, status: TableStatus | None, state: str | None) -> None:
        self.status, self.state = status or self.status, state

    def start_session(self, hands: int | None) -> None:
        self.sessions += 1
        self.is_starting = self.start_is_due = False
        self.hands_left = self.config.max_hands if hands is None else hands

    def remove_player(self, player_id: str) -> None:
        for by_player in (self.seats, self.stacks, self.settled, self.agents):
            by_player.pop(player_id, None)

    def close_table(self) -> None:
        """Note that the table has closed and that every player has left."""
        self.table_is_closed = True
        for by_player in (self.seats, self.stacks, self.settled, self.agents):
            by_player.clear()

    def roll_back_hand(self) -> None:
        self.restore_blinds()
        self.stacks, self.running_hand, self.running_since = dict(self.settled), None, None

    def open(self) -> None:
        self.phase = "open"
        if self.message == Room.message:  # its table has sent no event, and may send none
            self.message = "the table is ready"

    def begin_closing(self) -> None:
        self.phase = "closing"

    def close(self, message: str | None = None) -> None:
        """Mark the room as closed; without a message the last one stays."""
        self.phase, self.message = "closed", message or self.message
        self._address_changed()

    def end_resuming(self) -> None:
        """Note that an interrupted session has been resumed, or cannot be."""
        self.goes_on = False

    def postpone_start(self) -> None:
        """Note that a session is due still: its start did not reach the table."""
        self.start_is_due = self.is_full

    def end_starting(self, status: TableStatus | None = None) -> None:
        self.is_starting = False
        self.status = status or self.status

    def fail(self, message: str) -> None:
        """Mark the room as failed: its table is lost for good."""
        self.phase, self.status, self.state, self.message = "failed", "error", "failed", message
        self._address_changed()

    @property
    def shown_state(self) -> str | None:
        return self.waits.state(self.state) if self.phase == "open" else self.phase

    # How the events of its epoch are numbered.

    @property
    def table_sequence(self) -> int:
        """Sequence of the last recorded event, as the table counts."""
        return self.last_sequence - (self.unnumbered or 0)

    @property
    def numbered(self) -> int:
        """How many events that the table numbered itself are recorded."""
        return 0 if self.unnumbered is None else self.table_sequence

    def begin_numbering(self, unnumbered: int) -> None:
        self.unnumbered = unnumbered

    def note_table_sequence(self, sequence: int | None) -> None:
        """Note the sequence in a table's reply: only a table that numbers its events sends one."""
        if sequence is not None and self.unnumbered is None and not self.last_sequence:
            self.begin_numbering(0)

    def skip_event(self, sequence: int) -> None:
        self.last_sequence = sequence

    def number_anew(self, epoch: int) -> None:
        self.epoch, self.last_sequence, self.unnumbered = epoch, 0, None
        self.waits.tell(())

    # Where its table is.

    def report_address(self, changed: Callable[[], None]) -> None:
        """Call `changed` after each change of the address, and at the end of the room."""
        self._address_changed = changed

    def launch_table(self) -> None:
        self.is_launched, self.is_from_fleet = True, False
        self._address_changed()

    def take_from_fleet(self, card_url: str) -> None:
        self.table_card_url, self.is_from_fleet = card_url, True
        self._address_changed()

    @property
    def place(self) -> TablePlace:
        return TablePlace(self.table_card_url, self.table_base_url, self.is_keyed)

    def return_to(self, place: TablePlace) -> None:
        """Set the address back to an earlier table: another one did not take the room."""
        self.table_card_url, self.table_base_url, self.is_keyed = place
        self._address_changed()

    def move_table(self, card_url: str) -> None:
        self.table_card_url = card_url
        self._address_changed()

    def release_table(self) -> None:
        self.table_card_url = ""
        self._address_changed()

    def identify_table(self, base_url: str, *, is_keyed: bool) -> None:
        self.table_base_url, self.is_keyed = base_url, is_keyed
        self.refused.clear()

    def lose_table(self, wait: Waiting) -> None:
        """Note that the table cannot be reached, or is lost while no other one is free."""
        self.state = self.waits.lose_table(wait)

    def find_table(self) -> None:
        self.state = self.waits.find_table(self.state)


@cache
def _adapter() -> TypeAdapter[Room]:
    return TypeAdapter(Room)
