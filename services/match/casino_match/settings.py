"""Settings of the service of matches, read from the environment."""

from datetime import timedelta
from pathlib import Path
from typing import ClassVar, Self

from casino_agentkit import Duration, ServiceSettings
from casino_agentkit.settings import OperatorToken, Port
from pydantic import Field, model_validator


class MatchSettings(ServiceSettings):
    """Read from `CASINO_MATCH_…`."""

    prefix: ClassVar[str] = "CASINO_MATCH_"

    port: Port = 4070
    data: Path = Field(
        default=Path("casino-data"),
        description="Directory of persistent data: each match is a directory in `matches` there.",
    )
    operator_token: OperatorToken | None = Field(
        default=None,
        description="This service's key (`casino key --for match` derives it from the operator's),"
        " sent as `Authorization: Bearer …` with every call; the operator's key opens it, too."
        " Absent: every caller on this machine may run matches; listening"
        " beyond this machine requires a key of 16 characters or more.",
    )
    at_once: int = Field(
        default=2,
        ge=1,
        le=64,
        description="How many matches are played at a time; further ones wait in their order.",
    )
    queued: int = Field(default=20, ge=0, description="How many matches may wait.")
    kept: int = Field(
        default=1_000,
        ge=1,
        le=100_000,
        description="How many matches the data directory keeps, complete ones included. At this"
        " number no further match begins until directories are moved away.",
    )
    processes: int = Field(
        default=2,
        ge=1,
        le=256,
        description="In how many processes a match of styles is played. Matches with agents are"
        " played in the service's own process.",
    )
    decks: int = Field(
        default=1_000_000, ge=1, le=100_000_000, description="The largest `deal.decks` of a plan."
    )
    longest_wait: Duration = Field(
        default=timedelta(minutes=10),
        gt=timedelta(),
        description="The largest `rules.clock` and `faults.patience` of a plan: as long as a match"
        " waits for an agent, it takes the place of another.",
    )

    @model_validator(mode="after")
    def _is_not_open_to_others(self) -> Self:
        """Require the key when listening beyond loopback; raises InvalidSettings."""
        return self.refuse_without_key("operator_token", "anybody there could run matches here")

    @property
    def matches(self) -> Path:
        return self.data.absolute() / "matches"

    @property
    def signing_key(self) -> Path:
        return self.card_key or self.data / "card-key.pem"
