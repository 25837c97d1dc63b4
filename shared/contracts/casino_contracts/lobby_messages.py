"""Messages of the lobby: of its entrypoints, its list of games and its streams."""

from typing import Annotated, Literal

from pydantic import Field

from casino_contracts.base import (
    DisplayName,
    FreeObject,
    Identifier,
    PlayerId,
    RequestId,
    Token,
    Url,
    WireModel,
    optional,
)
from casino_contracts.deal_messages import FairMark
from casino_contracts.entrypoints import (
    ActionSkill,
    ConfigureSkill,
    RegisterSkill,
    SignupSkill,
    StartSkill,
    SummarySkill,
)
from casino_contracts.events.table_event import EventPlace, TableEvent
from casino_contracts.numbers import PositiveAmount, PositiveWhole, Whole, whole
from casino_contracts.player_messages import HOLDEM, PlayerType
from casino_contracts.table_commands import (
    GAME_TYPE_LIMIT,
    WAITS,
    PlayerSeat,
    StartOverrides,
    TableStatus,
    TableSummary,
    WaitList,
)
from casino_contracts.table_config import TableConfig, WholeConfig

SEMANTIC = r"^(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})$"


class PlayerCount(WireModel):
    """Minimum and maximum number of players."""

    min: PositiveWhole
    max: PositiveWhole


class OfferedGame(WireModel):
    """A game that a table offers, as declared in its agent card."""

    game_type: str = Field(min_length=1, max_length=128)
    version: str = Field(pattern=SEMANTIC)
    name: str = Field(max_length=256)
    category: str = Field(max_length=64)
    game_model: Literal["turn_based", "phase_based"]
    players: PlayerCount
    schema_format: Literal["json-schema"]
    default_timeout_action: str = Field(max_length=128)
    specification: str = Field(
        max_length=2048, description="URL or path of the game's specification."
    )
    house_edge: str | None = optional(max_length=256)


class ListedGame(WireModel):
    """One entry of the lobby's game list (A2G's `GET /api/games`)."""

    game_type: str
    name: str
    category: str
    game_model: Literal["turn_based", "phase_based"]
    players: PlayerCount
    spec_version: str = Field(
        description="Semantic version; fetch the specification again if newer."
    )
    schema_format: Literal["json-schema"]


class GameList(WireModel):
    """Every game that can be played at this lobby."""

    games: tuple[ListedGame, ...]


_SEEDED = (
    "True if the deck follows from a seed set by the room's creator, who can then predict the"
    " cards; absent otherwise."
)
_ARCHIVED = "When it was archived (ISO 8601, UTC): it is over and can only be read; absent before."


Service = Literal["gateway", "evaluator", "dealer", "match"]
"""What has a key of its own at a lobby, derived from the operator's."""
SeatRule = Literal["open", "invited"]
"""Who may take a room's seats: whoever comes to a gateway, or whom the room's owner seats."""
_SEATS = "invited: only the room's owner and the operator register players. Absent: open."


class TableAgentSkills(WireModel):
    """Names of a table agent's entrypoints."""

    configure: ConfigureSkill = "configureTable"
    register_: RegisterSkill = Field(default="registerPlayer", alias="register")
    start: StartSkill = "startGame"
    summary: SummarySkill = "tableSummary"


class LaunchOptions(WireModel):
    """Options for a table that the lobby launches."""

    port: Annotated[int, whole(1, 65_535)] | None = optional(description="TCP port of the table.")


class CreateRoomInput(WireModel):
    """Open a room (`createRoom`)."""

    room_id: Identifier | None = optional()
    table_id: Identifier | None = optional()
    table_agent_card_url: Url | None = optional(
        description="Agent card of the table to use; absent: the lobby provides a table."
    )
    table_agent_skills: TableAgentSkills = TableAgentSkills()
    config: WholeConfig
    launch_options: LaunchOptions | None = optional()
    game_type: str = Field(default=HOLDEM, max_length=GAME_TYPE_LIMIT)
    game_config: FreeObject = Field(default_factory=dict)
    seats: SeatRule | None = optional(description=_SEATS)
    request_id: RequestId | None = optional()


class RegisterPlayerInput(WireModel):
    """Invite a player agent into a room and seat it (the lobby's `registerPlayer`)."""

    room_id: str
    agent_card_url: Url
    signup_skill: SignupSkill = "signup"
    action_skill: ActionSkill | None = optional()
    preferred_seat: Whole | None = optional()
    request_id: RequestId | None = optional()


class LeaveRoomInput(WireModel):
    """Leave a seat (`leaveRoom`): at once between hands, otherwise after the current hand."""

    room_id: str
    player_id: PlayerId
    request_id: RequestId | None = optional()


class RegisteredPlayer(PlayerSeat):
    """A player's new seat in a room (output of the lobby's `registerPlayer`)."""

    room_id: str


class StartRoomInput(WireModel):
    """Start a session in a room (`startRoom`); the reply does not wait for the session's end."""

    room_id: str
    overrides: StartOverrides | None = optional()
    request_id: RequestId | None = optional()


class RegisterTableInput(WireModel):
    """Announce a table agent to the lobby (`registerTable`); repeated as long as it runs.

    An addition to the protocol document. A room created without a card URL gets a free table
    of those announced.
    """

    agent_card_url: Url
    table_id: str | None = optional(
        max_length=128, description="The table it serves at present; absent: none."
    )
    epoch: PositiveWhole | None = optional(description="Epoch of the table it serves.")
    room_token: Token | None = optional(
        repr=False,
        description="The `events` token of that room and epoch; proves that it serves the table.",
    )
    leaving: Literal["soon", "now"] | None = optional(
        description="soon: the table takes no new room, its process ends after the running hand;"
        " now: it asks no player any more, and its room continues at another table."
    )
    request_id: RequestId | None = optional()


