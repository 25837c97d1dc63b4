"""One question of any game, and its answer: what the game's specification describes, on the wire.

Hold'em has its own words (`ActionRequest`), and these as well for a player that asks for them.
"""

from typing import Any

from pydantic import Field

from casino_contracts.base import Reasoning, TableTalk, WireModel, optional
from casino_contracts.numbers import PositiveWhole, Whole
from casino_contracts.player import Rejection


class GameActionRequest(WireModel):
    """One question to a player of any game (the input of `act`).

    `state` fulfils the State Schema of the game's specification, every available action is one that
    may be answered as it is; one with a range (`min`, `max`) is answered with an `amount` in it.
    """

    table_id: str
    game_type: str
    spec_version: str = Field(description="Of the specification that describes this message.")
    request_id: str = Field(description="Names this question: asked again, the same answer.")
    player_id: str
    state: dict[str, Any] = Field(description="`public` and `private`: all that you may know.")
    available_actions: tuple[dict[str, Any], ...] = Field(
        min_length=1, description="Exactly what is accepted."
    )
    deadline_ms: Whole = Field(description="What is left of the clock, as sent.")
    hand_id: str | None = optional()
    hand_number: PositiveWhole | None = optional()
    rejected: Rejection | None = optional(description="On the second attempt: what was wrong.")


class GameActionResponse(WireModel):
    """A player's decision in any game (the output of `act`).

    >>> GameActionResponse(action={"action_type": "HIT"}).model_dump_json()
    '{"action":{"action_type":"HIT"}}'
    """

    action: dict[str, Any] = Field(description="Fulfils the specification's Action Schema.")
    message: TableTalk | None = optional(description="Table talk, public at once.")
    reasoning: Reasoning | None = optional(description="Private until the hand's record is opened.")
