"""Models of state, actions and result for the specification of Hold'em."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from casino_games.specification import CardName, Chips, Closed, GameResult, GameState

BettingRound: TypeAlias = Literal["preflop", "flop", "turn", "river"]
Word: TypeAlias = Literal["fold", "check", "call", "bet", "raise", "all-in"]


class Player(Closed):
    """One player at the table."""

    player_id: str
    stack: Chips = Field(description="What is left to bet.")
    bet: Chips = Field(description="Put in during this betting round.")
    status: Literal["active", "folded", "all-in"]


class Decision(Closed):
    """A decision of this hand."""

    player_id: str
    betting_round: BettingRound
    action: Word
    amount: Chips | None = Field(
        description="The total of the round that a call, bet, raise or all-in came to; else null."
    )


class Share(Closed):
    """Chips that go to a player."""

    player_id: str
    amount: Chips


class Pot(Closed):
    """The main pot or a side pot, awarded."""

    amount: Chips
    eligible: tuple[str, ...]
    winners: tuple[Share, ...]


class ShownHand(Closed):
    """Hole cards that were shown."""

    player_id: str
    cards: Annotated[tuple[CardName, ...], Field(min_length=2, max_length=2)]
    rank: Annotated[int, Field(ge=1, le=7462, description="1 is the best hand there is.")]
    rank_name: str
    best_five: Annotated[tuple[CardName, ...], Field(min_length=5, max_length=5)]


class Results(Closed):
    """How the hand ended."""

    uncalled_returned: Share | None = Field(description="The part of a bet that nobody called.")
    pots: tuple[Pot, ...] = Field(description="The main pot first.")
    shown: tuple[ShownHand, ...] = Field(description="In the order of showing.")


class HoldemPublic(Closed):
    """What everybody at the table sees."""

    game_type: Literal["texas-holdem"]
    betting_round: BettingRound
    community_cards: Annotated[tuple[CardName, ...], Field(max_length=5)]
    pot: Chips = Field(description="All chips put in, this round's bets included; 0 when paid out.")
    current_bet: Chips = Field(description="The total to match in this betting round.")
    minimum_raise: Chips = Field(description="On top of current_bet: the smallest full raise.")
    small_blind: Chips
    big_blind: Chips
    ante: Chips
    button: str = Field(description="The player on the button.")
    current_player: str = Field(description="Who decides; empty when the hand is over.")
    players: Annotated[tuple[Player, ...], Field(min_length=2, max_length=10)] = Field(
        description="Clockwise."
    )
    history: tuple[Decision, ...] = Field(description="The decisions so far, oldest first.")
    results: Results | None = Field(default=None, description="There when the hand is over.")


class HoldemPrivate(Closed):
    """What only the player sees."""

    hole_cards: Annotated[tuple[CardName, ...], Field(min_length=2, max_length=2)]


class HoldemState(GameState[HoldemPublic, HoldemPrivate]):
    """What a player is shown when it is asked to act."""


class HoldemResult(GameResult[HoldemPublic]):
    """How a hand came out."""


class Fold(Closed):
    """Give up the hand; offered only when there is a bet to call."""

    action_type: Literal["fold"]


class Check(Closed):
    """Stay in without a bet; offered when there is nothing to call."""

    action_type: Literal["check"]


class Call(Closed):
    """Match the current bet, or go all-in for less."""

    action_type: Literal["call"]


class Bet(Closed):
    """Open the betting of this round; `amount` is your total in this round."""

    action_type: Literal["bet"]
    amount: int = Field(gt=0)


class Raise(Closed):
    """Raise **to** `amount`, your total in this round (not by `amount`)."""

    action_type: Literal["raise"]
    amount: int = Field(gt=0)


class AllIn(Closed):
    """Put in your whole stack."""

    action_type: Literal["all-in"]


HoldemAction: TypeAlias = Annotated[
    Fold | Check | Call | Bet | Raise | AllIn, Field(discriminator="action_type")
]
