"""State of one room and its table, projected from the public events."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from casino_contracts import (
    Card,
    PlayerSeat,
    RoomSnapshot,
    RoomSummary,
    TableConfig,
    TableEvent,
)
from casino_contracts.events.content import (
    ActionTaken,
    EventContent,
    HandCompleted,
    HandStarted,
    PlayerBusted,
    PlayerRegistered,
    ReportedSeat,
    StatusChanged,
    TableFailed,
    content_of,
    stacks_of,
)
from casino_contracts.events.payload_fields import Fields

from casino.output import chips
from casino.public_state import action_words, facts_of, game_words
from casino.watch.seat_state import Seats, SeatState, changed, dealt, paid, seated, without
from casino.watch.side_pots import side_pots
from casino.watch.turn import next_to_act

_STREETS = {0: "preflop", 3: "flop", 4: "turn", 5: "river"}
_SMALLEST = 1e-6
"""The smallest amount; less is an error of floating-point numbers."""
MAX_LINES = 30
"""Number of the newest lines to keep."""


@dataclass(frozen=True)
class TableState:
    """Immutable state of a room and its table; every change returns a new one.

    Texts and names are untrusted: renderers must sanitize them.
    """

    room_id: str
    config: TableConfig
    status: str = "waiting"
    state: str | None = None
    hand: int | None = None
    """Number of the running or last hand."""
    button: int | None = None
    last: int | None = None
    """The seat after which the next player is to act: who acted last, posted last, or deals."""
    pot: float = 0
    board: tuple[Card, ...] = ()
    game: str = ""
    """Name of a game other than Hold'em, which has facts instead of blinds, board and pot."""
    facts: Mapping[str, str] = field(default_factory=dict)
    """The public state of that game, by label."""
    outcome: str = ""
    """Result of the hand; "" while it runs."""
    seats: Seats = field(default_factory=dict)
    gone: Seats = field(default_factory=dict)
    """Who left, as they were: their results are still of interest."""
    lines: tuple[str, ...] = ()
    """The newest messages of events and players."""
    news: tuple[str, ...] = ()
    """The lines of the last event."""
    hands_seen: int = 0
    before: Mapping[str, float] = field(default_factory=dict)
    """Stacks at the start of the hand."""
    counted: tuple[int, int] = (0, 0)
    """Epoch and number of the last hand counted in the players' results."""

    @classmethod
    def of(cls, room: RoomSnapshot, previous: "TableState | None" = None) -> "TableState":
        """Return the state of a snapshot.

        Keeps the results of a `previous` state, so that each hand counts once.
        """
        players = room.summary.players if room.summary else ()
        table = cls(
            room.room_id,
            room.config,
            seats=seated({}, *players),
            game=game_words(room.game_type),
        )
        if previous:
            seats = table.seats
            for seat in previous.seats.values():
                seats = changed(seats, seat.player_id, partial(SeatState.wins, chips=seat.won))
            table = replace(
                table,
                seats=seats,
                gone=previous.gone,
                hands_seen=previous.hands_seen,
                counted=previous.counted,
            )
        for event in room.events:
            table = table.after(event)
        # The events may start in the middle of a hand: players and stacks are the summary's.
        present = {
            player.player_id: table.seats[player.player_id].has(player.stack)
            for player in players
            if player.player_id in table.seats
        }
        if previous is None:  # the hands before are not counted, because they were not watched
            present = {key: replace(seat, won=0, faults=0) for key, seat in present.items()}
            table = replace(table, hands_seen=0)
        status = room.summary.status if room.summary else table.status
        return replace(table, seats=present, status=status, state=room.state)

    @property
    def in_order(self) -> list[SeatState]:
        """The seats in the order of their numbers."""
        return sorted(self.seats.values(), key=lambda seat: seat.number)

    @property
    def everybody(self) -> list[SeatState]:
        """The seats, and behind them those who left."""
        gone = (replace(seat, name=f"{seat.name} (left)") for seat in self.gone.values())
        return [*self.in_order, *gone]

    @property
    def pots(self) -> tuple[float, ...]:
        """The main pot and the side pots of the running hand of Hold'em, if there are several."""
        stakes = (
            seat.stake(self.before[player_id])
            for player_id, seat in {**self.gone, **self.seats}.items()
            if player_id in self.before
        )
        pots = side_pots(stakes) if self.street else ()
        is_complete = abs(sum(pots) - self.pot) < _SMALLEST
        return pots if len(pots) > 1 and is_complete else ()

    @property
    def street(self) -> str:
        """The betting round of the running hand of Hold'em, "" otherwise."""
        is_running = self.hand is not None and self.status == "running" and not self.outcome
        return _STREETS.get(len(self.board), "") if is_running and not self.game else ""

    @property
    def to_act(self) -> SeatState | None:
        """Who is to act in the running hand of Hold'em; None if nobody is, or it is not known."""
        if not self.street or self.last is None:
            return None
        return next_to_act(self.in_order, self.last)

    def name(self, player_id: str) -> str:
        """Return a player's display name, or its id if it has no seat."""
        seat = self.seats.get(player_id)
        return seat.name if seat else player_id

    def after(self, event: TableEvent) -> "TableState":
        """Return the state after another event; fields that cannot be read change nothing."""
        content = content_of(event)
        lines = [event.message]
        if isinstance(content, ActionTaken) and content.message:
            lines.append(f"{self.name(content.player_id)}: “{content.message}”")
        table = _after(self, content, event)
        return replace(table, lines=(*table.lines, *lines)[-MAX_LINES:], news=tuple(lines))

    def closed(self, room: RoomSummary) -> "TableState":
        """Return the state of a closed room."""
        return replace(self, status=room.status, state=room.state)


