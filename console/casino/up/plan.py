"""What `casino up` plays: hands, players, seats, ports and game."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta

from casino_contracts import HOLDEM, PlayerCount, TableConfig

from casino.rules import room_config
from casino.up.processes import READY_WITHIN

LOBBY_PORT, GATEWAY_PORT, EVALUATOR_PORT, FIRST_PLAYER_PORT = 4000, 4050, 4060, 4101
DEFAULT_STYLES = ("tight", "equity", "caller", "maniac", "random", "caller")
_MIN_SEATS = 2
_MAX_SEATS = 10
_FREE_SEATS = 2
"""Seats for those who sit down at the gateway, where the game allows so many players."""
_LONGEST_CLOCK_MS = 30_000
"""For people, who ask for it; programs keep the default."""
_DEFAULT_PLAYERS = 3
"""Number of players by default, in games other than Hold'em that allow so many."""
ROOM = "main"


@dataclass(frozen=True)
class Plan:
    """What to play: number of hands, players, seed, lobby port, game, rules, and who may join.

    With several tables there are further rooms beside the main one, with sample players only.
    """

    hands: int
    styles: tuple[str, ...]
    seats: tuple[str, ...]
    """Agent card URLs of the caller's bots, which replace the last example players."""
    seed: str
    exits: bool
    lobby_port: int = LOBBY_PORT
    game_type: str = HOLDEM
    has_gateway: bool = False
    """Whether people and programs that are no A2A agents can sit down, by a gateway."""
    has_evaluator: bool = False
    """Whether agents can be examined, by an evaluator."""
    has_no_examples: bool = False
    """Whether nobody but the caller's bots plays, in any game."""
    most_players: int = _MAX_SEATS
    ready_within: timedelta = READY_WITHIN
    """How long each process may take to be ready."""
    rules: Mapping[str, object] = field(default_factory=dict)
    """The chosen fields of TableConfig; the others have their defaults."""
    tables: int = 1
    table_processes: int | None = None
    """How many processes share several tables; None: one for each core."""

    @property
    def rooms(self) -> list[str]:
        """The ids of all rooms, one for each table: `main`, `main-2`, and so on."""
        return [ROOM, *(f"{ROOM}-{number}" for number in range(2, self.tables + 1))]

    def styles_in(self, room: str) -> tuple[str, ...]:
        """Return the styles of the example players in a room; own bots sit in the main one."""
        return self.example_styles if room == ROOM else self.styles

    @property
    def example_styles(self) -> tuple[str, ...]:
        """Styles of the example players that keep their seats."""
        return self.styles[: max(0, len(self.styles) - len(self.seats))]

    @property
    def player_count(self) -> int:
        """Number of players that the command seats."""
        return len(self.example_styles) + len(self.seats)

    def config(self, room: str = ROOM) -> TableConfig:
        """Return a room's rules; raises ValidationError. Each room has decks of its own."""
        players = self.player_count if room == ROOM else len(self.styles)
        seats = max(_MIN_SEATS, players)
        more: dict[str, object] = {}
        if self.has_gateway:
            seats = max(seats, min(seats + _FREE_SEATS, self.most_players))
            clock = self.rules.get("action_timeout_ms", 0)
            longest = clock if isinstance(clock, int) else 0
            more["max_action_timeout_ms"] = max(_LONGEST_CLOCK_MS, longest)
        seed = self.seed if room == ROOM else f"{self.seed} {room}"
        return room_config(hands=self.hands, seats=seats, seed=seed, **{**more, **self.rules})

    def for_player_count(self, players: PlayerCount) -> "Plan":
        """Return the plan with enough `generic` players for the game if no styles were chosen."""
        most = min(players.max, _MAX_SEATS)
        is_enough = self.tables == 1 and players.min <= len(self.seats)
        if self.styles or self.has_no_examples or is_enough:
            return replace(self, most_players=most)
        number = min(max(players.min, _DEFAULT_PLAYERS), players.max)
        return replace(self, styles=("generic",) * number, most_players=most)
