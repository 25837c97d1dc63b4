"""State of a room: seats, stacks, phase and epoch, folded from table events. Pure.

```
opening ──► open ──► closing ──► closed
   │         │
   ▼         ▼
(removed)  failed      its table is lost for good
```

Whether a session is running is `status`, taken from the table's events.
"""

from collections import deque
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal, get_args

from casino_contracts import (
    MAX_SAFE,
    Amount,
    Continuation,
    PlayerSeat,
    RoomKey,
    RoomSnapshot,
    RoomSummary,
    SeatAssignment,
    TableAgentSkills,
    TableConfig,
    TableEvent,
    TableStatus,
    TableSummary,
    Unit,
    seat_token,
)
from pydantic import TypeAdapter

Phase = Literal["opening", "open", "closing", "closed", "failed"]

RECENT_EVENTS = 200
"""Maximum number of newest events in a snapshot."""

_STATUSES: dict[str, TableStatus] = {status: status for status in get_args(TableStatus)}


@dataclass(frozen=True)
class PlayerAgent:
    """Address of a seated player's agent, and how to call it."""

    card_url: str
    action_skill: str = "act"
    plays_any_game: bool = False
    is_invited: bool = False
    """Whether the lobby invited it; a table event cannot replace such an agent."""
    signer: str | None = None
    """Thumbprint of the key that signed its card; None for an unsigned card."""


