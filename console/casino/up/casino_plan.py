"""What `casino up` plays: hands, players, seats, game, and the rules of its room."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from decimal import Decimal
from typing import Final, NamedTuple

from casino_contracts import HOLDEM, PlayerCount, TableConfig
from casino_contracts.table_config import DEFAULT_CONFIG

from casino.output import counted
from casino.up.casino_ports import CasinoPorts

READY_WITHIN: Final = timedelta(seconds=20)
"""How long a process may take to be ready."""
_MIN_BUY_IN_BIG_BLINDS = 20
_MAX_BUY_IN_STACKS = 2
_AMOUNTS = {"starting_stack", "small_blind", "big_blind", "ante"}


def room_config(*, hands: int, seats: int, seed: str | None, **chosen: object) -> TableConfig:
    """Return a room's rules: by default a stack of 100 big blinds, with automatic rebuys.

    `chosen` are other fields of TableConfig. Raises ValidationError.
    """
    session = {"max_hands": hands, "max_seats": seats, "seed": seed}
    return rules_over(DEFAULT_CONFIG, {**session, **chosen})


def rules_over(defaults: TableConfig, chosen: Mapping[str, object]) -> TableConfig:
    """Return rules with the chosen fields of TableConfig in place of the defaults.

    With another stack or other blinds, the buy-in ranges from 20 big blinds (or the stack, where
    that is less) to two stacks, unless it is chosen too. Raises ValidationError.
    """
    values = {**defaults.model_dump(by_alias=False), **chosen}
    if chosen.keys() & _AMOUNTS:
        values |= {**_buy_in(values["starting_stack"], values["big_blind"]), **chosen}
    return TableConfig.model_validate(values)


def _buy_in(stack: float, big_blind: float) -> dict[str, float]:
    return {
        "min_buy_in": min(float(_MIN_BUY_IN_BIG_BLINDS * Decimal(str(big_blind))), stack),
        "max_buy_in": float(_MAX_BUY_IN_STACKS * Decimal(str(stack))),
    }


CAST = {
    "tight": "Ruth",
    "equity": "Emil",
    "loose": "Wanda",
    "aggressive": "Viktor",
    "tricky": "Mina",
    "cautious": "Otto",
}
"""The names of the players whom nobody has chosen, by style."""
DEFAULT_STYLES = tuple(CAST)
SEATS = range(2, 11)
_FREE_SEATS = 2
"""Seats for those who sit down at the gateway, where the game allows so many players."""
LONGEST_CLOCK_MS = 30_000
"""For people, who ask for it; programs keep the default."""
_DEFAULT_PLAYERS = 3
"""Number of players by default, in games other than Hold'em that allow so many."""
ROOM, LIVE = "main", "live"
_SEED_BYTES = 8
_ENDLESS: Final = 100_000
"""Hands of the room that goes on."""
_PACE_MS: Final = 700
"""There, so that people can follow."""


def new_seed() -> str:
    """Return a seed for a room that names none; short, as people type it."""
    return secrets.token_hex(_SEED_BYTES)