class RegisterTableOutput(WireModel):
    """The lobby has registered the table; the registration lapses without new announcements."""

    ok: Literal[True] = True
    lease_ms: PositiveWhole | None = optional(
        description="The table that serves a room may ask players for so long after it sent this"
        " announcement. Absent: without limit."
    )
    announce_within_ms: PositiveWhole | None = optional(
        description="The longest interval between two announcements with which the lobby does not"
        " take the table for lost."
    )
    is_released: bool | None = optional(
        description="The room of a table that left is taken over: the process may end."
    )


class ListedPlayer(WireModel):
    """Who sits in a room of the list."""

    player_id: PlayerId
    display_name: DisplayName
    player_type: PlayerType | None = optional()


class RoomSummary(WireModel):
    """One entry of the lobby's room list."""

    room_id: str
    table_id: str
    game_type: str
    table_agent_card_url: str
    table_base_url: str | None = optional()
    status: TableStatus
    hand_count: Whole
    player_count: Whole
    message: str | None = optional()
    state: str | None = optional(description="Finer than status: opening, paused, closed, …")
    seats: SeatRule | None = optional(description=_SEATS)
    seeded: bool | None = optional(description=_SEEDED)
    archived_at: str | None = optional(description=_ARCHIVED)
    waits: WaitList | None = optional(description=WAITS)
    players: tuple[ListedPlayer, ...] | None = optional(description="By seat; absent: nobody.")
    max_seats: PositiveWhole | None = optional()
    small_blind: PositiveAmount | None = optional(description="Absent in games without blinds.")
    big_blind: PositiveAmount | None = optional()


class RoomSnapshot(WireModel):
    """A room in full: its config, its table's summary and its newest events (at most 200)."""

    room_id: str
    config: TableConfig
    summary: TableSummary | None = optional()
    table_agent_card_url: str
    table_base_url: str | None = optional()
    events: tuple[TableEvent, ...]
    table_id: str | None = optional()
    game_type: str | None = optional()
    epoch: PositiveWhole | None = optional()
    state: str | None = optional()
    seats: SeatRule | None = optional(description=_SEATS)
    seeded: bool | None = optional(description=_SEEDED)
    fair: FairMark | None = optional(
        description="Who had a part in the deal; absent: the table deals by itself."
    )
    archived_at: str | None = optional(description=_ARCHIVED)


class RoomList(WireModel):
    """Rooms of the lobby (output of `listRooms`)."""

    rooms: tuple[RoomSummary, ...]
    next: str | None = optional(description="Value of `after` for the next page; absent: no more.")


class ListedTable(WireModel):
    """One table agent of the lobby."""

    agent_card_url: str
    source: Literal["announced", "launched", "named"] = Field(
        description="It announced itself, the lobby launched it, or a room's creator set its URL."
    )
    health: Literal["ready", "silent", "away"] = Field(
        description="silent: no announcement for a while; away: its room cannot reach it."
    )
    room_id: str | None = optional(description="The room it serves.")
    table_id: str | None = optional()
    waits: WaitList | None = optional(description=f"{WAITS} Operators get the details.")


class TableList(WireModel):
    """Every table agent of the lobby."""

    tables: tuple[ListedTable, ...]


class SampleBot(WireModel):
    """A player agent that the operator offers for free seats."""

    name: DisplayName
    agent_card_url: Url


class LobbyInfo(WireModel):
    """Properties of a lobby for clients: version, default config, limits, required key."""

    name: str
    version: str
    agent_card_url: str
    default_config: TableConfig
    launches_tables: bool
    operator_token_needed: bool = Field(
        description="Whether commands and hand records require the operator's key."
    )
    limits: dict[str, int]
    gateway_url: Url | None = optional(
        description="The gateway at which people and players of other protocols take seats."
    )
    sample_bots: tuple[SampleBot, ...] | None = optional(
        description="Player agents that an operator can seat without a bot of their own."
    )
    is_operator: bool | None = optional(
        description="Whether the request's bearer token is the operator's key; absent without a"
        " token."
    )


class EventPage(WireModel):
    """Events of a room in order; for the next page, set `after` to `lastSequence`."""

    events: tuple[TableEvent, ...]
    last_sequence: Whole = Field(description="Sequence of the last event on this page.")
    epoch: PositiveWhole
    kept_from: EventPlace | None = optional(
        description="The room's oldest stored event, if older ones are deleted."
    )


class RoomStreamSnapshot(WireModel):
    """`snapshot` of a room's stream: includes every commit up to the cursor."""

    cursor: Whole
    room: RoomSnapshot


class LobbyStreamSnapshot(WireModel):
    """`snapshot` of the lobby's stream: includes every commit up to the cursor."""

    cursor: Whole
    rooms: tuple[RoomSummary, ...]


class StreamedEvent(WireModel):
    """`table_event`: one table event, in the lobby's commit order."""

    cursor: Whole
    room_id: str
    event: TableEvent


class StreamedRoom(WireModel):
    """`room_opened` and `room_closed`: the room's current summary."""

    room: RoomSummary


class StreamedWaits(WireModel):
    """`room_waits`: what the room waits for, now."""

    room_id: str
    waits: WaitList


class Lagged(WireModel):
    """`lagged`: the client was too slow and is disconnected; it can resume after the cursor."""

    cursor: Whole
    message: str


class HandRecordMissing(WireModel):
    """`hand_record_missing`: the table could not provide the record of a completed hand."""

    hand_id: str
    reason: str = Field(description="A stable upper-case reason code.")
