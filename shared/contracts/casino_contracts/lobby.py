"""What operators, automation and tables say to the lobby, and what it answers."""

from typing import Annotated, Literal

from pydantic import Field

from casino_contracts.base import (
    Identifier,
    PlayerId,
    RequestId,
    Token,
    Url,
    WireModel,
    optional,
)
from casino_contracts.events import TableEvent
from casino_contracts.free_json import FreeObject
from casino_contracts.numbers import PositiveWhole, Whole, whole
from casino_contracts.player import HOLDEM
from casino_contracts.skills import (
    ActionSkill,
    ConfigureSkill,
    RegisterSkill,
    SignupSkill,
    StartSkill,
    SummarySkill,
)
from casino_contracts.table import (
    GAME_TYPE_LIMIT,
    PlayerSeat,
    StartOverrides,
    TableStatus,
    TableSummary,
)
from casino_contracts.table_config import TableConfig

_SEEDED = (
    "True where the cards follow from a seed that the room's creator chose and so may know;"
    " absent: they do not."
)


class TableAgentSkills(WireModel):
    """The names under which a table agent offers its entrypoints."""

    configure: ConfigureSkill = "configureTable"
    register_: RegisterSkill = Field(default="registerPlayer", alias="register")
    start: StartSkill = "startGame"
    summary: SummarySkill = "tableSummary"


class LaunchOptions(WireModel):
    """How the lobby launches a table of its own."""

    port: Annotated[int, whole(1, 65_535)] | None = optional(
        description="Pin the table to this TCP port."
    )


class CreateRoomInput(WireModel):
    """Open a room (`createRoom`)."""

    room_id: Identifier | None = optional()
    table_id: Identifier | None = optional()
    table_agent_card_url: Url | None = optional(
        description="The table to use; absent: the lobby provides one."
    )
    table_agent_skills: TableAgentSkills = TableAgentSkills()
    config: TableConfig
    launch_options: LaunchOptions | None = optional()
    game_type: str = Field(default=HOLDEM, max_length=GAME_TYPE_LIMIT)
    game_config: FreeObject = Field(default_factory=dict)
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
    """Give a seat back (`leaveRoom`): at once between hands, else after the running hand."""

    room_id: str
    player_id: PlayerId
    request_id: RequestId | None = optional()


class RegisteredPlayer(PlayerSeat):
    """A seat that was given."""

    room_id: str


class StartRoomInput(WireModel):
    """Begin a session in a room (`startRoom`); answered at once."""

    room_id: str
    overrides: StartOverrides | None = optional()
    request_id: RequestId | None = optional()


class RegisterTableInput(WireModel):
    """A table agent offers itself to the lobby (`registerTable`), again and again while it lives.

    Our addition: a room that is created without a card URL gets a free one of these.
    """

    agent_card_url: Url
    table_id: str | None = optional(
        max_length=128, description="The table that it serves at the moment; absent: none."
    )
    epoch: PositiveWhole | None = optional(description="The epoch of the table that it serves.")
    room_token: Token | None = optional(
        repr=False,
        description="The `events` right of that room and epoch: it is the table that it names.",
    )
    request_id: RequestId | None = optional()


class RegisterTableOutput(WireModel):
    """The lobby knows the table, for as long as it keeps announcing itself."""

    ok: Literal[True] = True


class RoomSummary(WireModel):
    """One line of the lobby's list."""

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
    seeded: bool | None = optional(description=_SEEDED)


class RoomSnapshot(WireModel):
    """A room in full: its rules, how it stands, and its newest events (the last 200)."""

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
    seeded: bool | None = optional(description=_SEEDED)


class RoomList(WireModel):
    """Every room of the lobby (the output of `listRooms`)."""

    rooms: tuple[RoomSummary, ...]
    next: str | None = optional(description="Ask again with `after` set to it; absent: no more.")


class ListedTable(WireModel):
    """One table agent that the lobby knows."""

    agent_card_url: str
    source: Literal["announced", "launched", "named"] = Field(
        description="It announced itself, the lobby launched it, or a room's creator named it."
    )
    health: Literal["ready", "silent", "away"] = Field(
        description="silent: announced, and not heard of for a while; away: its room looks for it."
    )
    room_id: str | None = optional(description="The room that it serves.")
    table_id: str | None = optional()


class TableList(WireModel):
    """Every table agent that the lobby knows."""

    tables: tuple[ListedTable, ...]


class LobbyInfo(WireModel):
    """What a client may want to know of a lobby before it talks to it."""

    name: str
    version: str
    agent_card_url: str
    default_config: TableConfig
    launches_tables: bool
    operator_token_needed: bool = Field(
        description="Whether commands and hand records need the operator's key."
    )
    limits: dict[str, int]


class EventPage(WireModel):
    """Events of a room in their order; ask again with `after` set to `lastSequence`."""

    events: tuple[TableEvent, ...]
    last_sequence: Whole = Field(description="The sequence of the last event on this page.")
    epoch: PositiveWhole
