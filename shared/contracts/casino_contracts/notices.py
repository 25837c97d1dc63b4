"""What a table tells a player besides its turns: the skill `notify`, which a player may declare."""

from typing import Any, Literal

from pydantic import Field

from casino_contracts.base import WireModel, optional
from casino_contracts.events.payloads import Outcome
from casino_contracts.numbers import Amount, PositiveWhole, SignedAmount, Whole


class OwnDecision(WireModel):
    """One decision of the player that reads it."""

    action: dict[str, Any] = Field(description="The action taken, as in a hand record.")
    betting_round: str | None = optional(description="Of Hold'em.")
    outcome: Outcome
    latency_ms: Whole | None = optional(description="Absent if nothing was asked.")


class OwnHandRecord(WireModel):
    """What a player alone may know of a completed hand, beside its public result."""

    private: dict[str, Any] = Field(description="Its private state at the end: its own cards.")
    decisions: tuple[OwnDecision, ...] = Field(description="Its decisions, in order.")
    net: SignedAmount | None = optional(
        description="Chips won or, negative, lost, in the config's unit; absent in a game that is"
        " played for points."
    )
    stack: Amount = Field(description="Its stack after the hand, in the config's unit.")


class HandNotice(WireModel):
    """A hand was dealt to the player, or is over (input of `notify`).

    `state` and `result` conform to the specification of the game, in Hold'em too: whole chips.
    """

    table_id: str
    game_type: str
    spec_version: str = Field(description="Version of the specification of this message.")
    player_id: str
    hand_id: str
    hand_number: PositiveWhole
    kind: Literal["dealt", "completed"]
    state: dict[str, Any] | None = optional(
        description="dealt: `public` and `private`, the player's view before the first decision."
    )
    result: dict[str, Any] | None = optional(
        description="completed: as in the specification's Result Schema."
    )
    record: OwnHandRecord | None = optional(description="completed: the player's own record.")


class HandNoticeOutput(WireModel):
    """The player has taken the notice (output of `notify`)."""

    ok: Literal[True] = True