@dataclass(frozen=True)
class CasinoPlan:
    """What to play: number of hands, players, seed, ports, game, rules, and who may join.

    With several tables there are further rooms beside the main one, with sample players only.
    """

    hands: int
    styles: tuple[str, ...]
    seats: tuple[str, ...]
    """Agent card URLs of the caller's bots, which replace the last example players."""
    seed: str
    exits: bool
    ports: CasinoPorts = field(default_factory=CasinoPorts)
    game_type: str = HOLDEM
    has_gateway: bool = False
    """Whether people and programs that are no A2A agents can sit down, by a gateway."""
    has_evaluator: bool = False
    """Whether agents can be examined, by an evaluator."""
    has_no_examples: bool = False
    """Whether nobody but the caller's bots plays, in any game."""
    most_players: int = SEATS[-1]
    ready_within: timedelta = READY_WITHIN
    """How long each process may take to be ready."""
    rules: Mapping[str, object] = field(default_factory=dict)
    """The chosen fields of TableConfig; the others have their defaults."""
    tables: int = 1
    table_processes: int | None = None
    """How many processes share several tables; None: one for each core."""
    goes_on: bool = False
    """Whether the cast plays on in another room afterwards, so that there is a game to watch."""

    @property
    def rooms(self) -> list[str]:
        """The ids of all rooms, one for each table: `main`, `main-2`, and so on."""
        return [ROOM, *(f"{ROOM}-{number}" for number in range(2, self.tables + 1))]

    def styles_in(self, room: str) -> tuple[str, ...]:
        """Return the styles of the example players in a room; own bots sit in the main one."""
        return self.example_styles if room == ROOM else self.styles

    @property
    def example_styles(self) -> tuple[str, ...]:
        return self.styles[: max(0, len(self.styles) - len(self.seats))]

    @property
    def player_count(self) -> int:
        return len(self.example_styles) + len(self.seats)

    def config(self, room: str = ROOM) -> TableConfig:
        """Return a room's rules; raises ValidationError. Each room has decks of its own."""
        players = self.player_count if room == ROOM else len(self.styles)
        seats = max(SEATS[0], players)
        more: dict[str, object] = {}
        if self.has_gateway:
            seats = max(seats, min(seats + _FREE_SEATS, self.most_players))
            clock = self.rules.get("action_timeout_ms", 0)
            longest = clock if isinstance(clock, int) else 0
            more["max_action_timeout_ms"] = max(LONGEST_CLOCK_MS, longest)
        seed: str | None = self.seed if room == ROOM else f"{self.seed} {room}"
        hands = self.hands
        if room == LIVE:  # nobody chooses its cards
            more["pace_ms"], hands, seed = _PACE_MS, _ENDLESS, None
        return room_config(hands=hands, seats=seats, seed=seed, **{**more, **self.rules})

    def for_player_count(self, players: PlayerCount) -> "CasinoPlan":
        """Return the plan with enough `generic` players for the game if no styles were chosen."""
        most = min(players.max, SEATS[-1])
        is_enough = self.tables == 1 and players.min <= len(self.seats)
        if self.styles or self.has_no_examples or is_enough:
            return replace(self, most_players=most)
        number = min(max(players.min, _DEFAULT_PLAYERS), players.max)
        return replace(self, styles=("generic",) * number, most_players=most)


_MOST_HOSTED: Final = 1000
"""Sample players of a process."""
_TABLES: Final = "--tables"


class RulesObjection(NamedTuple):
    """Why a plan cannot be played: the option that is wrong, and the fix."""

    option: str
    message: str


def objection_to_tables(plan: CasinoPlan, *, is_saved: bool) -> RulesObjection | None:
    """Return why processes, players or options do not fit the number of tables; None if they do."""
    processes = plan.table_processes or 1
    if processes > plan.tables:
        return RulesObjection(
            "--table-processes",
            f"{processes} processes cannot share {counted(plan.tables, 'table')}: name at most"
            f" {plan.tables}, or more {_TABLES}",
        )
    if plan.tables == 1:
        return None
    if plan.has_no_examples or len(plan.styles) == 1:
        return RulesObjection(
            "--players",
            f"bots of --seat sit in the room main only, and every other room would have"
            f" {counted(len(plan.styles), 'sample player')}: name two or more, or leave {_TABLES}"
            " out",
        )
    if is_saved:
        return RulesObjection(
            "--save", f"the run of one room is kept: leave {_TABLES} or --save out"
        )
    most = max(map(plan.styles.count, plan.styles), default=1) * plan.tables
    if most > _MOST_HOSTED:
        return RulesObjection(
            _TABLES,
            f"{most} players of one style are needed, and a process hosts at most {_MOST_HOSTED}:"
            f" name fewer {_TABLES}, or other styles",
        )
    return None
