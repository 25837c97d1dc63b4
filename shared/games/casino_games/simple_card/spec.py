"""The specification of simple card."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from casino_games.simple_card.config import MOST_CARDS
from casino_games.specification import Closed, GameResult, GameSpecification, GameState

_Card: TypeAlias = Annotated[int, Field(ge=1, le=MOST_CARDS)]
_Count: TypeAlias = Annotated[int, Field(ge=0)]


class PlayedCard(Closed):
    """A card on the table."""

    player_id: str
    card: _Card


class Trick(Closed):
    """A trick that is over."""

    cards: tuple[PlayedCard, ...] = Field(description="In the order of playing.")
    winner: str | None = Field(description="Who took the point; null for equal highest cards.")


class Player(Closed):
    """One player."""

    player_id: str
    cards_left: _Count
    points: _Count


class SimpleCardPublic(Closed):
    """What everybody sees."""

    game_type: Literal["simple_card"]
    stake: Annotated[int, Field(gt=0)] = Field(
        description="What a point is worth, from each of the others."
    )
    max_card_value: _Card = Field(
        description="The deck holds every number from 1 to this once for each player."
    )
    current_player: str = Field(description="Who plays a card; empty when the game is over.")
    on_table: tuple[PlayedCard, ...] = Field(description="This trick, in the order of playing.")
    players: Annotated[tuple[Player, ...], Field(min_length=2, max_length=10)]
    tricks: tuple[Trick, ...] = Field(description="Those that are over, oldest first.")


class SimpleCardPrivate(Closed):
    """What only the player sees."""

    hand: tuple[_Card, ...] = Field(description="Your cards, lowest first.")


class SimpleCardState(GameState[SimpleCardPublic, SimpleCardPrivate]):
    """What a player is shown when it is asked to act."""


class SimpleCardResult(GameResult[SimpleCardPublic]):
    """How a game came out."""


class SimpleCardAction(Closed):
    """Play a card of your hand."""

    action_type: Literal["PLAY_CARD"]
    card: _Card


_OVERVIEW = """\
The smallest complete game, to study and to start from: everybody plays a card, the highest takes \
the point.
One specification describes one game of a few tricks.
"""
_RULES = """\
- The deck holds every number from 1 to `max_card_value` once for each player; everybody is dealt \
the same number of cards.
- In each trick everybody plays one card of its hand, in turn from the leader on. The highest card \
takes a point; where several are highest, nobody does.
- Who took the last point leads, at first the first player.
- When all cards are played, each player gets `stake` chips for each of its points from each of \
the others.
"""
_HINTS = """\
- Playing last you know what there is to beat: take the point with the lowest card that does it, \
else play your lowest.
- Leading, a card takes the point only if all others are lower; count what `tricks` has shown.
"""

SPECIFICATION = GameSpecification(
    game_type="simple_card",
    version="1.1.0",
    name="Simple Card",
    category="card",
    players_min=2,
    players_max=10,
    game_model="turn_based",
    house_edge="0: players against each other",
    default_timeout_action="PLAY_CARD",
    overview=_OVERVIEW,
    rules=_RULES,
    strategy_hints=_HINTS,
    state_model=SimpleCardState,
    action_model=SimpleCardAction,
    result_model=SimpleCardResult,
    example_config={"stacks": [10, 10]},
)
