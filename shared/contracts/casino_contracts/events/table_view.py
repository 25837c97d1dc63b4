"""A table as a spectator sees it, folded from its public events: seats, hand, pots, who is to act.

Names and texts are those of a table that nobody vouches for.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final, Literal, NamedTuple, Self

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
from casino_contracts.events.payload_fields import PostedBet, ReportedSeat, ShownHand
from casino_contracts.events.table_event import TableEvent
from casino_contracts.lobby_messages import RoomSnapshot
from casino_contracts.player_messages import HOLDEM, Card, PlayerProfile, PlayerType
from casino_contracts.table_commands import PlayerSeat
from casino_contracts.table_config import TableConfig

PlayState = Literal["playing", "folded", "all-in", "waiting"]

_ROUNDS: Final = {0: "preflop", 3: "flop", 4: "turn", 5: "river"}
_CURRENT: Final = "current_player"  # whose action is awaited, in the public state of our games
_UNASKED: Final = {"sitting_out", "away"}
_DECIMALS: Final = 6
"""As many as an amount has: rounding removes what the subtraction of decimals leaves."""
_SMALLEST: Final = 1e-6
_FEWEST: Final = 2  # fewer players do not bet against each other


class Stake(NamedTuple):
    """What one player has put in during a hand."""

    chips: float
    is_folded: bool = False
    is_all_in: bool = False


@dataclass
class TableSeat:
    """A seated player."""

    player_id: str
    name: str
    number: int
    stack: float
    kind: PlayerType = "ai"
    model: str = ""  # the language model that decides, if the player names one
    state: PlayState = "waiting"
    bet: float = 0  # chips put in during this betting round
    action: str = ""  # the player's last action in this hand, or the forced bet
    has_acted: bool = False  # whether the player has acted in this betting round
    before: float | None = None  # the stack at the start of the hand; None for who was not dealt in
    shown: ShownHand | None = None
    sits_out: bool = False
    won: float = 0  # chips won or lost in the hands that were folded
    hands: int = 0  # how many those are
    faults: int = 0
    """Decisions that failed or were defaults, without turns of a seat that sits out or is away."""

    @property
    def stake(self) -> Stake:
        put_in = max(0, (self.before or 0) - self.stack)
        return Stake(put_in, self.state == "folded", self.state == "all-in")

    def rest(self) -> None:
        """Forget what belongs to the last hand."""
        self.state, self.bet, self.action, self.has_acted = "waiting", 0, "", False
        self.before = self.shown = None

    def post(self, posted: PostedBet) -> None:
        """Post a blind or ante; a blind counts as a bet of the round, an ante does not."""
        chips, kind = posted.amount or 0, posted.kind or ""
        self.stack = max(0, round(self.stack - chips, _DECIMALS))
        self.bet += chips if posted.is_bet else 0
        self.action = kind.replace("-", " ")
        self.state = "playing" if self.stack else "all-in"

    def act(self, content: ActionTaken) -> None:
        """Take a decision, of the player or of the table; a game's state says what it changes."""
        stack = self.stack if content.stack is None else content.stack
        if content.state is None:
            paid = self.bet + max(0, self.stack - stack)
            self.bet = paid if content.amount is None else content.amount
            self.state = "playing" if stack else "all-in"
        self.stack = stack
        if content.action == "fold":
            self.state = "folded"
        if content.action:
            self.action, self.has_acted = content.action, True
        self.faults += content.fault is not None and content.outcome not in _UNASKED


