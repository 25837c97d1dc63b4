"""What the lobby says to a table agent: configure, seat, start, summarise, close."""

from typing import Annotated, Literal

from pydantic import Field

from casino_contracts.base import (
    DisplayName,
    Identifier,
    PlayerId,
    RequestId,
    Token,
    Url,
    WireModel,
    optional,
)
from casino_contracts.free_json import FreeObject
from casino_contracts.numbers import Amount, PositiveAmount, PositiveWhole, Whole, whole
from casino_contracts.player import HOLDEM
from casino_contracts.skills import ActionSkill, EventSkill
from casino_contracts.table_config import TableConfig

GAME_TYPE_LIMIT = 128
_CASINO_NAME_LIMIT = 256

_SEAT_TOKEN = "What the table shows to the player with every question."  # noqa: S105  no secret

TableStatus = Literal["waiting", "running", "idle", "error"]
"""waiting: no session yet; running: in a session; idle: between sessions; error: cannot play."""


class NoInput(WireModel):
    """The input of an entrypoint that needs to know nothing."""


class CasinoCallback(WireModel):
    """Where a table publishes its events."""

    agent_card_url: Url
    event_skill: EventSkill
    secret: str | None = optional(
        repr=False,
        description="The room's key of this epoch: from it follow the right that the lobby shows to"
        " the table, and the right that the table shows to the lobby.",
    )


class SeatAssignment(WireModel):
    """A seat that a table takes over from its predecessor, with the stack it had."""

    player_id: PlayerId
    display_name: DisplayName
    seat_number: Annotated[int, whole(0, 9)]
    stack: Amount
    agent_card_url: Url
    action_skill: ActionSkill = "act"
    plays_any_game: bool | None = optional(
        description="Ask in the words of the game's specification (GameActionRequest)."
    )
    seat_token: Token | None = optional(repr=False, description=_SEAT_TOKEN)


class Continuation(WireModel):
    """Where a table that takes over goes on: what the lobby's record of its predecessor ends with.

    Seats stand beside it, with the stacks of the last completed hand.
    """

    hand_number: Whole = Field(description="The last hand that was dealt.")
    hand_count: Whole = Field(description="Hands completed.")
    big_blind_seat: Whole | None = optional(description="Who posted the last big blind.")
    cancelled_hand: PositiveWhole | None = optional(
        description="The hand that was running, and is taken back."
    )


class ConfigureTableInput(WireModel):
    """Give a table its room: identity, rules, and where to publish (`configureTable`)."""

    table_id: Identifier
    casino_name: str = Field(max_length=_CASINO_NAME_LIMIT)
    config: TableConfig
    casino_callback: CasinoCallback
    epoch: PositiveWhole | None = optional(
        description="The reign of this table agent; events carry it."
    )
    seats: tuple[SeatAssignment, ...] | None = optional(
        description="Seats to go on from when a table takes over."
    )
    continuation: Continuation | None = optional()
    game_type: str = Field(default=HOLDEM, max_length=GAME_TYPE_LIMIT)
    game_config: FreeObject = Field(default_factory=dict)
    request_id: RequestId | None = optional()


class SeatPlayerInput(WireModel):
    """Seat a player (the table's `registerPlayer`)."""

    player_id: PlayerId
    display_name: DisplayName
    agent_card_url: Url
    action_skill: ActionSkill
    starting_stack: PositiveAmount
    plays_any_game: bool | None = optional(
        description="Ask in the words of the game's specification (GameActionRequest)."
    )
    preferred_seat: Whole | None = optional()
    seat_token: Token | None = optional(repr=False, description=_SEAT_TOKEN)
    request_id: RequestId | None = optional()


class LeaveTableInput(WireModel):
    """Give a seat back (the table's `leaveTable`): at once between hands, else after the hand."""

    player_id: PlayerId
    request_id: RequestId | None = optional()


class PlayerSeat(WireModel):
    """A player at a table."""

    player_id: PlayerId
    seat_number: Whole
    display_name: DisplayName
    stack: Amount


class StartOverrides(WireModel):
    """What a start may change for the session it begins."""

    max_hands: PositiveWhole | None = optional()
    small_blind: PositiveAmount | None = optional()
    big_blind: PositiveAmount | None = optional()


class StartGameInput(StartOverrides):
    """Begin a session (the table's `startGame`); answered at once."""

    request_id: RequestId | None = optional()


class TableSummary(WireModel):
    """How a table stands, for dashboards."""

    table_id: str
    status: TableStatus
    hand_count: Whole
    players: tuple[PlayerSeat, ...]
    message: str | None = optional()
    state: str | None = optional(description="Finer than status: paused, draining, …")
    epoch: PositiveWhole | None = optional()
    sequence: Whole | None = optional(description="The last event of this epoch.")
    kept_from: PositiveWhole | None = optional(
        description="The first event of this epoch that can still be delivered."
    )

    def outline(self) -> "TableSummary":
        """Return what anybody may know: which table that is, and whether it plays."""
        return TableSummary(
            table_id=self.table_id,
            status=self.status,
            hand_count=self.hand_count,
            players=(),
            state=self.state,
            epoch=self.epoch,
        )
