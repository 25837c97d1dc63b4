"""The games that are examined: levels, each some hands against one opponent; built-in games.

Targets are measured, not chosen by taste: `tools/level_report.py` plays every level in process with
a reference player and with a random one. The reference player completes each level in at least 60
of 100 seeds, the random one in at most 35. `baseline_actions` is the reference player's mean number
of decisions there.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from casino_evaluator.errors import ErrorName, RequestRefused

Json = dict[str, Any]
_SHOWN_DIGITS = 8


@dataclass(frozen=True, slots=True)
class Level:
    """`hands` hands against an opponent; completed with at least `target` chips at their end."""

    opponent: str
    """The name of an opponent (`OPPONENTS`)."""
    hands: int
    """Twice an odd number of decks: each deck is played from both positions. Blackjack: any."""
    target: int
    """Chips that the candidate must have after the last hand."""
    baseline_actions: int
    """Actions of the reference player on this level, from which scores are computed."""


@dataclass(frozen=True, slots=True)
class ExaminedGame:
    """A game with its levels; `game_id` changes with every rule."""

    prefix: str
    """Four letters, by which clients may name it."""
    game_type: str
    """Of `casino_games`."""
    title: str
    starting_stack: int
    small_blind: int
    big_blind: int
    levels: tuple[Level, ...]
    tags: tuple[str, ...] = ()

    @property
    def game_id(self) -> str:
        """The id on the wire, such as `kuhn-1a2b3c4d`: prefix and digest of all the rest."""
        text = json.dumps(asdict(self), sort_keys=True)
        return f"{self.prefix}-{hashlib.sha256(text.encode()).hexdigest()[:_SHOWN_DIGITS]}"

    @property
    def win_score(self) -> int:
        return len(self.levels)


DEALER = "dealer"
"""No opponent: the game is played against the bank alone."""

KUHN, LEDUC = "kuhn_poker", "leduc_poker"
HOLDEM, SIMPLE_CARD, BLACKJACK = "texas-holdem", "simple_card", "blackjack"

OPPONENTS: Mapping[str, frozenset[str]] = {
    "random": frozenset({KUHN, LEDUC, HOLDEM, SIMPLE_CARD}),
    "caller": frozenset({KUHN, LEDUC, HOLDEM}),
    "tight": frozenset({HOLDEM}),
    "equity": frozenset({HOLDEM}),
    "equilibrium": frozenset({KUHN, LEDUC}),
    "highest": frozenset({SIMPLE_CARD}),
    "saver": frozenset({SIMPLE_CARD}),
    DEALER: frozenset({BLACKJACK}),
}
"""The game types by name of opponent; the functions are in `opponents.CATALOGUE`."""


BUILTIN_GAMES = (
    ExaminedGame(
        prefix="kuhn",
        game_type=KUHN,
        title="KUHN",
        starting_stack=30,
        small_blind=1,
        big_blind=2,
        levels=(
            Level("random", hands=30, target=33, baseline_actions=35),
            Level("caller", hands=18, target=32, baseline_actions=18),
            Level("equilibrium", hands=30, target=29, baseline_actions=36),
        ),
        tags=("poker", "two-players"),
    ),
    ExaminedGame(
        prefix="ledu",
        game_type=LEDUC,
        title="LEDUC",
        starting_stack=100,
        small_blind=1,
        big_blind=2,
        levels=(
            Level("random", hands=30, target=116, baseline_actions=63),
            Level("caller", hands=18, target=106, baseline_actions=36),
            Level("equilibrium", hands=18, target=94, baseline_actions=36),
        ),
        tags=("poker", "two-players"),
    ),
    ExaminedGame(
        prefix="hold",
        game_type=HOLDEM,
        title="HOLDEM",
        starting_stack=200,
        small_blind=1,
        big_blind=2,
        levels=(
            Level("random", hands=18, target=270, baseline_actions=36),
            Level("caller", hands=14, target=240, baseline_actions=52),
            Level("tight", hands=26, target=217, baseline_actions=35),
            Level("equity", hands=14, target=195, baseline_actions=29),
        ),
        tags=("poker", "two-players"),
    ),
    ExaminedGame(
        prefix="simp",
        game_type=SIMPLE_CARD,
        title="SIMPLE",
        starting_stack=60,
        small_blind=1,
        big_blind=2,
        levels=(
            Level("highest", hands=14, target=64, baseline_actions=42),
            Level("random", hands=14, target=63, baseline_actions=42),
            Level("saver", hands=14, target=60, baseline_actions=42),
        ),
        tags=("cards", "two-players"),
    ),
    ExaminedGame(
        prefix="blkj",
        game_type=BLACKJACK,
        title="BLACKJACK",
        starting_stack=100,
        small_blind=1,
        big_blind=2,
        levels=(
            Level(DEALER, hands=10, target=110, baseline_actions=12),
            Level(DEALER, hands=14, target=125, baseline_actions=14),
            Level(DEALER, hands=20, target=150, baseline_actions=17),
        ),
        tags=("cards", "bank"),
    ),
)


class ExaminedGames:
    """All examined games, in the order of their titles."""

    def __init__(self, games: Sequence[ExaminedGame]) -> None:
        self.all = tuple(sorted(games, key=lambda game: (game.title, game.game_id)))
        self.by_id: Mapping[str, ExaminedGame] = {game.game_id: game for game in games}
        self._by_prefix = {game.prefix: game for game in games}

    def find(self, name: str, *, status: int = 400) -> ExaminedGame:
        """Return the game of an id or prefix. Raises RequestRefused with `status`."""
        game = self.by_id.get(name) or self._by_prefix.get(name)
        if game is None:
            raise RequestRefused(ErrorName.SERVER_ERROR, f"game {name[:64]} not found", status)
        return game
