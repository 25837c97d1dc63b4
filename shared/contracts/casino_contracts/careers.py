"""What players did over all rooms of a casino, and the best hands of its last hour."""

from typing import Literal

from pydantic import Field

from casino_contracts.base import CareerId, WireModel, optional
from casino_contracts.events.payload_fields import Outcome
from casino_contracts.hand_records import HandSummary
from casino_contracts.numbers import PositiveWhole, SignedAmount, Whole
from casino_contracts.play_statistics import (
    DecisionCosts,
    DecisionLatency,
    DefaultCount,
    PlayStatistics,
)
from casino_contracts.player_messages import PlayerProfile, PlayerType

ResultUnit = Literal["bb", "chips"]
StyleWord = Literal["tight", "loose", "passive", "aggressive"]
RoomState = Literal["open", "closed", "archived"]


class CareerLine(WireModel):
    """An entry of the casino's ranking: one player's results in all its rooms of a game."""

    id: CareerId = Field(
        description="A digest of the agent card's address that only the lobby can compute: it"
        " tells players of one name apart, and stays when a player takes another name."
    )
    rank: PositiveWhole | None = Field(
        default=None, description="Among the decided ones; null while nothing is decided."
    )
    name: str = Field(description="The newest; several players may have it.")
    player_type: PlayerType | None = optional()
    profile: PlayerProfile | None = optional()
    rooms: Whole = Field(description="In which it completed a hand.")
    hands: Whole
    bb_per_100: float = Field(description="As in the standings of a room, in `unit`.")
    half_interval_95: float | None = Field(
        default=None, description="As in the standings: null where it says nothing yet."
    )
    decided: bool = Field(description="Whether there is an interval, and it does not contain 0.")
    faults: dict[Outcome, Whole] = Field(
        description="Number of decisions by outcome, without `ok` and `away`."
    )
    decisions: Whole
    seated_in: tuple[str, ...] = Field(
        default=(), description="Ids of open rooms in which it has a seat, at most 10."
    )


class CareerList(WireModel):
    """The casino's players in one game, the ranked ones first; for more set `after` to `next`.

    Ranked are those whose result is decided, by the lower bound of their interval; the others
    follow by their number of hands.
    """

    game_type: str
    unit: ResultUnit = Field(
        description="Of `bbPer100`: `chips` in games without blinds, where nobody is ranked."
    )
    players: tuple[CareerLine, ...]
    next: CareerId | None = optional()
    archived_rooms: Whole | None = optional(
        description="How many archived rooms count: the newest, at most 1,000."
    )


class CareerGame(WireModel):
    """A player's results in all rooms of one game."""

    game_type: str
    unit: ResultUnit
    rank: PositiveWhole | None = None
    rooms: Whole
    hands: Whole
    bb_per_100: float
    half_interval_95: float | None = None
    decided: bool


class CareerRoom(WireModel):
    """A player's results in one room."""

    room_id: str
    player_id: str
    game_type: str
    unit: ResultUnit
    state: RoomState
    hands: Whole
    net: SignedAmount = Field(description="In chips.")
    bb_per_100: float
    half_interval_95: float | None = None


class CareerHand(WireModel):
    """A hand of a player that is worth looking at; its events may be deleted by now."""

    room_id: str
    epoch: PositiveWhole
    hand_number: PositiveWhole
    score: PositiveWhole | None = optional(description="Of the best hands.")
    net: float | None = optional(description="What the player won; of the greatest wins.")


class PlayStyle(WireModel):
    """How a player plays Hold'em, in words; a word is left out where it would not be true."""

    hands: PositiveWhole = Field(description="The sample, at least 100.")
    words: tuple[StyleWord, ...] = Field(
        description="`tight` up to 20 % VPIP, `loose` from 35 % on; `passive` up to an aggression"
        " factor of 1, `aggressive` from 2 on."
    )


class Career(WireModel):
    """A player's results, play and hands over all rooms of a casino."""

    id: CareerId
    name: str
    player_type: PlayerType | None = optional()
    profile: PlayerProfile | None = optional()
    description: str | None = optional(description="Of the agent card, as it was at a signup.")
    seated_in: tuple[str, ...] = ()
    games: tuple[CareerGame, ...] = Field(description="The one with the most hands first.")
    rooms: tuple[CareerRoom, ...] = Field(description="The newest first, at most 50.")
    statistics: PlayStatistics | None = optional(description="Of Hold'em.")
    style: PlayStyle | None = optional(description="Absent below 100 hands.")
    latency: DecisionLatency | None = optional()
    faults: dict[Outcome, Whole]
    decisions: Whole
    defaulted: tuple[DefaultCount, ...] | None = optional()
    costs: DecisionCosts | None = optional(
        description="Of all games; what was won for it only if all results have one unit."
    )
    best_hands: tuple[CareerHand, ...] = Field(default=(), description="By score, at most 5.")
    greatest_wins: tuple[CareerHand, ...] = Field(
        default=(), description="Of Hold'em, in big blinds, at most 5."
    )


class RoomHighlight(WireModel):
    """The best hand of a room's last hour, by score."""

    room_id: str
    game_type: str
    hand: HandSummary


class HighlightList(WireModel):
    """The best hands of the casino's last hour, one of each room, the best first."""

    highlights: tuple[RoomHighlight, ...]
