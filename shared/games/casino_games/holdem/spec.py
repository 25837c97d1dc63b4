"""The specification of Hold'em, in the format of all games."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from casino_games.specification import (
    CardName,
    Chips,
    Closed,
    GameResult,
    GameSpecification,
    GameState,
)

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
    small_blind: Chips = Field(description="0 in a hand in which nobody posts it.")
    big_blind: Chips
    ante: Chips
    button: str = Field(
        description="The player on the button, or the last one before it where its seat is empty."
    )
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


_OVERVIEW = """\
No-limit Texas hold'em for 2 to 10 players.
Everybody has two cards of their own and shares five; the best five of these seven win the pot.
One specification describes one hand: stacks, button and blinds are carried on by the table.
"""
_RULES = """\
- The player left of the button posts the small blind, the next one the big blind; with two \
players the button is the small blind. An ante, where there is one, goes to the pot and is no bet.
- Where `small_blind` is 0 nobody posts it, because the seat that is due is empty: the player left \
of the button posts the big blind.
- Each player gets two hole cards. The betting rounds are `preflop`, `flop` (three community \
cards), `turn` (one more) and `river` (one more).
- Before the flop the player after the big blind begins, later the first live player left of the \
button.
- A full raise is at least as large as the last one of the round, at first one big blind. \
A shorter all-in does not let those raise again who have acted already.
- A round ends when everybody who is in has put in the same, or is all-in.
- All-in players can win from each other only what they matched: the rest makes side pots.
- What nobody called comes back. Odd chips of a shared pot go to the first winners left of the \
button.
- Hands are ranked as everywhere in poker, from straight flush to high card; suits never count.
- There is no rake.
"""
_HINTS = """\
- Compare what a call costs with what it can win: calling `c` into a pot of `p` needs a chance of \
`c / (p + c)`.
- Acting last is worth a lot: play more hands on the button than in the blinds.
- Before the flop, pairs, two high cards and suited high cards are worth a raise; most other hands \
are worth a fold when there is a bet.
- `check` costs nothing; never fold where it is offered.
- Only `status: active` players can still put in chips: betting into a pot in which all others are \
all-in wins nothing more.
"""

SPECIFICATION = GameSpecification(
    game_type="texas-holdem",
    version="1.2.0",
    name="Texas Hold'em, no limit",
    category="card",
    players_min=2,
    players_max=10,
    game_model="turn_based",
    house_edge="0: players against each other, no rake",
    default_timeout_action="fold",
    overview=_OVERVIEW,
    rules=_RULES,
    strategy_hints=_HINTS,
    state_model=HoldemState,
    action_model=HoldemAction,
    result_model=HoldemResult,
    example_config={"small_blind": 1, "big_blind": 2, "stacks": [200, 200, 90], "button": 0},
    example_players=("ann", "ben", "cy"),
    example_seeds=("example 10", "example 11"),
)
