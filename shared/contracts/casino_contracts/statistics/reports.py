"""Messages with statistics of players: shares with their samples, times, the course of nets."""

from pydantic import Field

from casino_contracts.base import WireModel, optional
from casino_contracts.numbers import PositiveWhole, SignedAmount, Whole

LATENCY_ERROR = 0.05
"""Maximum relative error of a quantile of latencies."""


class Tally(WireModel):
    """How often something happened, and how often it could have happened."""

    count: Whole
    of: Whole = Field(description="The opportunities. The share is `count` divided by `of`.")


class PlayStatistics(WireModel):
    """How a player plays Hold'em; defined as by PokerTracker, in hands unless said otherwise."""

    vpip: Tally = Field(
        description="Called or raised before the flop; of the hands, without those in which"
        " everybody folded to the player's big blind."
    )
    pfr: Tally = Field(description="Raised before the flop; of those in which it was possible.")
    three_bet: Tally = Field(
        description="Raised the first raise before the flop, which was another player's; of those"
        " in which it was possible."
    )
    c_bet: Tally = Field(
        description="Made the first bet on the flop after the last raise before it; of those in"
        " which it was possible."
    )
    aggression: Tally = Field(
        description="Bets and raises after the flop was dealt; `of` counts the calls, so that the"
        " ratio, the aggression factor, may be above 1."
    )
    went_to_showdown: Tally = Field(description="Of the hands in which the player saw the flop.")
    won_at_showdown: Tally = Field(
        description="Won a pot or a share of it at the showdown; of all showdowns of the player."
    )


class DecisionLatency(WireModel):
    """Time that a player's decisions took, in ms; exact up to 10 ms, within 5 % beyond."""

    decisions: PositiveWhole = Field(
        description="Decisions for which the player was asked, failed ones included."
    )
    p50: Whole = Field(description="Half of the decisions took at most so long.")
    p95: Whole = Field(description="95 % of the decisions took at most so long.")


class NetLine(WireModel):
    """The course of a player's net, in chips."""

    player_id: str
    display_name: str
    net: SignedAmount = Field(description="After the last hand.")
    nets: tuple[SignedAmount | None, ...] = Field(
        description="Two for each step, up to the player's last: the lowest and the highest net"
        " after a hand of it, in the order in which they occurred; null if the player had none."
    )


class NetSeries(WireModel):
    """The nets of a room's players over all hands, in at most 200 steps of equal length."""

    room_id: str
    hands: Whole = Field(description="Number of completed hands in the series.")
    since_hand: PositiveWhole | None = optional(
        description="The first hand of the series, if an older release played earlier ones."
    )
    first_hand: PositiveWhole | None = optional(description="The number of the first hand.")
    hands_per_step: PositiveWhole = Field(description="The last step may have fewer.")
    last_hands: tuple[PositiveWhole, ...] = Field(
        description="The number of the last hand of each step. A step covers the hands after the"
        " step before."
    )
    players: tuple[NetLine, ...]
