"""Settings of a table process, read from the environment."""

from datetime import timedelta
from pathlib import Path
from typing import ClassVar, Literal, Self

from casino_agentkit import Duration, Key, ServiceSettings
from pydantic import Field, model_validator

SLOT = "{slot}"
"""In a data directory: the first number that no other process holds."""


class TableSettings(ServiceSettings):
    """Settings from `CASINO_TABLE_…` variables."""

    prefix: ClassVar[str] = "CASINO_TABLE_"

    name: str = Field(default="A2A Casino table", description="The name on the agent card.")
    count: int = Field(
        default=1,
        ge=1,
        le=1000,
        description="Table agents: 1 at /, more at /tables/1 to /tables/N.",
    )
    processes: int | None = Field(
        default=None,
        ge=1,
        le=1000,
        description="Processes that share the tables, at most one for each: the first one starts"
        " the others, and process k listens on the k-th port from `CASINO_TABLE_PORT`. Ports of a"
        " public URL and of gRPC are counted up as well. Absent: one for each usable core; with a"
        " public URL, a host that is not loopback or `{slot}` in the data directory: 1.",
    )
    data: Path | None = Field(
        default=None,
        description="The directory of the tables' journals; without it they are kept in memory."
        " `{slot}` is replaced by the first number that no other process holds.",
    )
    synchronous: Literal["off", "normal", "full"] = Field(
        default="normal",
        description="What a power loss may cost: `full` nothing, `normal` the newest records.",
    )
    keep_hands: int | None = Field(
        default=None,
        ge=100,
        description="The newest completed hands that a journal in `CASINO_TABLE_DATA` keeps at"
        " least; it deletes older ones during a session, a tenth of this number (at most 100)"
        " together, once the lobby has confirmed their events. Without it, sessions before the"
        " newest three are deleted, and nothing within a session.",
    )
    archive: Path | None = Field(
        default=None,
        description="A directory in which a journal in `CASINO_TABLE_DATA` stores the records that"
        " it deletes, compressed; without it they are gone. `{slot}` is replaced as there.",
    )
    lobby_url: str | None = Field(
        default=None,
        description="A lobby's URL: the tables of this process announce themselves there.",
    )
    fleet_key: Key | None = Field(
        default=None,
        description="The key that the lobby and its tables share: with it a caller may configure a"
        " free table. Required when the process listens beyond loopback.",
    )
    announce_every: Duration = Field(
        default=timedelta(seconds=5),
        description="The longest interval between announcements; a lobby that moves rooms from"
        " silent tables may want them more often.",
    )
    games: str = Field(
        default="",
        description="Modules, separated by commas, that add games to"
        " `casino_games.GAME_REGISTRY` when they are imported, and folders of games, with a `/`.",
    )
    max_undelivered: int = Field(
        default=50_000,
        ge=100,
        description="Unconfirmed events above which play pauses between hands.",
    )
    drain_timeout: Duration = Field(
        default=timedelta(seconds=30),
        description="How long shutdown waits for a running hand; then it is suspended, or"
        " cancelled without `CASINO_TABLE_DATA`. After it, an announced table hands its room over"
        " to another one.",
    )

    @model_validator(mode="after")
    def _is_not_open_to_others(self) -> Self:
        """Require the fleet key when listening beyond loopback; raises InvalidSettings."""
        return self.refuse_without_key("fleet_key", "any caller there could configure this table")