@dataclass
class Room:
    """One room and the state that its table's events report."""

    room_id: str
    table_id: str
    config: TableConfig
    game_type: str
    skills: TableAgentSkills
    game_config: dict[str, Any] = field(default_factory=dict)
    secret: str = field(default="", repr=False)
    """Secret from which epoch keys and seat tokens are derived; never sent."""
    keys_since: int = 1
    """First epoch with a derived key; in earlier epochs (older releases) the key is the secret."""
    is_keyed: bool = True
    """Whether its table requires the room key; minimal third-party tables do not."""
    epoch: int = 1
    is_launched: bool = False
    """Whether the lobby launched its table."""
    launch_port: int | None = None
    """Port that the operator chose for the launched table."""
    table_card_url: str = ""
    table_base_url: str | None = None
    phase: Phase = "opening"
    status: TableStatus = "waiting"
    state: str | None = None
    message: str = "the table is being prepared"
    hand_count: int = 0
    last_sequence: int = 0
    sessions: int = 0
    is_starting: bool = False
    start_is_due: bool = False
    """Whether the last free seat was taken and no session has started since."""
    table_is_closed: bool = False
    players_named: int = 0
    seats: dict[str, PlayerSeat] = field(default_factory=dict)
    agents: dict[str, PlayerAgent] = field(default_factory=dict)
    stacks: dict[str, Amount] = field(default_factory=dict)
    settled: dict[str, Amount] = field(default_factory=dict)
    """Stacks as of the last completed hand."""
    reported_ids: set[str] = field(default_factory=set)
    """Ids of players whose registration the table has reported."""
    hands_left: int = 0
    """Hands left in the session, if it has to continue in a new epoch."""
    goes_on: bool = False
    """Whether a session was interrupted by the end of an epoch and has to be resumed."""
    last_hand: int = 0
    running_hand: int | None = None
    running_since: tuple[int, int] | None = None
    """Epoch and sequence of its `hand_started`."""
    big_blind_seat: int | None = None
    recent: deque[TableEvent] = field(default_factory=lambda: deque(maxlen=RECENT_EVENTS))

    def __post_init__(self) -> None:
        """Derive the unit from the configuration."""
        self.unit = Unit.of(self.config)

    def to_json(self) -> dict[str, Any]:
        """Return the room without its recent events as JSON values, seed and secret included."""
        data: dict[str, Any] = _adapter().dump_python(self, mode="json", exclude={"recent"})
        return data

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Room":
        """Return a room from stored JSON values; raises ValueError for invalid ones."""
        room: Room = _adapter().validate_python(data)
        if "keys_since" not in data:  # stored by an older release
            room.keys_since = room.epoch + 1
        room.is_starting = False  # the process that was starting it has ended
        return room

    def key(self, epoch: int | None = None) -> RoomKey:
        """Return the room's key for an epoch, by default the current one."""
        epoch = epoch or self.epoch
        if epoch < self.keys_since:
            return RoomKey(self.secret)
        return RoomKey.of_epoch(self.secret, epoch)

    @property
    def is_full(self) -> bool:
        """Whether every seat is taken."""
        return len(self.seats) >= self.config.max_seats

    @property
    def is_playing(self) -> bool:
        """Whether a session is running."""
        return self.status == "running"

    @property
    def is_over(self) -> bool:
        """Whether the room is closed or failed."""
        return self.phase in {"closed", "failed"}

    @property
    def may_start_itself(self) -> bool:
        """Whether a session should start automatically now."""
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
        """Return a player id that is unused in the room."""
        while True:
            self.players_named += 1
            player_id = f"player-{self.players_named}"
            if player_id not in self.seats:
                return player_id

    def seat(self, seat: PlayerSeat, agent: PlayerAgent) -> None:
        """Add a seat from the table's reply; its event may arrive before or after it."""
        if seat.player_id not in self.reported_ids:  # otherwise the player may have left already
            self._take(seat)
        if seat.player_id in self.seats:
            self.agents[seat.player_id] = agent

    def _take(self, seat: PlayerSeat) -> None:
        if seat.player_id not in self.seats:
            self.seats[seat.player_id] = seat
            self.stacks[seat.player_id] = self.settled[seat.player_id] = seat.stack
            self.start_is_due = self.is_full

    def mark_starting(self) -> None:
        """Mark that a session is being started."""
        self.is_starting, self.start_is_due = True, False

    def apply(self, event: TableEvent) -> None:
        """Fold one event into the state; missing payload fields leave their state unchanged."""
        payload = event.payload or {}
        self.message = event.message
        self.recent.append(event)
        if event.sequence is not None:
            self.last_sequence = event.sequence
        match event.event_type:
            case "action_taken":
                self._set_stack(payload)
            case "player_registered":
                self._add_player(payload)
            case "hand_started":
                self._start_hand(payload)
                self.running_since = (self.epoch, self.last_sequence)
            case "hand_completed":
                self._complete_hand(payload)
            case "player_busted":
                self._remove_player(payload)
            case "table_status" | "table_error":
                self._change_status(payload)

    def _set_stack(self, payload: dict[str, Any]) -> None:
        player_id, stack = str(payload.get("playerId")), _chips(payload.get("stack"))
        if player_id in self.stacks and stack is not None:
            self.stacks[player_id] = stack

    def _add_player(self, payload: dict[str, Any]) -> None:
        player_id, number = payload.get("playerId"), payload.get("seatNumber")
        if not isinstance(player_id, str) or not isinstance(number, int) or number < 0:
            return
        stack = _chips(payload.get("stack"))
        self.reported_ids.add(player_id)
        card_url = payload.get("agentCardUrl")
        agent = self.agents.get(player_id)
        if isinstance(card_url, str) and not (agent and agent.is_invited):
            skill = payload.get("actionSkill")
            self.agents[player_id] = PlayerAgent(
                card_url, str(skill or "act"), plays_any_game=payload.get("playsAnyGame") is True
            )
        self._take(
            PlayerSeat(
                player_id=player_id,
                seat_number=number,
                display_name=str(payload.get("displayName") or player_id),
                stack=0 if stack is None else stack,
            )
        )

    def _start_hand(self, payload: dict[str, Any]) -> None:
        self.status = "running"
        number = payload.get("handNumber")
        if isinstance(number, int):
            self.last_hand, self.running_hand = max(self.last_hand, number), number
        posted = payload.get("posted")
        for bet in posted if isinstance(posted, list) else ():
            if isinstance(bet, dict) and bet.get("kind") == "big-blind":
                seat = self.seats.get(str(bet.get("playerId")))
                self.big_blind_seat = seat.seat_number if seat else None

    def _complete_hand(self, payload: dict[str, Any]) -> None:
        if isinstance(payload.get("handNumber"), int):
            self.hand_count += 1
            self.hands_left = max(0, self.hands_left - 1)
        stacks = payload.get("stacks")
        for stack in stacks if isinstance(stacks, list) else ():
            if isinstance(stack, dict):
                self._set_stack(stack)
        self.running_hand = self.running_since = None
        self.settled = dict(self.stacks)

    def _remove_player(self, payload: dict[str, Any]) -> None:
        player_id = payload.get("playerId")
        if isinstance(player_id, str):
            for by_player in (self.seats, self.stacks, self.settled, self.agents):
                by_player.pop(player_id, None)

    def _change_status(self, payload: dict[str, Any]) -> None:
        self.status = _STATUSES.get(str(payload.get("status")), self.status)
        match payload.get("kind"):
            case "started":
                self.sessions += 1
                self.is_starting = self.start_is_due = False
                self.state = None
                left = payload.get("handsLeft")
                self.hands_left = left if isinstance(left, int) else self.config.max_hands
            case "paused":
                self.state = "paused"
            case "street_dealt" | "finished":
                self.state = None
            case "rebought":
                self._set_stack(payload)
                self.settled = dict(self.stacks)
            case "hand_cancelled":
                self.roll_back_hand()
            case "left":
                self._remove_player(payload)
            case "closed":
                self.table_is_closed = True
                for by_player in (self.seats, self.stacks, self.settled, self.agents):
                    by_player.clear()

    @property
    def unreachable_players(self) -> list[str]:
        """Ids of players whose agent's address is unknown: a third-party table seated them."""
        return [player_id for player_id in self.seats if player_id not in self.agents]

    def roll_back_hand(self) -> None:
        """Cancel the running hand: restore the stacks of the last completed hand."""
        self.stacks, self.running_hand = dict(self.settled), None
        self.running_since = None

    def begin_epoch(self, above: int = 0) -> tuple[tuple[SeatAssignment, ...], Continuation]:
        """Begin a new epoch; return the seats and the hand counters that it continues from.

        Play of the previous epoch that is not recorded here is void. The new epoch is greater than
        `above`, the table's epoch: a lobby that lost its last commits may have begun that one
        itself. `unreachable_players` must be empty.
        """
        continuation = Continuation(
            hand_number=self.last_hand,
            hand_count=self.hand_count,
            big_blind_seat=self.big_blind_seat,
            cancelled_hand=self.running_hand,
        )
        self.stacks = dict(self.settled)
        self.goes_on = self.goes_on or self.is_playing
        self.epoch = max(self.epoch, above) + 1
        self.last_sequence = 0
        seats = tuple(
            SeatAssignment(
                player_id=seat.player_id,
                display_name=seat.display_name,
                seat_number=seat.seat_number,
                stack=self.settled[seat.player_id],
                agent_card_url=self.agents[seat.player_id].card_url,
                action_skill=self.agents[seat.player_id].action_skill,
                plays_any_game=self.agents[seat.player_id].plays_any_game or None,
                seat_token=seat_token(self.secret, seat.player_id) if self.is_keyed else None,
            )
            for seat in self.seats.values()
        )
        return seats, continuation

    def fail(self, message: str) -> None:
        """Mark the room as failed: its table is lost for good."""
        self.phase, self.status, self.state, self.message = "failed", "error", "failed", message

    @property
    def shown_state(self) -> str | None:
        """The value of `state` in a summary."""
        return self.state if self.phase == "open" else self.phase

    def table_summary(self) -> TableSummary:
        """Return the table's summary from the recorded state."""
        seats = sorted(self.seats.values(), key=lambda seat: seat.seat_number)
        return TableSummary(
            table_id=self.table_id,
            status=self.status,
            hand_count=self.hand_count,
            players=tuple(
                seat.model_copy(update={"stack": self.stacks[seat.player_id]}) for seat in seats
            ),
            message=self.message,
            state=self.shown_state,
        )

    def summary(self) -> RoomSummary:
        """Return the room's entry in the room list."""
        return RoomSummary(
            room_id=self.room_id,
            table_id=self.table_id,
            game_type=self.game_type,
            table_agent_card_url=self.table_card_url,
            table_base_url=self.table_base_url,
            status=self.status,
            hand_count=self.hand_count,
            player_count=len(self.seats),
            message=self.message,
            state=self.shown_state,
            seeded=self.is_seeded or None,
        )

    def late_snapshot(self) -> RoomSnapshot:
        """Return the room as of before the running hand."""
        snapshot = self.snapshot()
        if self.running_since is None:
            return snapshot
        events = tuple(
            event
            for event in snapshot.events
            if (event.epoch or self.epoch, event.sequence or 0) < self.running_since
        )
        summary = self.table_summary().model_copy(
            update={
                "players": tuple(
                    seat.model_copy(update={"stack": self.settled[seat.player_id]})
                    for seat in self.table_summary().players
                ),
                "message": events[-1].message if events else None,
            }
        )
        return snapshot.model_copy(update={"summary": summary, "events": events})

    def snapshot(self) -> RoomSnapshot:
        """Return the full room with its newest events in their public form."""
        return RoomSnapshot(
            room_id=self.room_id,
            config=self.config.public(),
            summary=self.table_summary(),
            table_agent_card_url=self.table_card_url,
            table_base_url=self.table_base_url,
            events=tuple(public(event) for event in self.recent),
            table_id=self.table_id,
            game_type=self.game_type,
            epoch=self.epoch,
            state=self.shown_state,
            seeded=self.is_seeded or None,
        )


def _chips(value: Any) -> float | None:
    """Return a reported amount, None if it is not a valid number of chips."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return value if is_number and 0 <= value <= MAX_SAFE else None


@cache
def _adapter() -> TypeAdapter[Room]:
    return TypeAdapter(Room)


def public(event: TableEvent) -> TableEvent:
    """Return an event's public form: without the address of a player's agent."""
    payload = event.payload
    if payload is None or "agentCardUrl" not in payload:
        return event
    redacted = {key: value for key, value in payload.items() if key != "agentCardUrl"}
    return event.model_copy(update={"payload": redacted})
