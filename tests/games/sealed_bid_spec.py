"""What a player needs to know to play sealed bid."""

from typing import Annotated, Literal

from casino_games.specification import Closed, GameResult, GameSpecification, GameState
from pydantic import Field


class Shown(Closed):
    """A bid, and the card of whoever bid most."""

    player_id: str
    bid: int = Field(description="0 for a pass.")
    card: int | None


class SealedBidPublic(Closed):
    """What everybody knows."""

    highest_card: int
    players: tuple[str, ...]
    waiting_for: tuple[str, ...]
    shown: tuple[Shown, ...] = Field(description="Empty until everybody has bid.")


class SealedBidPrivate(Closed):
    """What only the player knows."""

    card: int
    bid: int | None


class SealedBidState(GameState[SealedBidPublic, SealedBidPrivate]):
    """What a player is shown when it is asked to bid."""


class SealedBidResult(GameResult[SealedBidPublic]):
    """How a round came out."""


class Pass(Closed):
    """Bid nothing."""

    action_type: Literal["PASS"]


class Bid(Closed):
    """Offer `amount` chips to each of the others for the value of your card."""

    action_type: Literal["BID"]
    amount: int = Field(gt=0)


SPECIFICATION = GameSpecification(
    game_type="sealed_bid",
    version="1.0.0",
    name="Sealed Bid",
    category="card",
    players_min=2,
    players_max=6,
    game_model="phase_based",
    house_edge="0",
    default_timeout_action="PASS",
    overview="Everybody has a secret card and bids once, all at the same time.",
    rules="- The highest bidder gets its card's value from each of the others, less its bid.",
    strategy_hints="- Bid less than your card.",
    state_model=SealedBidState,
    action_model=Annotated[Pass | Bid, Field(discriminator="action_type")],
    result_model=SealedBidResult,
)
