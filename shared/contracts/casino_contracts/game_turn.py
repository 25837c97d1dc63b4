"""Action request and response of any game, as described by its specification.

Hold'em uses `ActionRequest` instead, unless the player's signup sets `playsAnyGame`.
"""

from typing import Any

from pydantic import Field

from casino_contracts.base import Reasoning, TableTalk, WireModel, optional
from casino_contracts.numbers import PositiveWhole, Whole
from casino_contracts.player import AWAY, TIME_BANK, Rejection


class GameActionRequest(WireModel):
    """Request for a player's action in any game (input of `act`).

    `state` conforms to the State Schema of the game's specification. Each available action can be
    sent back unchanged; one with a range (`min`, `max`) needs an `amount` within it.
    """

    table_id: str
    game_type: str
    spec_version: str = Field(description="Version of the specification of this message.")
    request_id: str = Field(
        description="Idempotency key: the same id must be given the same answer."
    )
    player_id: str
    state: dict[str, Any] = Field(description="`public` and `private`: the player's view.")
    available_actions: tuple[dict[str, Any], ...] = Field(
        min_length=1, description="The legal actions; no other is accepted."
    )
    deadline_ms: Whole = Field(description="Time left to answer when sent, in ms.")
    time_bank_ms: Whole | None = optional(description=TIME_BANK)
    hand_id: str | None = optional()
    hand_number: PositiveWhole | None = optional()
    rejected: Rejection | None = optional(
        description="On the second attempt: why the first failed."
    )


class GameActionResponse(WireModel):
    """A player's action in any game (output of `act`).

    >>> GameActionResponse(action={"action_type": "HIT"}).model_dump_json()
    '{"action":{"action_type":"HIT"}}'
    """

    action: dict[str, Any] = Field(description="Conforms to the specification's Action Schema.")
    message: TableTalk | None = optional(description="Table talk, public at once.")
    reasoning: Reasoning | None = optional(description="Private: only in the hand's record.")
    away: bool | None = optional(description=AWAY)
