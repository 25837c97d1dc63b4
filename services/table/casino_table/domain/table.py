"""The state of a table between hands: seats, stacks, button, hand number, status. Pure.

Chips are integers of the table's unit; none is made or lost, which is checked after every hand.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from casino_agentkit import CommandRefused, Violation
from casino_contracts import (
    Continuation,
    PlayerSeat,
    SeatAssignment,
    SeatPlayerInput,
    StartGameInput,
    TableConfig,
    TableStatus,
    TableSummary,
    Unit,
)
from casino_games import HOUSE
from pydantic import TypeAdapter

from casino_table.domain.positions import HandPositions, next_deal
from casino_table.domain.seat import Seat

_PLAYERS_NEEDED = 2


class ChipsNotConserved(Exception):
    """A hand made or lost chips: a fault of ours, after which nothing may be played."""


@dataclass(frozen=True)
class Stakes:
    """The blinds and the ante of a session, in chips."""

    small_blind: int
    big_blind: int
    ante: int


_NONE = Stakes(0, 0, 0)


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
    """A seat with fewer is not dealt in."""
    seats: dict[int, Seat] = field(default_factory=dict)
    hand_number: int = 0
    hands_completed: int = 0
    hands_left: int = 0
    status: TableStatus = "waiting"
    state: str | None = None
    message: str = "waiting for players"
    bought_in: int = 0
    """Chips that came to the table less those that left it with their owners."""
    last_big_blind: int | None = None
    stakes: Stakes = _NONE
    """Those of the session, before the first one those of the config."""
    started_by: str | None = None
    """The `requestId` of the start of the session."""
    is_closing: bool = False

    def __post_init__(self) -> None:
        """Fix the unit, and the stakes where no session has."""
        self.unit = Unit.of(self.config)
        if self.stakes == _NONE:
            self.stakes = Stakes(
                self.unit.chips(self.config.small_blind),
                self.unit.chips(self.config.big_blind),
                self.unit.chips(self.config.ante),
            )

    def to_json(self) -> dict[str, Any]:
        """Return everything as JSON values, for the journal."""
        data: dict[str, Any] = _adapter().dump_python(self, mode="json")
        return data

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Table":
        """Return the table that stood so."""
        return _adapter().validate_python(data)

    # Seats.

    def take_seat(self, player: SeatPlayerInput) -> tuple[Seat, bool]:
        """Seat a player and say whether he is new; who sits here already keeps his seat.

        Raises CommandRefused: PLAYER_ID_TAKEN, BUY_IN_OUT_OF_RANGE, INVALID_AMOUNT, TABLE_FULL.
        """
        for seat in self.seats.values():
            if seat.player_id == player.player_id:
                if seat.card_url == player.agent_card_url:
                    return seat, False
                raise CommandRefused(
                    "PLAYER_ID_TAKEN",
                    f"{player.player_id} is seated with another agent card; use another playerId.",
                )
        stack = self._buy_in(player.starting_stack)
        number = self._free_seat(player.preferred_seat)
        seat = Seat(
            number,
            player.player_id,
            player.display_name,
            player.agent_card_url,
            player.action_skill,
            stack,
            plays_any_game=bool(player.plays_any_game),
            token=player.seat_token,
        )
        self.seats[number] = seat
        self.bought_in += stack
        return seat, True

    def take_back_seat(self, seat: Seat) -> None:
        """Undo a registration that could not be kept."""
        del self.seats[seat.number]
        self.bought_in -= seat.stack

    def restore(self, before: dict[str, Any]) -> None:
        """Undo a command that could not be kept; only between sessions, for the seats are new."""
        vars(self).update(vars(Table.from_json(before)))

    def go_on(
        self, assignments: Sequence[SeatAssignment], continuation: Continuation | None
    ) -> None:
        """Go on from the seats of a predecessor; no buy-in is booked for them.

        Raises CommandRefused: INVALID_SEATS, INVALID_AMOUNT.
        """
        if continuation:
            self.hand_number = continuation.hand_number
            self.hands_completed = continuation.hand_count
            self.last_big_blind = continuation.big_blind_seat
        for given in assignments:
            if given.seat_number in self.seats or given.seat_number >= self.config.max_seats:
                raise CommandRefused(
                    "INVALID_SEATS",
                    f"Seat {given.seat_number} cannot be given to {given.player_id}.",
                    (Violation("seats", "one player per seat, within maxSeats"),),
                )
            seat = Seat(
                given.seat_number,
                given.player_id,
                given.display_name,
                given.agent_card_url,
                given.action_skill,
                self._chips("seats.stack", given.stack),
                is_new=False,
                plays_any_game=bool(given.plays_any_game),
                token=given.seat_token,
            )
            self.seats[seat.number] = seat
            self.bought_in += seat.stack

    def _buy_in(self, amount: float) -> int:
        config = self.config
        if not config.min_buy_in <= amount <= config.max_buy_in:
            raise CommandRefused(
                "BUY_IN_OUT_OF_RANGE",
                f"The buy-in {amount} must lie between {config.min_buy_in} and"
                f" {config.max_buy_in}.",
                (Violation("startingStack", f"{config.min_buy_in} to {config.max_buy_in}"),),
            )
        return self._chips("startingStack", amount)

    def _chips(self, name: str, amount: float) -> int:
        try:
            return self.unit.chips(amount)
        except ValueError as error:
            raise CommandRefused(
                "INVALID_AMOUNT", f"{name}: {error}.", (Violation(name, str(error)),)
            ) from error

    def _free_seat(self, preferred: int | None) -> int:
        free = [number for number in range(self.config.max_seats) if number not in self.seats]
        if not free:
            raise CommandRefused("TABLE_FULL", f"All {self.config.max_seats} seats are taken.")
        return preferred if preferred in free else free[0]

    # A session.

    def begin(self, overrides: StartGameInput) -> None:
        """Begin a session of `maxHands` hands.

        Raises CommandRefused: ALREADY_RUNNING, NOT_ENOUGH_PLAYERS, INVALID_AMOUNT, INVALID_BLINDS;
        a refused start changes nothing.
        """
        if self.status == "running":
            raise CommandRefused(
                "ALREADY_RUNNING", "A session is running; wait until it has finished."
            )
        if self.status == "error":
            raise CommandRefused("TABLE_ERROR", f"The table has stopped: {self.message}")
        ready = len(self.seats) if self.rebuys else len(self.with_chips())
        if ready < self.min_players:
            raise CommandRefused(
                "NOT_ENOUGH_PLAYERS",
                f"{self.min_players} players with chips are needed, {ready} are here.",
            )
        small_blind = self._chips("smallBlind", overrides.small_blind or self.config.small_blind)
        big_blind = self._chips("bigBlind", overrides.big_blind or self.config.big_blind)
        if small_blind > big_blind:
            raise CommandRefused(
                "INVALID_BLINDS",
                "The small blind must not be larger than the big blind.",
                (Violation("smallBlind", f"at most {self.unit.amount(big_blind)}"),),
            )
        # Players sat down for the room's rules: a start may not put a whole buy-in into one blind.
        most = max(self.config.min_buy_in, self.config.big_blind)
        if big_blind > self._chips("minBuyIn", most):
            raise CommandRefused(
                "INVALID_BLINDS",
                "The big blind must not be larger than the smallest buy-in, or than the room's own"
                f" big blind: {most}.",
                (Violation("bigBlind", f"at most {most}"),),
            )
        self.stakes = Stakes(small_blind, big_blind, self.unit.chips(self.config.ante))
        self.hands_left = overrides.max_hands or self.config.max_hands
        self.started_by = overrides.request_id
        self.status, self.state, self.message = "running", None, "the session has begun"

    @property
    def rebuys(self) -> bool:
        """Whether a busted seat buys in again by itself."""
        return self.config.rebuy == "auto"

    def with_chips(self) -> list[Seat]:
        """Return the seats that can be dealt in."""
        return [seat for seat in self.seats.values() if seat.stack >= self.chips_needed]

    def active(self) -> list[Seat]:
        """Return the seats with chips that do not sit out."""
        return [seat for seat in self.with_chips() if not seat.sits_out]

    def can_play_on(self) -> bool:
        """Tell whether the session goes on: hands left, and enough seats with chips."""
        return self.hands_left > 0 and len(self.with_chips()) >= self.min_players

    def next_deal(self) -> HandPositions:
        """Return the next hand's deal, and count it."""
        deal = next_deal(self.with_chips(), self.last_big_blind, self.hand_number + 1)
        self.hand_number = deal.number
        self.hands_left -= 1
        self.last_big_blind = deal.big_blind_seat
        for seat in deal.seats:
            seat.is_new = False
        return deal

    def settle(self, deal: HandPositions, scores: Mapping[str, int]) -> None:
        """Pay out a hand; `scores` are the chips each player won or lost, and the house's.

        What the house wins leaves the table, what it loses comes to it.
        Raises ChipsNotConserved, and then nothing has changed.
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
        self.check_chips()

    def check_chips(self) -> None:
        """Raise ChipsNotConserved unless the stacks are exactly the chips that were bought."""
        on_the_table = sum(seat.stack for seat in self.seats.values())
        if on_the_table != self.bought_in:
            raise ChipsNotConserved(f"{on_the_table} chips instead of {self.bought_in}")

    def cancel(self, deal: HandPositions) -> None:
        """Take a hand back: stacks are as before it, its number is spent."""
        self.hands_left += 1
        self.message = f"hand {deal.number} was cancelled"

    def rebuy_busted(self) -> list[Seat]:
        """Let every seat that cannot be dealt in buy the starting stack; returns those seats."""
        if not self.rebuys:
            return []
        busted = [seat for seat in self.seats.values() if seat.stack < self.chips_needed]
        bought = self.unit.chips(self.config.starting_stack)
        for seat in busted:
            seat.stack += bought
            self.bought_in += bought
        return busted

    def free_busted(self) -> list[Seat]:
        """Free the seats without chips, where they do not buy again; the best placed is first."""
        if self.rebuys:
            return []
        busted = [seat for seat in self.seats.values() if seat.stack == 0]
        for seat in busted:
            del self.seats[seat.number]
        return sorted(busted, key=lambda seat: -seat.stack_before)

    def seat_of(self, player_id: str) -> Seat:
        """Return a player's seat; raises CommandRefused: UNKNOWN_PLAYER."""
        for seat in self.seats.values():
            if seat.player_id == player_id:
                return seat
        raise CommandRefused("UNKNOWN_PLAYER", f"Nobody with the id {player_id} is seated here.")

    def send_away_short(self) -> None:
        """Let who has too few chips to be dealt in leave with them, where nobody buys again."""
        for seat in self.seats.values():
            if 0 < seat.stack < self.chips_needed and not self.rebuys:
                seat.is_leaving = True

    def let_leave(self) -> list[Seat]:
        """Free the seats of those who want to go, with their chips; returns them."""
        leaving = [seat for seat in self.seats.values() if seat.is_leaving]
        for seat in leaving:
            del self.seats[seat.number]
            self.bought_in -= seat.stack
        return leaving

    def finish(self, message: str) -> None:
        """End the session; stacks stay for the next one."""
        self.status, self.state, self.message = "idle", None, message

    def clear(self) -> None:
        """Everybody leaves with his chips."""
        self.bought_in -= sum(seat.stack for seat in self.seats.values())
        self.seats.clear()
        self.check_chips()

    def player_seat(self, seat: Seat) -> PlayerSeat:
        """Return a seat as the wire shows it."""
        return PlayerSeat(
            player_id=seat.player_id,
            seat_number=seat.number,
            display_name=seat.display_name,
            stack=self.unit.amount(seat.stack),
        )

    def summary(self) -> TableSummary:
        """Return how the table stands."""
        return TableSummary(
            table_id=self.table_id,
            status=self.status,
            hand_count=self.hands_completed,
            players=tuple(self.player_seat(self.seats[number]) for number in sorted(self.seats)),
            message=self.message,
            state=self.state,
            epoch=self.epoch,
        )


@cache
def _adapter() -> TypeAdapter[Table]:
    return TypeAdapter(Table)
