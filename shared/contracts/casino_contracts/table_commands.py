"""Messages of a table agent's entrypoints: configure, seat, start, summarise, close."""

from collections.abc import Iterable
from typing import Annotated, Any, Literal, Protocol

from pydantic import Field

from casino_contracts.base import (
    DisplayName,
    FreeObject,
    Identifier,
    PlayerId,
    RequestId,
    TableTalk,
    Token,
    Url,
    WireModel,
    optional,
)
from casino_contracts.entrypoints import ActionSkill, EventSkill
from casino_contracts.numbers import Amount, PositiveAmount, PositiveWhole, Whole, whole
from casino_contracts.player_messages import HOLDEM, ClockMs, PlayerProfile, PlayerType
from casino_contracts.table_config import WholeConfig

GAME_TYPE_LIMIT = 128
_CASINO_NAME_LIMIT = 256

_CLOCK = "Time for each decision, in ms, at most the config's maxActionTimeoutMs."
_PLAYER_TYPE = "human: a person decides. Absent: unknown."
_SEAT_TOKEN = "The table sends it to the player with every action request."  # noqa: S105  no secret

Visitors = Literal["see", "sit"]
"""see: everybody reads the table's summary; sit: callers on its machine also take its seats."""

TableStatus = Literal["waiting", "running", "idle", "error"]
"""waiting: no session yet; running: in a session; idle: between sessions; error: cannot play."""


class NoInput(WireModel):
    """Input of an entrypoint without parameters."""


class CasinoCallback(WireModel):
    """Address to which a table sends its events."""

    agent_card_url: Url
    event_skill: EventSkill
    secret: str | None = optional(
        repr=False,
        description="The room's key of this epoch. The bearer tokens that lobby and table send to"
        " each other are derived from it.",
    )


class SeatAssignment(WireModel):
    """A seat that a table takes over from its predecessor, with its stack."""

    player_id: PlayerId
    display_name: DisplayName
    seat_number: Annotated[int, whole(0, 9)]
    stack: Amount
    agent_card_url: Url
    action_skill: ActionSkill = "act"
    plays_any_game: bool | None = optional(
        description="Send GameActionRequest, as in the game's specification."
    )
    seat_token: Token | None = optional(repr=False, description=_SEAT_TOKEN)
    clock_ms: ClockMs | None = optional(description=_CLOCK)
    player_type: PlayerType | None = optional(description=_PLAYER_TYPE)
    profile: PlayerProfile | None = optional()


class Continuation(WireModel):
    """Final state of the predecessor of a table that takes over, from the lobby's records.

    The seats, with the stacks after the last completed hand, are in `ConfigureTableInput.seats`.
    """

    hand_number: Whole = Field(description="Number of the last hand dealt.")
    hand_count: Whole = Field(description="Number of completed hands.")
    big_blind_seat: Whole | None = optional(description="Seat that posted the last big blind.")
    small_blind_seat: Whole | None = optional(
        description="Seat where the last small blind was due, also if nobody posted it."
    )
    cancelled_hand: PositiveWhole | None = optional(
        description="The hand in progress, which is cancelled."
    )


class ConfigureTableInput(WireModel):
    """Assign a table to a room: identity, config and event callback (`configureTable`)."""

    table_id: Identifier
    casino_name: str = Field(max_length=_CASINO_NAME_LIMIT)
    config: WholeConfig
    casino_callback: CasinoCallback
    epoch: PositiveWhole | None = optional(
        description="Increases with each table agent that serves the room; included in events."
    )
    seats: tuple[SeatAssignment, ...] | None = optional(
        description="Seats to take over from the predecessor."
    )
    continuation: Continuation | None = optional()
    lease_ms: PositiveWhole | None = optional(
        description="How long the table may ask players after it sent an announcement that the"
        " lobby answered; then it pauses at the decision. Absent: without limit."
    )
    visitors: Visitors | None = optional(
        description="What others than the lobby may do in a room with a key. see: read the"
        " summary, which the lobby publishes; sit: also take a seat, from the table's own machine,"
        " as the lobby lets everybody there. Absent: neither."
    )
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
        description="Send GameActionRequest, as in the game's specification."
    )
    preferred_seat: Whole | None = optional()
    seat_token: Token | None = optional(repr=False, description=_SEAT_TOKEN)
    clock_ms: ClockMs | None = optional(description=_CLOCK)
    player_type: PlayerType | None = optional(description=_PLAYER_TYPE)
    profile: PlayerProfile | None = optional()
    request_id: RequestId | None = optional()