def _without(table: TableState, player_id: str) -> TableState:
    gone = {key: seat for key, seat in table.seats.items() if key == player_id}
    return replace(table, seats=without(table.seats, player_id), gone={**table.gone, **gone})


def _after(table: TableState, content: EventContent | None, event: TableEvent) -> TableState:
    match content:
        case PlayerRegistered(seat=ReportedSeat(complete=PlayerSeat() as seat)):
            table = replace(table, seats=seated(table.seats, seat))
        case HandStarted():
            table = _started(table, content)
        case ActionTaken():
            table = _acted(table, content)
        case HandCompleted():
            table = _completed(table, content, event)
        case PlayerBusted(player_id=player_id):
            table = _without(table, player_id)
        case StatusChanged():
            table = _after_status(replace(table, status=content.status or table.status), content)
        case TableFailed(status=status):
            table = replace(table, status=status or table.status)
    return table


def _started(table: TableState, content: HandStarted) -> TableState:
    seats = dealt(table.seats, *content.players)
    present = (player.player_id for player in content.players if player.player_id in seats)
    before = {player_id: seats[player_id].stack for player_id in present}
    last = content.button_seat
    for posted in content.posted:
        seats = changed(seats, posted.player_id, partial(SeatState.posts, posted=posted))
        if posted.kind != "ante" and posted.player_id in seats:
            last = seats[posted.player_id].number
    table = replace(
        table,
        status="running",
        state=None,
        hand=content.hand_number or table.hand,
        button=content.button_seat,
        last=last,
        pot=sum(posted.amount or 0 for posted in content.posted),
        board=(),
        outcome="",
        seats=seats,
        before=before,
    )
    if content.state is None:
        return table
    return _with_facts(replace(table, game=game_words(content.game_type)), content.state)


def _acted(table: TableState, content: ActionTaken) -> TableState:
    if content.state is None:
        act = partial(SeatState.acts, content=content)
        pot = table.pot if content.pot is None else content.pot
        seats = changed(table.seats, content.player_id, act)
        actor = seats.get(content.player_id)
        return replace(table, seats=seats, pot=pot, last=actor.number if actor else table.last)
    play = partial(SeatState.plays, words=action_words(content), content=content)
    table = replace(table, seats=changed(table.seats, content.player_id, play))
    return _with_facts(table, content.state)


def _with_facts(table: TableState, state: Fields) -> TableState:
    names = {seat.player_id: seat.name for seat in table.seats.values()}
    return replace(table, facts=facts_of(state, names))


def _street(table: TableState, board: tuple[Card, ...]) -> TableState:
    seats = {key: seat.next_round() for key, seat in table.seats.items()}
    return replace(table, board=board or table.board, seats=seats, last=table.button)


def _completed(table: TableState, content: HandCompleted, event: TableEvent) -> TableState:
    table = _paid(table, content, event)
    if content.scores is not None:
        return _game_completed(table, content)
    table = _street(table, content.community_cards)
    seats = table.seats
    for shown in content.shown:
        seats = changed(seats, shown.player_id, partial(SeatState.shows, hand=shown))
    pots = content.pot_amounts
    return replace(table, pot=sum(pot or 0 for pot in pots) if pots else table.pot, seats=seats)


def _game_completed(table: TableState, content: HandCompleted) -> TableState:
    if content.house:
        verb = "wins" if content.house > 0 else "loses"
        bank = f"the bank {verb} {chips(abs(content.house))}"
        table = replace(table, outcome=f"{table.outcome}, {bank}")
    public = content.public_result
    return table if public is None else _with_facts(table, public)


def _paid(table: TableState, content: HandCompleted, event: TableEvent) -> TableState:
    hand = (event.epoch or 1, content.hand_number or 0)
    is_new = content.hand_number is not None and hand > table.counted
    return replace(
        table,
        outcome=event.message.partition(": ")[2] or event.message,
        seats=paid(table.seats, table.before if is_new else {}, stacks_of(content.stacks)),
        hands_seen=table.hands_seen + is_new,
        counted=max(hand, table.counted) if is_new else table.counted,
    )


def _after_status(table: TableState, content: StatusChanged) -> TableState:
    seats, player_id = table.seats, content.player_id or ""
    match content.kind:
        case "street_dealt":
            table = _street(table, content.community_cards)
        case "sat_out" | "returned" as kind:
            sit = partial(SeatState.sits, is_out=kind == "sat_out")
            table = replace(table, seats=changed(seats, player_id, sit))
        case "rebought" | "cashed_out" if content.stack is not None:
            buy = partial(SeatState.has, stack=content.stack)
            table = replace(table, seats=changed(seats, player_id, buy))
        case "left":
            table = _without(table, player_id)
        case "hand_cancelled":
            for dealt_in, stack in table.before.items():
                seats = changed(seats, dealt_in, partial(SeatState.taken_back, stack=stack))
            table = replace(
                table, seats=seats, pot=0, board=(), facts={}, outcome="the hand is cancelled"
            )
        case "started" | "paused" | "finished" | "closed" as kind:
            table = replace(table, state=None if kind == "started" else kind)
    return table
