"""The state of a table between hands: seats, stacks, button, hand number, status. Pure.

Chips are integers of the table's unit. Their sum is checked after every hand.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

from casino_agentkit import CommandRefused, Violation
from casino_contracts import (
    HOLDEM,
    ButtonRule,
    Continuation,
    PlayerSeat,
    Reason,
    SeatAssignment,
    TableConfig,
    TableStatus,
    TableSummary,
    Unit,
)
from casino_games import HOUSE
from pydantic import TypeAdapter

from casino_table.domain.seat import HandPositions, Places, Seat, next_deal
from casino_table.errors import ChipsNotConserved

_PLAYERS_NEEDED = 2


@dataclass(frozen=True)
class Stakes:
    """The blinds and the ante of a session, in chips."""

    small_blind: int
    big_blind: int
    ante: int


NO_STAKES = Stakes(0, 0, 0)


class SessionStart(NamedTuple):
    """What a session begins with."""

    stakes: Stakes
    hands: int
    request_id: str | None


def chips_of(unit: Unit, field: str, amount: float) -> int:
    """Return an amount in chips; raises CommandRefused: INVALID_AMOUNT, with the field."""
    try:
        return unit.chips(amount)
    except ValueError as error:
        raise CommandRefused(
            Reason.INVALID_AMOUNT, f"{field}: {error}.", (Violation(field, str(error)),)
        ) from error


class BeforeHand(NamedTuple):
    """What the deal of a hand changed: after a cancelled hand the next one is dealt alike."""

    places: Places | None
    newcomers: tuple[int, ...]
    """The numbers of the seats that were dealt in for the first time."""


@dataclass
class Table:
    """One configured table."""

    table_id: str
    casino_name: str
    config: TableConfig
    epoch: int
    game_type: str
    game_config: Mapping[str, Any]
    min_players: int = _PLAYERS_NEEDED
    chips_needed: int = 1
    """The smallest stack that is dealt in."""
    plays_for_chips: bool = True
    """Whether the scores of the game are chips; points move none."""
    seats: dict[int, Seat] = field(default_factory=dict)
    hand_number: int = 0
    hands_completed: int = 0
    hands_left: int = 0
    status: TableStatus = "waiting"
    state: str | None = None
    message: str = "waiting for players"
    bought_in: int = 0
    """Chips brought to the table, less chips taken away."""
    last_big_blind: int | None = None
    last_small_blind: int | None = None
    """The seat where the last small blind was due."""
    before_hand: BeforeHand | None = None
    """Of the running hand."""
    stakes: Stakes = NO_STAKES
    """The stakes of the session; before the first session those of `config`."""
    started_by: str | None = None
    """The `requestId` of the `startGame` of the session."""
    is_closing: bool = False

    def __post_init__(self) -> None:
        self.unit = Unit.of(self.config)
        if self.stakes == NO_STAKES:
            self.stakes = Stakes(
                self.unit.chips(self.config.small_blind),
                self.unit.chips(self.config.big_blind),
                self.unit.chips(self.config.ante),
            )

    def to_json(self) -> dict[str, Any]:
        data: dict[str, Any] = _adapter().dump_python(self, mode="json")
        return data

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Table":
        return _adapter().validate_python(data)

    # Seats.

    def take_seat(self, seat: Seat) -> None:
        self.seats[seat.number] = seat
        self.bought_in += seat.stack

    def go_on(
        self, assignments: Sequence[SeatAssignment], continuation: Continuation | None
    ) -> None:
        """Go on with seats and hand count. Raises CommandRefused: INVALID_SEATS, INVALID_AMOUNT."""
        if continuation:
            self.hand_number = continuation.hand_number
            self.hands_completed = continuation.hand_count
            self.last_big_blind = continuation.big_blind_seat
            self.last_small_blind = continuation.small_blind_seat
        for assignment in assignments:
            self._assign(assignment)

    def _assign(self, assignment: SeatAssignment) -> None:
        number = assignment.seat_number
        if number in self.seats or number >= self.config.max_seats:
            raise CommandRefused(
                Reason.INVALID_SEATS,
                f"Seat {number} cannot be assigned to {assignment.player_id}.",
                (Violation("seats", "one player per seat, within maxSeats"),),
            )
        seat = Seat(
            number,
            assignment.player_id,
            assignment.display_name,
            assignment.agent_card_url,
            assignment.action_skill,
            chips_of(self.unit, "seats.stack", assignment.stack),
            is_new=False,
            plays_any_game=bool(assignment.plays_any_game),
            token=assignment.seat_token,
            clock_ms=self.config.granted_clock_ms(assignment.clock_ms),
            player_type=assignment.player_type,
            profile=assignment.profile,
        )
        self.take_seat(seat)

    # A session.

    def begin(self, start: SessionStart) -> None:
        """Begin a session; every seat has its whole time bank again."""
        for seat in self.seats.values():
            seat.time_bank_used_ms = 0
        self.stakes, self.hands_left, self.started_by = start
        self.status, self.state, self.message = "running", None, "the session has begun"

    @property
    def rebuys(self) -> bool:
        return self.config.rebuy == "auto" or self.config.reset_stacks is True

    def with_chips(self) -> list[Seat]:
        return [seat for seat in self.seats.values() if seat.stack >= self.chips_needed]

    def active(self) -> list[Seat]:
        return [seat for seat in self.with_chips() if not seat.sits_out]

    def can_play_on(self) -> bool:
        """Return whether the session goes on: hands left, and enough seats with chips."""
        return self.hands_left > 0 and len(self.with_chips()) >= self.min_players

    @property
    def button_rule(self) -> ButtonRule:
        """The rule of the next hand's deal; games without blinds have no use for a dead button."""
        return self.config.button_rule or "dead" if self.game_type == HOLDEM else "moving"

    @property
    def _last_places(self) -> Places | None:
        big_blind = self.last_big_blind
        return None if big_blind is None else Places(self.last_small_blind, big_blind)

    def coming_deal(self, rule: ButtonRule) -> HandPositions:
        """Return the positions of the next hand, which is not dealt yet."""
        return next_deal(self.with_chips(), self._last_places, self.hand_number + 1, rule)

    def next_deal(self, rule: ButtonRule = "dead") -> HandPositions:
        deal = self.coming_deal(rule)
        newcomers = [seat for seat in deal.seats if seat.is_new]
        numbers = tuple(seat.number for seat in newcomers)
        self.before_hand = BeforeHand(self._last_places, numbers)
        self.hand_number = deal.number
        self.hands_left -= 1
        self.last_small_blind, self.last_big_blind = deal.places
        for seat in newcomers:
            seat.is_new = False
        return deal

    def settle(self, deal: HandPositions, scores: Mapping[str, int]) -> None:
        """Pay out a hand; `scores` are the chips won or lost, by player id and of the house.

        Chips that the house wins leave the table, chips that it loses are added.
        Raises ChipsNotConserved; scores that do not add up change nothing.
        """
        if sum(scores.values()) != 0 or any(
            seat.stack + scores[seat.player_id] < 0 for seat in deal.seats
        ):
            raise ChipsNotConserved(f"hand {deal.number} does not add up")
        for seat in deal.seats:
            seat.stack_before = seat.stack
            seat.stack += scores[seat.player_id]
        self.bought_in -= scores.get(HOUSE, 0)
        self.hands_completed += 1
        self.before_hand = None
        self.check_chips()

    def check_chips(self) -> None:
        """Raise ChipsNotConserved unless the stacks add up to `bought_in`."""
        on_the_table = sum(seat.stack for seat in self.seats.values())
        if on_the_table != self.bought_in:
            raise ChipsNotConserved(f"{on_the_table} chips instead of {self.bought_in}")

    def cancel(self, number: int) -> None:
        """Cancel a hand: stacks and positions are as before it, its number is not used again.

        A table that was stopped keeps saying why.
        """
        self.hands_left += 1
        if self.before_hand is not None:
            places, newcomers = self.before_hand
            self.last_small_blind, self.last_big_blind = places or (None, None)
            for seat in self.seats.values():
                seat.is_new = seat.is_new or seat.number in newcomers
            self.before_hand = None
        if self.status != "error":
            self.message = f"hand {number} was cancelled"

    def rebuy_busted(self) -> list[Seat]:
        """Add the starting stack to each seat that cannot be dealt in; returns those seats."""
        if not self.rebuys:
            return []
        busted = [seat for seat in self.seats.values() if seat.stack < self.chips_needed]
        bought = self.unit.chips(self.config.starting_stack)
        for seat in busted:
            seat.stack += bought
            self.bought_in += bought
        return busted

    def reset_stacks(self) -> list[tuple[Seat, int]]:
        """Set every stack to the starting stack; returns the chips that each changed seat bought.

        A seat that had more pays chips out: the number is negative. The table's total follows, so
        that no chip appears or vanishes.
        """
        start = self.unit.chips(self.config.starting_stack)
        bought = [(seat, start - seat.stack) for seat in self.seats.values() if seat.stack != start]
        for seat, chips in bought:
            seat.stack += chips
            self.bought_in += chips
        return bought

    def free_busted(self) -> list[Seat]:
        """Free the seats without chips unless they rebuy; returns the best finish first."""
        if self.rebuys:
            return []
        busted = [seat for seat in self.seats.values() if seat.stack == 0]
        for seat in busted:
            del self.seats[seat.number]
        return sorted(busted, key=lambda seat: -seat.stack_before)

    def seat_of(self, player_id: str) -> Seat:
        for seat in self.seats.values():
            if seat.player_id == player_id:
                return seat
        raise CommandRefused(
            Reason.UNKNOWN_PLAYER, f"No player with the id {player_id} is seated at this table."
        )

    def mark_short_stacks_leaving(self) -> None:
        for seat in self.seats.values():
            if 0 < seat.stack < self.chips_needed and not self.rebuys:
                seat.is_leaving = True

    def free_leaving(self) -> list[Seat]:
        """Free the seats of leaving players, who take their chips; returns them."""
        leaving = [seat for seat in self.seats.values() if seat.is_leaving]
        for seat in leaving:
            del self.seats[seat.number]
            self.bought_in -= seat.stack
        return leaving

    def pause(self, state: str | None, message: str) -> None:
        """Say why play waits; or with what it said before, that it goes on."""
        self.state, self.message = state, message

    def note_hand(self, number: int) -> None:
        self.message = f"hand {number}"

    def begin_closing(self) -> None:
        """Let the table close after the running hand."""
        self.is_closing, self.state = True, "closing"

    def stop(self, message: str, state: str | None = None) -> None:
        self.status, self.message = "error", message
        self.state = state or self.state

    def close(self, state: str) -> None:
        """End the table: all players leave with their chips."""
        self.clear()
        self.status, self.state = "idle", state

    def finish(self, message: str) -> None:
        self.status, self.state, self.message = "idle", None, message

    def clear(self) -> None:
        self.bought_in -= sum(seat.stack for seat in self.seats.values())
        self.seats.clear()
        self.check_chips()

    def player_seat(self, seat: Seat) -> PlayerSeat:
        return PlayerSeat(
            player_id=seat.player_id,
            seat_number=seat.number,
            display_name=seat.display_name,
            stack=self.unit.amount(seat.stack),
            player_type=seat.player_type,
            profile=seat.profile,
        )

    def summary(self) -> TableSummary:
        return TableSummary(
            table_id=self.table_id,
            status=self.status,
            hand_count=self.hands_completed,
            players=tuple(self.player_seat(self.seats[number]) for number in sorted(self.seats)),
            message=self.message,
            state=self.state,
            epoch=self.epoch,
            plays_for=None if self.plays_for_chips else "points",
        )


@cache
def _adapter() -> TypeAdapter[Table]:
    return TypeAdapter(Table)