@dataclass
class TableView:
    """A room's table, as its public events tell it."""

    room_id: str
    game_type: str = HOLDEM
    config: TableConfig | None = None  # None before the first snapshot
    status: str = "waiting"
    state: str | None = None  # the room's state, if the lobby or the table says one
    epoch: int = 0
    sequence: int = 0  # of the newest event of the epoch
    seats: dict[str, TableSeat] = field(default_factory=dict)  # by player id
    gone: dict[str, TableSeat] = field(default_factory=dict)  # who left during the hand
    hands: int = 0  # hands that were folded to their end
    hand_number: int | None = None  # number of the running or last hand
    is_running: bool = False  # whether a hand is played
    betting_round: str = ""  # of a hand of Hold'em; the last one's until the next hand begins
    button: int | None = None
    last: int | None = None
    """The seat after which the next player is to act: who acted last, posted last, or deals."""
    pot: float = 0
    board: tuple[Card, ...] = ()
    public: dict[str, Any] = field(default_factory=dict)
    """The game's public state after the newest event that carried one; Hold'em has none."""

    @classmethod
    def of(cls, room: RoomSnapshot) -> Self:
        """Return the table of a room as a snapshot describes it, its newest events included."""
        table = cls(room.room_id, room.game_type or HOLDEM)
        table.catch_up(room)
        return table

    @property
    def in_order(self) -> list[TableSeat]:
        return sorted(self.seats.values(), key=lambda seat: seat.number)

    @property
    def to_act(self) -> TableSeat | None:
        """Who is to act in the running hand; None if nobody is, or it is not known."""
        if not self.is_running:
            return None
        if self.game_type != HOLDEM or self.public:
            current = self.public.get(_CURRENT)
            return self.seats.get(current) if isinstance(current, str) else None
        return None if self.last is None else _next_to_act(self.in_order, self.last)

    @property
    def pots(self) -> tuple[float, ...]:
        """The main pot and the side pots of the running hand of Hold'em, if there are several."""
        seats = {**self.gone, **self.seats}.values()
        pots = side_pots(seat.stake for seat in seats if seat.before is not None)
        is_complete = abs(sum(pots) - self.pot) < _SMALLEST
        is_shown = self.is_running and self.game_type == HOLDEM and is_complete
        return pots if is_shown and len(pots) > 1 else ()

    def catch_up(self, room: RoomSnapshot) -> list[TableEvent]:
        """Fold a snapshot, of which a part may be known; returns the events that were new."""
        self.config = room.config
        players = room.summary.players if room.summary else ()
        for player in players:
            self.seats.setdefault(player.player_id, _seat_of(player))
        new = [event for event in room.events if self.apply(event)]
        if room.summary is not None:
            # The events may start in the middle of a hand: players and stacks are the summary's.
            seats, self.seats = self.seats, {}
            for player in sorted(players, key=lambda player: player.seat_number):
                seat = self.seats[player.player_id] = seats.get(player.player_id, _seat_of(player))
                seat.number, seat.stack = player.seat_number, player.stack
            self.status = room.summary.status
        self.state = room.state
        return new

    def apply(self, event: TableEvent) -> bool:
        """Fold one event; returns whether it was new. Fields that cannot be read change nothing."""
        epoch, sequence = event.epoch or self.epoch, event.sequence or self.sequence + 1
        if (epoch, sequence) <= (self.epoch, self.sequence):
            return False
        self.epoch, self.sequence = epoch, sequence
        self._fold(content_of(event), event)
        return True

    def _fold(self, content: EventContent | None, _event: TableEvent, /) -> None:
        match content:
            case PlayerRegistered(seat=seat):
                self._report(seat)
            case HandStarted():
                self._start_hand(content)
            case ActionTaken():
                self._act(content)
            case HandCompleted():
                self._complete_hand(content)
            case PlayerBusted(player_id=player_id):
                self._leave(player_id)
            case StatusChanged():
                self._change_status(content)
            case TableFailed(status=status):
                self.status = status or self.status
                self.is_running = self.is_running and status != "error"

    def _report(self, reported: ReportedSeat) -> TableSeat | None:
        seat = self.seats.get(reported.player_id)
        if seat is None:
            player = reported.complete
            if player is not None:
                seat = self.seats[reported.player_id] = _seat_of(player)
            return seat
        seat.name = reported.display_name or seat.name
        seat.number = seat.number if reported.seat_number is None else reported.seat_number
        seat.stack = seat.stack if reported.stack is None else reported.stack
        seat.kind = reported.player_type or seat.kind
        seat.model = _model_of(reported.profile) or seat.model
        return seat

    def _start_hand(self, content: HandStarted) -> None:
        self.status, self.state, self.is_running = "running", None, True
        self.hand_number = content.hand_number or self.hand_number
        self.button = self.last = content.button_seat
        self.betting_round, self.board, self.gone = _ROUNDS[0], (), {}
        self.pot = sum(posted.amount or 0 for posted in content.posted)
        self.public = dict(content.state or {})
        if content.state is not None:
            self.game_type = content.game_type or self.game_type
        for seat in self.seats.values():
            seat.rest()
        reported = [self._report(player) for player in content.players]
        for dealt in reported or self.seats.values():
            if dealt is not None:
                dealt.state, dealt.before = "playing", dealt.stack
        for posted in content.posted:
            if poster := self.seats.get(posted.player_id):
                poster.post(posted)
                if posted.is_bet and posted.kind != "post":
                    self.last = poster.number

    def _act(self, content: ActionTaken) -> None:
        seat = self.seats.get(content.player_id)
        if seat is not None:
            seat.act(content)
        if content.state is not None:
            self.public = dict(content.state)
            return
        self.pot = self.pot if content.pot is None else content.pot
        self.betting_round = content.betting_round or self.betting_round
        self.last = seat.number if seat else self.last

    def _next_round(self, board: tuple[Card, ...]) -> None:
        for seat in self.seats.values():
            seat.bet, seat.has_acted = 0, False
        self.board = board or self.board
        self.last = self.button

    def _complete_hand(self, content: HandCompleted) -> None:
        self.is_running = False
        self.hands += content.hand_number is not None
        for player_id, stack in content.stacks:
            seat = self.seats.get(player_id)
            if seat is None or stack is None:
                continue
            if content.hand_number is not None and seat.before is not None:
                seat.won += stack - seat.before
                seat.hands += 1
            seat.stack = stack
        if content.public_result is not None:
            self.public = dict(content.public_result)
        if content.scores is not None:
            return
        self._next_round(content.community_cards)
        for shown in content.shown:
            if seat := self.seats.get(shown.player_id):
                seat.shown = shown
        if content.pot_amounts:
            self.pot = sum(amount or 0 for amount in content.pot_amounts)

    def _change_status(self, content: StatusChanged) -> None:
        self.status = content.status or self.status
        seat = self.seats.get(content.player_id or "")
        if seat is not None and content.stack is not None:
            seat.stack = content.stack
        match content.kind:
            case "street_dealt":
                self._next_round(content.community_cards)
                by_board = _ROUNDS.get(len(self.board), self.betting_round)
                self.betting_round = content.betting_round or by_board
            case "sat_out" | "returned" if seat is not None:
                seat.sits_out = content.kind == "sat_out"
            case "left":
                self._leave(content.player_id or "")
            case "hand_cancelled":
                self._cancel_hand()
            case "paused":
                self.state = "paused"
            case "started" | "finished" | "closed" as kind:
                self.state = None if kind == "started" else kind
                self.is_running = False

    def _cancel_hand(self) -> None:
        self.is_running, self.pot, self.board = False, 0, ()
        for seat in self.seats.values():
            if seat.before is not None:
                seat.stack = seat.before
                seat.rest()

    def _leave(self, player_id: str) -> None:
        if seat := self.seats.pop(player_id, None):
            self.gone = {**self.gone, player_id: seat}


