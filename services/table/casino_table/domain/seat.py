"""The seats of a table: their players, roles, and the positions of a hand. Pure.

The big blind moves to the next seat with chips, so no seat posts it twice in a row. Heads-up the
other seat has the button and the small blind. Among more, by the rule of the room:

* dead button (TDA 32): the small blind is due at the seat of the last big blind, the button is at
  that of the last small blind. Where nobody is dealt in at such a seat any more, nobody posts the
  small blind, or the button is before an empty seat: everybody pays both blinds in turn.
* moving button: the small blind is the dealt seat before the big blind, the button the one before.

So it is, by either rule, in the first hand, and where the game begins anew among newcomers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple

from casino_contracts import ButtonRule, PlayerProfile, PlayerType, TableConfig
from casino_games import ArenaPlayer, InvalidConfig, config_class
from casino_games.game import MOST_SEATS, faults_in
from casino_play.turn import AgentSeat
from pydantic import BaseModel, ConfigDict, Field, ValidationError

_KEY = "players"
Name = Annotated[str, Field(min_length=1, max_length=128)]
_HEADS_UP = 2


@dataclass
class Seat:
    """One player at the table; `stack` is in chips."""

    number: int
    player_id: str
    display_name: str
    card_url: str
    action_skill: str
    stack: int
    is_new: bool = True
    """Not dealt in yet: waits for the big blind."""
    failures: int = 0
    """Consecutive missed decisions."""
    sits_out: bool = False
    returns: int = 0
    """How often the seat came back from sitting out; each return doubles the next wait."""
    rounds_to_wait: int = 0
    """Polls until the next probe of a seat that sits out."""
    is_away: bool = False
    """Whether the seat sits out because its program said that nobody is there."""
    is_leaving: bool = False
    """Whether the seat is freed after the running hand."""
    plays_any_game: bool = False
    """Whether questions use the format of game specifications, in Hold'em too."""
    token: str | None = field(default=None, repr=False)
    """The token that authenticates this table to the player's agent."""
    stack_before: int = 0
    """The stack before the last hand; of players busted together the larger finishes higher."""
    clock_ms: int | None = None
    """The time for a decision that was granted at the signup; None: the config's."""
    time_bank_used_ms: int = 0
    """How much of the session's time bank is used."""
    player_type: PlayerType | None = None
    """Who decides for the player, as it said itself; None: unknown."""
    profile: PlayerProfile | None = None
    """What the player's program says of itself."""

    @property
    def absence(self) -> str | None:
        """`away`, if it leaves while nobody is there; else None."""
        return "away" if self.is_away else None

    def answered(self) -> None:
        """Reset the count of missed decisions."""
        self.failures = 0

    def failed(self, max_failures: int, *, is_away: bool = False) -> bool:
        """Count a missed decision; returns whether the seat sits out from now on."""
        self.failures += 1
        if self.sits_out or self.failures < max_failures:
            return False
        self.sits_out, self.is_away = True, is_away
        self.rounds_to_wait = 0 if is_away else 2**self.returns
        return True

    def came_back(self, max_failures: int) -> None:
        """Stop sitting out; the next missed decision in a row starts it again.

        Only returns of an agent that failed make it wait longer: an absent one held nobody up.
        """
        self.returns += not self.is_away
        self.sits_out = self.is_away = False
        self.failures = max_failures - 1

    def use_time_bank(self, latency_ms: int, config: TableConfig) -> None:
        """Charge a decision that took longer than the seat's clock to its time bank."""
        over_ms = latency_ms - self.clock_in(config)
        if over_ms > 0 and config.time_bank_ms:
            self.time_bank_used_ms = min(self.time_bank_used_ms + over_ms, config.time_bank_ms)

    def clock_in(self, config: TableConfig) -> int:
        """Return the seat's time for a decision, in ms."""
        return self.clock_ms or config.action_timeout_ms

    def agent_seat(self, config: TableConfig) -> AgentSeat:
        return AgentSeat(
            self.card_url,
            self.action_skill,
            self.clock_in(config),
            self.token,
            self.time_bank_in(config),
        )

    def time_bank_in(self, config: TableConfig) -> int | None:
        """Return what is left of the time bank, in ms; None if the table has none."""
        time_bank_ms = config.time_bank_ms
        return max(0, time_bank_ms - self.time_bank_used_ms) if time_bank_ms else None


