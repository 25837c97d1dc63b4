"""The specification of roulette."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from casino_games.specification import Chips, Closed, GameResult, GameSpecification, GameState

_Bet: TypeAlias = Annotated[
    str,
    Field(
        pattern="^(red|black|odd|even|low|high|(dozen|column)-[1-3]|straight-([12]?[0-9]|3[0-6]))$"
    ),
]


class PlacedBet(Closed):
    """Chips on a part of the table."""

    bet: _Bet
    amount: Annotated[int, Field(gt=0)]


class Player(Closed):
    """One player at the table."""

    player_id: str
    stack: Chips = Field(description="Before the spin; at the end, what the player leaves with.")
    has_decided: bool
    bet: PlacedBet | None = Field(description="Null before the ball has fallen, and for a pass.")
    won: int | None = Field(description="Chips won or, negative, lost; null before the end.")


class RoulettePublic(Closed):
    """What everybody at the table sees."""

    game_type: Literal["roulette"]
    phase: Literal["betting", "over"]
    min_bet: Annotated[int, Field(gt=0)]
    max_bet: Annotated[int, Field(gt=0)]
    pocket: Annotated[int, Field(ge=0, le=36)] | None = Field(
        description="Where the ball fell; null before the end."
    )
    color: Literal["red", "black", "green"] | None
    players: Annotated[tuple[Player, ...], Field(min_length=1, max_length=10)]


class RoulettePrivate(Closed):
    """What only the player sees."""

    bet: PlacedBet | None = Field(description="Your own bet of this spin.")


class RouletteState(GameState[RoulettePublic, RoulettePrivate]):
    """What a player is shown when it is asked to act."""


class RouletteResult(GameResult[RoulettePublic]):
    """How a spin came out."""


class Pass(Closed):
    """Bet nothing on this spin."""

    action_type: Literal["PASS"]


class PlaceBet(Closed):
    """Put `amount` chips on `bet`."""

    action_type: Literal["PLACE_BET"]
    bet: _Bet
    amount: int = Field(gt=0)


RouletteAction: TypeAlias = Annotated[Pass | PlaceBet, Field(discriminator="action_type")]

_OVERVIEW = """\
European roulette for 1 to 10 players: a wheel with the numbers 1 to 36 and one zero.
One specification describes one spin: everybody bets in the same window, then the ball falls.
"""
_RULES = """\
- In the window everybody is asked at once and decides once: one bet from `min_bet` to `max_bet` \
chips, or `PASS`. Nobody sees another's bet before the ball has fallen.
- `red` and `black`, `odd` and `even`, `low` (1 to 18) and `high` (19 to 36) pay 1:1.
- `dozen-1` (1 to 12), `dozen-2` (13 to 24), `dozen-3` (25 to 36) and `column-1` (1, 4, … 34), \
`column-2` (2, 5, … 35), `column-3` (3, 6, … 36) pay 2:1.
- `straight-0` to `straight-36`, one number, pay 35:1.
- Red are 1, 3, 5, 7, 9, 12, 14, 16, 18, 19, 21, 23, 25, 27, 30, 32, 34 and 36; the zero is green, \
neither odd nor even, neither low nor high, in no dozen and no column: then only `straight-0` wins.
- A winner gets its bet back and the pay on top; everybody else loses the bet.
"""
_HINTS = """\
- Every bet loses 1/37 of itself on average: no bet is better than another, only wilder.
- `PASS` loses nothing.
- Spins do not depend on each other: what came before says nothing about the next number.
"""

SPECIFICATION = GameSpecification(
    game_type="roulette",
    version="1.1.0",
    name="European Roulette",
    category="table",
    players_min=1,
    players_max=10,
    game_model="phase_based",
    house_edge="1/37 (2.70 %) of every bet",
    default_timeout_action="PASS",
    overview=_OVERVIEW,
    rules=_RULES,
    strategy_hints=_HINTS,
    state_model=RouletteState,
    action_model=RouletteAction,
    result_model=RouletteResult,
    example_config={"min_bet": 1, "max_bet": 50, "stacks": [100, 20]},
    example_seeds=("example 13", "example 14", "example 38"),
)
