"""What an operator may set for a process of sample players."""

from datetime import timedelta
from typing import ClassVar, Literal

from casino_agentkit import Duration, ServiceSettings
from pydantic import Field


class PlayerSettings(ServiceSettings):
    """Read from `CASINO_PLAYER_…`."""

    prefix: ClassVar[str] = "CASINO_PLAYER_"

    style: Literal["caller", "equity", "maniac", "random", "tight"] = Field(
        default="caller", description="How it plays."
    )
    name: str | None = Field(default=None, description="Its display name; absent: its style.")
    think: Duration = Field(
        default=timedelta(),
        description="How long it waits before it acts, so that people can follow a game.",
    )
    count: int = Field(
        default=1,
        ge=1,
        le=1000,
        description="Agents in this process: 1 at /, more at /players/1 to /players/N.",
    )
