"""What an operator may set for a table process."""

from datetime import timedelta
from pathlib import Path
from typing import ClassVar, Literal, Self

from casino_agentkit import Duration, Key, ServiceSettings
from pydantic import Field, model_validator


class TableSettings(ServiceSettings):
    """Read from `CASINO_TABLE_…`."""

    prefix: ClassVar[str] = "CASINO_TABLE_"

    name: str = Field(default="A2A Casino table", description="The name on the agent card.")
    count: int = Field(
        default=1,
        ge=1,
        le=100,
        description="Table agents in this process: 1 at /, more at /tables/1 to /tables/N.",
    )
    data: Path | None = Field(
        default=None,
        description="The directory of the tables' journals; absent: they end with the process."
        " `{slot}` in it is the first number that no other process holds.",
    )
    synchronous: Literal["off", "normal", "full"] = Field(
        default="normal",
        description="What a power loss may cost: `full` nothing, `normal` the last moments.",
    )
    lobby_url: str | None = Field(
        default=None,
        description="A lobby's URL: the tables of this process announce themselves there.",
    )
    fleet_key: Key | None = Field(
        default=None,
        description="The key that the lobby and its tables share: who has it may give a free table"
        " a room. Needed beyond loopback.",
    )
    announce_every: Duration = Field(
        default=timedelta(seconds=5), description="How often they say that they are there."
    )
    max_undelivered: int = Field(
        default=50_000,
        ge=100,
        description="Events that may wait for the lobby before play pauses between hands.",
    )
    drain_timeout: Duration = Field(
        default=timedelta(seconds=30),
        description="How long a running hand may take at the end; then it is cancelled.",
    )

    @model_validator(mode="after")
    def _is_not_open_to_others(self) -> Self:
        """Refuse to be reached by other machines without a key; raises InvalidSettings."""
        return self.refuse_without_key("fleet_key", "anybody there could take this table")
