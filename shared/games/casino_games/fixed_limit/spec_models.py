"""Models shared by the specifications of Kuhn and Leduc."""

from typing import Annotated, Literal

from pydantic import Field

from casino_games.specification import Chips, Closed


class Player(Closed):
    """One of the two players."""

    player_id: str
    stack: Chips = Field(description="What is left to bet; a pot that was won is not in it yet.")
    paid: Chips = Field(description="Put in during this hand, the ante included.")
    status: Literal["active", "folded"]


class FixedLimitPublic(Closed):
    """What both players see; each game adds its cards and its words."""

    pot: Chips = Field(description="All chips put in.")
    to_call: Chips = Field(description="What the player who decides has to add to stay in.")
    current_player: str = Field(description="Who decides; empty when the hand is over.")
    players: Annotated[tuple[Player, ...], Field(min_length=2, max_length=2)] = Field(
        description="The first one begins every betting round."
    )


class Check(Closed):
    """Stay in without a bet; offered when there is nothing to call."""

    action_type: Literal["CHECK"]


class Bet(Closed):
    """Open the betting, with the fixed size."""

    action_type: Literal["BET"]


class Call(Closed):
    """Pay what the other has put in more."""

    action_type: Literal["CALL"]


class Raise(Closed):
    """Pay what the other has put in more, and the fixed size on top."""

    action_type: Literal["RAISE"]


class Fold(Closed):
    """Give the pot to the other; offered when there is a bet to call."""

    action_type: Literal["FOLD"]
