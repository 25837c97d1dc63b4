"""Messages of the environment."""

from typing import Any

from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field, model_validator


class CasinoHandAction(Action):
    """An answer to the question, in the words of a model or as JSON."""

    action: str | dict[str, Any] = Field(
        description='One of legal_actions: {"action_type": "raise", "amount": 300}, "call", or a'
        " text that ends with it. Its keys may also stand in place of this one."
    )

    @model_validator(mode="before")
    @classmethod
    def _takes_bare_answers(cls, values: Any) -> Any:
        """Take an object as `text` asks for it, without `action` around."""
        if not isinstance(values, dict) or values.keys() <= {"action", "metadata"}:
            return values
        answer = {key: value for key, value in values.items() if key != "metadata"}
        return {"action": answer, "metadata": values.get("metadata", {})}


class CasinoHandObservation(Observation):
    """The learner's question, or how the hand came out."""

    text: str = Field(description="The question in words: all that a model needs to answer.")
    question: dict[str, Any] | None = Field(
        default=None, description="The question as agents get it; none when the hand is over."
    )
    legal_actions: list[dict[str, Any]] = Field(default_factory=list)


class CasinoHandState(State):
    """What was dealt to whom: the trainer's, never shown to who plays."""

    faults: int = Field(default=0, description="Answers of this hand that were refused.")
    order: dict[str, Any] = Field(
        default_factory=dict, description="What `reset` takes to deal this hand again."
    )