class SeatRole(BaseModel):
    """What a room says about the player of one seat."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    team: Name | None = None
    role: Name = "player"
    type: Name = "agent"

    def player(self, player_id: str) -> ArenaPlayer:
        return ArenaPlayer(player_id, self.team, self.role, self.type)


class _Roles(BaseModel):
    players: Annotated[tuple[SeatRole, ...], Field(max_length=MOST_SEATS)]


def roles_in(game_type: str, game_config: Mapping[str, Any]) -> tuple[SeatRole, ...]:
    """Return the roles by seat number, () where the room gives none.

    A game whose own settings have `players` reads them itself. Raises `InvalidConfig`.
    """
    if _KEY not in game_config or _is_own(game_type):
        return ()
    try:
        return _Roles(players=game_config[_KEY]).players
    except ValidationError as error:
        raise InvalidConfig(faults_in(error, _KEY)) from None


def settings_in(game_type: str, game_config: Mapping[str, Any]) -> dict[str, Any]:
    if _is_own(game_type):
        return dict(game_config)
    return {name: value for name, value in game_config.items() if name != _KEY}


def _is_own(game_type: str) -> bool:
    return _KEY in config_class(game_type).model_fields


class Places(NamedTuple):
    """The seats of the blinds of a hand; a dead small blind is at a seat of nobody in it."""

    small_blind: int | None
    """None: unknown, in the state of an older table or lobby."""
    big_blind: int


@dataclass(frozen=True)
class HandPositions:
    """The seats of one hand, clockwise by number, and the numbers of button's and blinds' seats.

    The button's may be the seat of nobody in the hand, as may the small blind's.
    """

    number: int
    seats: tuple[Seat, ...]
    button_seat: int
    places: Places

    @property
    def button(self) -> int:
        """The index of the seat with the button, or of the last one before a dead button."""
        return (sum(seat.number <= self.button_seat for seat in self.seats) - 1) % len(self.seats)

    @property
    def has_small_blind(self) -> bool:
        return any(seat.number == self.places.small_blind for seat in self.seats)

    def seat_of(self, player_id: str) -> Seat:
        return next(seat for seat in self.seats if seat.player_id == player_id)


def next_deal(
    seats: Sequence[Seat], last: Places | None, number: int, rule: ButtonRule = "dead"
) -> HandPositions:
    """Return the deal of the next hand; at least one of the seats must have chips.

    A new seat waits for the big blind, or is dealt in at once if fewer than two other seats would
    be. In the first hand the button is the lowest seat.
    """
    playing = sorted((seat for seat in seats if seat.stack > 0), key=lambda seat: seat.number)
    settled = [seat for seat in playing if not seat.is_new]
    goes_on = len(settled) >= _HEADS_UP
    if not goes_on:
        settled = playing
    if last is None:
        big_blind = settled[min(len(settled) - 1, 2)]
    else:
        later = [seat for seat in playing if seat.number > last.big_blind]
        big_blind = (later or playing)[0]
    dealt = tuple(seat for seat in playing if seat is big_blind or not (goes_on and seat.is_new))
    place = dealt.index(big_blind)
    small_blind = dealt[place - 1].number
    button = dealt[(place - (1 if len(dealt) == _HEADS_UP else 2)) % len(dealt)].number
    if rule == "dead" and last is not None and goes_on and len(dealt) > _HEADS_UP:
        small_blind, button = last.big_blind, _dead_button(dealt, last)
    return HandPositions(number, dealt, button, Places(small_blind, big_blind.number))


def _dead_button(dealt: Sequence[Seat], last: Places) -> int:
    """Return the last small blind's seat, or a dealt one that is between it and the next one."""

    def clockwise(number: int) -> tuple[bool, int]:
        return number <= last.big_blind, number

    nearest = max((seat.number for seat in dealt if seat.number != last.big_blind), key=clockwise)
    known = last.small_blind
    if known is None or known == last.big_blind or clockwise(known) < clockwise(nearest):
        return nearest
    return known
