"""The specification of blackjack."""

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

_Total: TypeAlias = Annotated[int, Field(ge=0, le=30)]


class Dealer(Closed):
    """The bank's hand."""

    cards: tuple[CardName, ...] = Field(description="Those that lie open.")
    total: _Total = Field(description="What the open cards count.")
    hidden: Literal[0, 1] = Field(description="Cards that lie face down.")


class PlayersHand(Closed):
    """One hand of a player."""

    cards: Annotated[tuple[CardName, ...], Field(min_length=2)]
    bet: Annotated[int, Field(gt=0)]
    total: _Total
    is_soft: bool = Field(description="An ace in it counts 11, so no card can bust it.")
    status: Literal["waiting", "deciding", "standing", "natural", "bust"]
    won: int | None = Field(description="Chips won or, negative, lost; null before the end.")


class Player(Closed):
    """One player at the table."""

    player_id: str
    stack: Chips = Field(description="What is not bet; at the end, what the player leaves with.")
    status: Literal["waiting", "deciding", "done", "passed"]
    bet: Chips | None = Field(description="The first bet: 0 for a pass, null before it is made.")
    hands: Annotated[tuple[PlayersHand, ...], Field(max_length=3)] = Field(
        description="More than one after a split; none before the deal and after a pass."
    )


class BlackjackPublic(Closed):
    """What everybody at the table sees, which is all there is but the dealer's hole card."""

    game_type: Literal["blackjack"]
    phase: Literal["betting", "playing", "over"]
    min_bet: Annotated[int, Field(gt=0)]
    max_bet: Annotated[int, Field(gt=0)]
    decks: Annotated[int, Field(ge=1, le=8)]
    stands_on_soft_17: bool = Field(description="Whether the dealer does.")
    current_player: str = Field(description="Who decides; empty when the round is over.")
    current_hand: Annotated[int, Field(ge=0, le=2)] | None = Field(
        description="Which of that player's hands decides, from 0; null while bets are made."
    )
    dealer: Dealer
    players: Annotated[tuple[Player, ...], Field(min_length=1, max_length=7)]


class BlackjackPrivate(Closed):
    """Nothing: a player's cards lie open."""


class BlackjackState(GameState[BlackjackPublic, BlackjackPrivate]):
    """What a player is shown when it is asked to act."""


class BlackjackResult(GameResult[BlackjackPublic]):
    """How a round came out."""


class Pass(Closed):
    """Sit this round out; offered before the cards."""

    action_type: Literal["PASS"]


class Bet(Closed):
    """Bet `amount` chips; offered before the cards."""

    action_type: Literal["BET"]
    amount: int = Field(gt=0)


class Stand(Closed):
    """Leave the hand as it is."""

    action_type: Literal["STAND"]


class Hit(Closed):
    """Take a card."""

    action_type: Literal["HIT"]


class Double(Closed):
    """Double the hand's bet and take exactly one card; on two cards, if the stack allows."""

    action_type: Literal["DOUBLE"]


class Split(Closed):
    """Make two hands of two cards that count the same, with a second bet."""

    action_type: Literal["SPLIT"]


BlackjackAction: TypeAlias = Annotated[
    Pass | Bet | Stand | Hit | Double | Split, Field(discriminator="action_type")
]

_OVERVIEW = """\
Blackjack for 1 to 7 players, each alone against the bank: the higher total wins, more than 21 \
loses.
One specification describes one round: bets, cards, decisions, pay. Stacks are carried on by the \
table.
"""
_RULES = """\
- Every round has a freshly shuffled shoe of `decks` decks; there is nothing to count from earlier \
rounds.
- In seat order each player bets from `min_bet` to `max_bet` chips, or passes.
- Everybody who bet gets two open cards, the dealer one open card and one face down (the hole \
card).
- Cards count their number, faces 10, an ace 11 or, where that would be more than 21, 1. \
A total with an ace as 11 is soft.
- An ace and a ten as the first two cards are a natural. Under an ace or a ten the dealer peeks: \
with a natural the round ends at once, naturals get their bet back, all others lose.
- A natural of a player is paid 3:2. Chips are whole: half a chip stays with the bank, so bet even \
amounts.
- Then each hand decides in seat order until it stands or has 21 or more; more than 21 is bust and \
loses at once.
- `DOUBLE` is offered on any two cards, after a split too. `SPLIT` is offered on two cards that \
count the same, up to three hands; split aces get one card each, and 21 after a split is no \
natural. Both need the chips for a second bet. There is no insurance and no surrender.
- While a hand is open the dealer draws to 17; whether a soft 17 is enough is told by \
`stands_on_soft_17`. Higher totals are paid 1:1, equal ones get their bet back.
- A player never loses more than its stack.
"""
_HINTS = """\
- Against a dealer's 2 to 6, stand on a hard 12 or more (on 12 not against 2 and 3); against 7 \
and higher, hit up to 16. Stand on a hard 17 or more.
- Hit a soft 17 or less; stand on a soft 19 or more; hit a soft 18 only against 9, ten and ace.
- Double on 11 against anything but an ace, on 10 against 2 to 9, on 9 against 3 to 6.
- Always split aces and eights; never tens, fives and fours.
- Played like this the bank keeps about half a chip of each hundred that are bet.
"""

SPECIFICATION = GameSpecification(
    game_type="blackjack",
    version="1.1.0",
    name="Blackjack",
    category="card",
    players_min=1,
    players_max=7,
    game_model="turn_based",
    house_edge="about 0.5 % of the bet with basic strategy",
    default_timeout_action="STAND",
    overview=_OVERVIEW,
    rules=_RULES,
    strategy_hints=_HINTS,
    state_model=BlackjackState,
    action_model=BlackjackAction,
    result_model=BlackjackResult,
    example_config={"min_bet": 2, "max_bet": 20, "stacks": [100, 40]},
    example_seeds=("example 10", "example 13", "example 37"),
)