class LeaveTableInput(WireModel):
    """Leave a seat (`leaveTable`): at once between hands, otherwise after the current hand."""

    player_id: PlayerId
    request_id: RequestId | None = optional()


class PlayerSeat(WireModel):
    """A player at a table."""

    player_id: PlayerId
    seat_number: Whole
    display_name: DisplayName
    stack: Amount
    player_type: PlayerType | None = optional(description=_PLAYER_TYPE)
    profile: PlayerProfile | None = optional()


class StartOverrides(WireModel):
    """Config values that a start may override for its session."""

    max_hands: PositiveWhole | None = optional()
    small_blind: PositiveAmount | None = optional()
    big_blind: PositiveAmount | None = optional()


class StartGameInput(StartOverrides):
    """Start a session (`startGame`); the reply does not wait for the session's end."""

    request_id: RequestId | None = optional()


class WordedReason(Protocol):
    """Why something waits, in words: a `WaitReason`, or what a newer peer knows."""

    @property
    def value(self) -> Any: ...
    @property
    def what(self) -> str: ...
    @property
    def fix(self) -> str: ...
    @property
    def gravity(self) -> str: ...


class Waiting(WireModel):
    """One thing that something waits for: why, since when, what that means, and its fix."""

    reason: str = Field(
        pattern="^[a-z][a-z-]{0,39}$",
        description="A stable word, such as disk-full; peers may know more.",
    )
    since: str = Field(max_length=128, description="ISO 8601, UTC.")
    what: TableTalk = Field(description="What waits for what, for people.")
    fix: TableTalk = Field(description="What ends the wait, for people.")
    detail: TableTalk | None = optional(
        description="For operators: the folder that is full, the address that does not answer, the"
        " error. Others do not get it."
    )
    plays_on: bool | None = optional(
        description="Whether hands are played all the same; absent: none is."
    )

    @classmethod
    def of(cls, reason: WordedReason, since: str, detail: str = "") -> "Waiting":
        """Return a wait in the words of its reason."""
        return cls(
            reason=reason.value,
            since=since,
            what=reason.what,
            fix=reason.fix,
            detail=detail or None,
            plays_on=reason.gravity == "part" or None,
        )

    @property
    def words(self) -> str:
        """The reason as a status for people: "disk full"."""
        return self.reason.replace("-", " ")

    def published(self) -> "Waiting":
        """Return what everybody may know of it."""
        return self.model_copy(update={"detail": None})


WaitList = Annotated[tuple[Waiting, ...], Field(max_length=16)]
WAITS = "What it waits for, the oldest first; absent: nothing. Pauses on purpose are left out."


def holding_up(waits: Iterable[Waiting] | None) -> Waiting | None:
    """Return the oldest wait for which no hand is played; None: it goes on."""
    return next((wait for wait in waits or () if not wait.plays_on), None)


class TableSummary(WireModel):
    """Current state of a table."""

    table_id: str
    status: TableStatus
    hand_count: Whole
    players: tuple[PlayerSeat, ...]
    message: str | None = optional()
    state: str | None = optional(description="Finer than status: paused, draining, …")
    epoch: PositiveWhole | None = optional()
    sequence: Whole | None = optional(description="Sequence of the last event of this epoch.")
    kept_from: PositiveWhole | None = optional(
        description="Sequence of the first event of this epoch that can still be delivered."
    )
    plays_for: Literal["points"] | None = optional(
        description="The game's scores are points: stacks do not change. Absent: chips."
    )
    waits: WaitList | None = optional(description=WAITS)

    def published(self) -> "TableSummary":
        """Return what a lobby publishes of it."""
        waits = self.waits and tuple(wait.published() for wait in self.waits)
        return self.model_copy(update={"sequence": None, "kept_from": None, "waits": waits})

    def outline(self) -> "TableSummary":
        """Return what everybody may know: the table's identity and status, without players."""
        return self.published().model_copy(update={"players": (), "message": None})
