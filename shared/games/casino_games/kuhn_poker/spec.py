"""The specification of Kuhn poker."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from casino_games.fixed_limit import Bet, Call, Check, FixedLimitPublic, Fold
from casino_games.specification import Closed, GameResult, GameSpecification, GameState

Card: TypeAlias = Literal["J", "Q", "K"]


class Decision(Closed):
    """A decision of this hand."""

    player_id: str
    betting_round: Literal[1]
    action: Literal["CHECK", "BET", "CALL", "FOLD"]


class ShownCard(Closed):
    """A card that was shown."""

    player_id: str
    card: Card


class KuhnPublic(FixedLimitPublic):
    """What both players see."""

    game_type: Literal["kuhn_poker"]
    betting_round: Literal[1]
    public_card: None = Field(description="There is none in this game.")
    history: Annotated[tuple[Decision, ...], Field(max_length=3)] = Field(
        description="The decisions so far, oldest first."
    )
    shown: Annotated[tuple[ShownCard, ...], Field(max_length=2)] = Field(
        description="Both cards after a showdown, else none."
    )


class KuhnPrivate(Closed):
    """What only the player sees."""

    card: Card


class KuhnState(GameState[KuhnPublic, KuhnPrivate]):
    """What a player is shown when it is asked to act."""


class KuhnResult(GameResult[KuhnPublic]):
    """How a hand came out."""


KuhnAction: TypeAlias = Annotated[Check | Bet | Call | Fold, Field(discriminator="action_type")]

_OVERVIEW = """\
Kuhn poker, the smallest poker there is: two players, three cards, one bet.
It was solved by H. W. Kuhn in 1950; one specification describes one hand.
"""
_RULES = """\
- The deck is a jack, a queen and a king, in rising order. Both pay the ante and get one card; \
the third card is never seen.
- The first player checks or bets; after a check the second does. There is one bet, of a fixed size.
- Facing a bet a player calls or folds. Who folds loses the pot.
- After a call, or after two checks, both cards are shown and the higher one wins the pot.
- A bet that one of the two could not pay in full is not offered. There is no rake.
"""
_HINTS = """\
- With a king always call, with a jack never: there is no card left that would change it.
- With a queen check, for a bet is called by the king alone, and call about one bet in three.
- The first player bets a jack with some probability up to 1/3 and a king three times as often; \
the second bets every king and a third of the jacks.
- With ante and bet of one size, both without a fault, the first player loses 1/18 of it a hand.
"""

SPECIFICATION = GameSpecification(
    game_type="kuhn_poker",
    version="1.1.0",
    name="Kuhn Poker",
    category="card",
    players_min=2,
    players_max=2,
    game_model="turn_based",
    house_edge="0: players against each other, no rake",
    default_timeout_action="FOLD",
    overview=_OVERVIEW,
    rules=_RULES,
    strategy_hints=_HINTS,
    state_model=KuhnState,
    action_model=KuhnAction,
    result_model=KuhnResult,
    example_config={"stacks": [10, 10]},
    example_seeds=("example 2", "example 7"),
)
