"""Settings of the evaluator, read from the environment."""

from datetime import timedelta
from pathlib import Path
from typing import Annotated, ClassVar

from casino_agentkit import Duration
from casino_agentkit.process.secret_keys import LEAST_CHARACTERS, key_of
from casino_agentkit.settings import LobbyClientSettings, OperatorToken, Port, listed
from casino_contracts.base import Url
from pydantic import AfterValidator, BeforeValidator, Field, SecretStr

ApiKeys = Annotated[
    tuple[Annotated[SecretStr, AfterValidator(key_of(LEAST_CHARACTERS))], ...],
    BeforeValidator(listed),
]
"""API keys, separated by commas; never printed."""


class EvaluatorSettings(LobbyClientSettings):
    """Read from `CASINO_EVALUATOR_…`."""

    prefix: ClassVar[str] = "CASINO_EVALUATOR_"
    service: ClassVar[str] = "evaluator"

    port: Port = 4060
    lobby_url: Url = Field(
        default="http://127.0.0.1:4000", description="The lobby in whose rooms levels are played."
    )
    operator_token: OperatorToken | None = Field(
        default=None,
        description="The evaluator's key at that lobby, where the lobby has an operator's key:"
        " `casino key --for evaluator` prints it. Of the operator's key, only that key is used.",
    )
    database: Path | None = Field(
        default=None,
        description="The SQLite file of keys, scorecards and sessions; absent: `evaluator.db` in"
        " the data directory.",
    )
    levels: Path | None = Field(
        default=None, description="A TOML file of games and levels; absent: the built-in ones."
    )
    seed: SecretStr | None = Field(
        default=None,
        description="Decides all deals. Scorecards of two evaluators with the same seed and levels"
        " compare; absent: a random one, kept in the database.",
    )
    idle: Duration = Field(
        default=timedelta(seconds=60),
        gt=timedelta(),
        description="How long the room of a session is kept without a command; the next command"
        " plays the level again up to the same moment.",
    )
    rooms: int = Field(
        default=200,
        ge=1,
        description="In how many rooms sessions play at a time; the one unused for longest is"
        " closed for the next one.",
    )
    rooms_per_key: int = Field(
        default=8,
        ge=1,
        description="Of them, those of one API key; all anonymous keys used from one address (a /64"
        " network for IPv6) count as one.",
    )
    openings_per_key: int = Field(
        default=2, ge=1, description="Of those, how many are opened at once; the others wait."
    )
    requests_per_minute: int = Field(
        default=600, ge=0, description="How many requests a minute each API key has; 0: any."
    )
    api_keys: ApiKeys = Field(
        default=(),
        description="API keys (`X-API-Key`) that may hold sessions and scorecards, separated by"
        f" commas, each of at least {LEAST_CHARACTERS} characters.",
    )
    anonymous_keys: bool = Field(
        default=True,
        description="Whether anybody gets an API key of their own at `GET /api/games/anonkey`.",
    )
    card_idle: Duration = Field(
        default=timedelta(minutes=15),
        gt=timedelta(),
        description="A scorecard is closed after this time without a command or a heartbeat.",
    )
    card_open: Duration = Field(
        default=timedelta(hours=24),
        gt=timedelta(),
        description="A scorecard is closed this long after it was opened.",
    )
    assessments: int = Field(
        default=4, ge=1, description="How many assessments (skill `evaluate`) run at once."
    )
    assessments_per_network: int = Field(
        default=1,
        ge=1,
        description="Of them, those of one caller's address (a /64 network for IPv6).",
    )
    assessment_rooms: int = Field(
        default=4, ge=1, description="How many rooms assessments have open, all together."
    )
    assessment_longest: Duration = Field(
        default=timedelta(hours=1),
        gt=timedelta(),
        description="An assessment ends after this time, with what was played until then.",
    )
    opponent_pause: Duration = Field(
        default=timedelta(),
        description="How long the evaluator's opponents wait before each decision.",
    )