def side_pots(stakes: Iterable[Stake]) -> tuple[float, ...]:
    """Return the amounts of the main pot and of each side pot; their sum is all chips put in.

    A pot ends at the stake of a player who is all-in, where somebody else has more.

    >>> side_pots([Stake(50, is_all_in=True), Stake(120), Stake(120), Stake(10, is_folded=True)])
    (160, 140)
    """
    everybody = [*stakes]
    most = max((stake.chips for stake in everybody), default=0)
    ends = {stake.chips for stake in everybody if stake.is_all_in and not stake.is_folded}
    return tuple(
        round(sum(min(stake.chips, high) - min(stake.chips, low) for stake in everybody), _DECIMALS)
        for low, high in pairwise(sorted({0.0, most, *ends}))
    )


def _seat_of(player: PlayerSeat) -> TableSeat:
    kind, model = player.player_type or "ai", _model_of(player.profile)
    place = player.seat_number, player.stack, kind, model
    return TableSeat(player.player_id, player.display_name, *place)


def _model_of(profile: PlayerProfile | None) -> str:
    return (profile and profile.model) or ""


def _next_to_act(seats: Sequence[TableSeat], last: int) -> TableSeat | None:
    """Return who of a hand of Hold'em acts after a seat; None if the round is over."""
    dealt_in = [seat for seat in seats if seat.state in {"playing", "all-in"}]
    clockwise = sorted(dealt_in, key=lambda seat: (seat.number <= last, seat.number))
    highest = max((seat.bet for seat in seats), default=0)
    deciding = [seat for seat in clockwise if seat.state == "playing"]
    has_matched = all(seat.bet >= highest for seat in deciding)
    if len(dealt_in) < _FEWEST or (len(deciding) < _FEWEST and has_matched):
        return None
    waiting = (seat for seat in deciding if not seat.has_acted or seat.bet < highest)
    return next(waiting, None)
