"""The specification of Leduc hold'em."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from casino_games.fixed_limit import Bet, Call, Check, FixedLimitPublic, Fold, Raise
from casino_games.specification import Closed, GameResult, GameSpecification, GameState

Card: TypeAlias = Literal["Jh", "Js", "Qh", "Qs", "Kh", "Ks"]
BettingRound: TypeAlias = Literal[1, 2]


class Decision(Closed):
    """A decision of this hand."""

    player_id: str
    betting_round: BettingRound
    action: Literal["CHECK", "BET", "CALL", "RAISE", "FOLD"]


class ShownCard(Closed):
    """A card that was shown."""

    player_id: str
    card: Card


class LeducPublic(FixedLimitPublic):
    """What both players see."""

    game_type: Literal["leduc_poker"]
    betting_round: BettingRound
    public_card: Card | None = Field(description="Null in the first betting round.")
    history: tuple[Decision, ...] = Field(description="The decisions so far, oldest first.")
    shown: Annotated[tuple[ShownCard, ...], Field(max_length=2)] = Field(
        description="Both cards after a showdown, else none."
    )


class LeducPrivate(Closed):
    """What only the player sees."""

    card: Card


class LeducState(GameState[LeducPublic, LeducPrivate]):
    """What a player is shown when it is asked to act."""


class LeducResult(GameResult[LeducPublic]):
    """How a hand came out."""


LeducAction: TypeAlias = Annotated[
    Check | Bet | Call | Raise | Fold, Field(discriminator="action_type")
]

_OVERVIEW = """\
Leduc hold'em: poker with six cards, two betting rounds and one public card, for two players.
It is small enough to be solved and large enough to bluff in; one specification describes one hand.
"""
_RULES = """\
- The deck is two jacks, two queens and two kings; suits never count. Both pay the ante and get \
one card.
- A betting round begins with the first player. Without a bet a player checks or bets, facing one \
it folds, calls or raises. Bets and raises have a fixed size, larger in the second round, and a \
round has two of them at most.
- A call, or a check behind a check, ends the round. After the first one the public card is dealt, \
after the second one both cards are shown.
- A pair with the public card wins, else the higher rank; equal ranks share the pot.
- Who folds loses the pot. A bet or raise that one of the two could not pay in full is not \
offered. There is no rake.
"""
_HINTS = """\
- A pair wins against everything: bet and raise it in the second round.
- Raise a king in the first round, call with a queen, fold a jack to a raise.
- Without a pair the second round is worth a call only with a king, or at a good price.
- A bluff with a jack now and then makes the good bets pay.
"""

SPECIFICATION = GameSpecification(
    game_type="leduc_poker",
    version="1.1.0",
    name="Leduc Hold'em",
    category="card",
    players_min=2,
    players_max=2,
    game_model="turn_based",
    house_edge="0: players against each other, no rake",
    default_timeout_action="FOLD",
    overview=_OVERVIEW,
    rules=_RULES,
    strategy_hints=_HINTS,
    state_model=LeducState,
    action_model=LeducAction,
    result_model=LeducResult,
    example_config={"stacks": [20, 20]},
    example_seeds=("example 4", "example 8"),
)
