"""Run a match at a service: its plan, and how far the match is."""

import re
from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, ConfigDict, Field, WithJsonSchema, model_validator

from casino_contracts.base import FreeObject, Identifier, RequestId, WireModel, http_url, optional
from casino_contracts.match_results import (
    MOST_PLAYERS,
    Digest,
    EntrantName,
    MatchResult,
    Rate,
    Title,
    Version,
)
from casino_contracts.numbers import Whole, whole
from casino_contracts.table_commands import WAITS, WaitList

MOST_WAIT_MS: Final = 60_000
ERROR_LIMIT: Final = 2_000
_PLAYER_LIMIT: Final = 2_048
_STYLE: Final = re.compile(r"style:[A-Za-z0-9_-]{1,64}")

MatchStatus = Literal["queued", "running", "suspended", "complete", "failed"]


def _player(text: str) -> str:
    if _STYLE.fullmatch(text):
        return text
    if text.startswith(("http://", "https://")):
        return http_url(text)
    raise ValueError(
        "must be a style such as style:tight, or the http or https URL of an agent or its card;"
        " functions of files are played by the command `casino match` only"
    )


PlannedSource = Annotated[
    str,
    Field(max_length=_PLAYER_LIMIT),
    AfterValidator(_player),
    WithJsonSchema(
        {
            "type": "string",
            "maxLength": _PLAYER_LIMIT,
            "pattern": "^(style:[A-Za-z0-9_-]{1,64}$|https?://)",
            "description": "A style such as `style:tight`, or the URL of an agent or its card.",
        }
    ),
]
"""A player of a match at a service: never a function of a file."""
Time = Annotated[
    str,
    Field(
        max_length=16,
        pattern=r"^\d+(\.\d+)?\s*(ms|s|m|h)$",
        description="A duration such as `500ms`, `2s`, `5m` or `1h`.",
    ),
]


class _Part(WireModel):
    """A part of a plan, with the fields of the plan file; absent ones have its defaults.

    Unknown fields are refused: otherwise another match would be played than is meant.
    """

    model_config = ConfigDict(extra="forbid")


class PlannedPlayer(_Part):
    """A player of a match that is planned."""

    player: PlannedSource
    name: EntrantName | None = optional()
    version: Version | None = optional(
        description="The match begins only if the player has this version."
    )
    arguments: FreeObject | None = optional(description="Sent to an agent in its invitation.")
    games_at_once: Annotated[int, whole(1, 256)] | None = optional(
        description="Maximum number of hands that an agent plays at the same time."
    )


class PlannedRules(_Part):
    """The rules of a match that is planned."""

    small_blind: Whole | None = optional()
    big_blind: Whole | None = optional()
    ante: Whole | None = optional()
    stack: Whole | None = optional()
    clock: Time | None = optional()


class PlannedDeal(_Part):
    """How many decks are to be played, and by which seatings."""

    seed: str | None = optional(
        min_length=1, max_length=256, description="Absent: the service draws it."
    )
    decks: Whole | None = optional()
    decks_per_block: Whole | None = optional()
    seatings: Literal["rotations", "all"] | None = optional()


class PlannedStop(_Part):
    """When a match ends before its last deck."""

    rule: Literal["decks", "sprt"] | None = optional()
    low: Rate | None = optional()
    high: Rate | None = optional()
    alpha: Rate | None = optional()
    beta: Rate | None = optional()


class PlannedFaults(_Part):
    """What happens when an answer is wrong, late, or does not come."""

    wrong_answer: Literal["default", "stop"] | None = optional()
    no_answer: Literal["pause", "default"] | None = optional()
    patience: Time | None = optional()


class MatchPlan(_Part):
    """The plan of a match, with the fields of the plan file in camelCase."""

    name: Title | None = optional()
    players: tuple[PlannedPlayer, ...] = Field(min_length=2, max_length=MOST_PLAYERS)
    rules: PlannedRules | None = optional()
    deal: PlannedDeal | None = optional()
    stop: PlannedStop | None = optional()
    faults: PlannedFaults | None = optional()


class RunMatchInput(WireModel):
    """Input of `runMatch`: begins a match, resumes it, or waits for it.

    A plan that was sent before names the match of then: no second match begins.
    """

    plan: MatchPlan | None = optional()
    match_id: Identifier | None = optional(
        description="In place of the plan: the id of a match that has begun. With a plan, the match"
        " must be the plan's."
    )
    wait_ms: Annotated[int, whole(0, MOST_WAIT_MS)] = Field(
        default=0, description="How long the reply may wait for the end of the match."
    )
    resume: bool = Field(
        default=True,
        description="Whether a match that is suspended or failed is resumed; false: only look.",
    )
    request_id: RequestId | None = optional()

    @model_validator(mode="after")
    def _names_a_match(self) -> Self:
        if self.plan is None and self.match_id is None:
            raise ValueError("must have a plan, or the matchId of a match that has begun")
        return self


class MatchEstimate(WireModel):
    """What the decks so far say about the first two players."""

    first: EntrantName
    second: EntrantName
    decks: Whole
    bb_per_100: Rate = Field(description="How much more the first wins than the second.")
    half_width: Rate | None = optional(
        description="Half of its 95 % interval; absent below 30 decks."
    )


class RunMatchOutput(WireModel):
    """Output of `runMatch`: how far the match is, and its result once it is complete."""

    match_id: Identifier
    status: MatchStatus = Field(
        description="`queued`: others come first. `suspended`: it was interrupted, or an agent gave"
        " no answer; `failed`: it cannot be played. The same call again resumes both."
    )
    decks: Whole = Field(description="Decks that are played.")
    of: Whole = Field(description="Decks that it ends with, unless it is stopped early.")
    running: MatchEstimate | None = optional(description="Before the match is complete.")
    plan_digest: Digest | None = optional(description="Absent if the plan cannot be read.")
    result: MatchResult | None = optional(description="Of a complete match.")
    error: str | None = optional(
        max_length=ERROR_LIMIT, description="Why it is suspended or has failed; untrusted text."
    )
    waits: WaitList | None = optional(description=WAITS)
