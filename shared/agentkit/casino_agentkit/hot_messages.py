"""Hot messages: read from their JSON faster than by the models that define them.

A hot reader takes only what its model takes, with the same values, and refuses everything that it
cannot read exactly. What it refuses is read by the model, so the verdict is always the model's.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

MessageT = TypeVar("MessageT")
MessageT_co = TypeVar("MessageT_co", covariant=True)


class HotInput(Protocol[MessageT_co]):
    """Reads the input of an entrypoint whose calls are many."""

    @property
    def model(self) -> Any:
        """The annotation of the model, which decides and which has the schema."""
        ...

    def read(self, data: bytes) -> MessageT_co:
        """Return the message in JSON. Raises ValueError: the model has to read it.

        JSON that is nested deeper than the kit allows, or has values of free form, is refused.
        """
        ...

    def of_model(self, message: Any) -> MessageT_co:
        """Return the message that the model has read."""
        ...


@dataclass(frozen=True, slots=True)
class HotOutput(Generic[MessageT]):
    """How the answer of an agent is read: by `read`, or where that refuses, by the model."""

    model: type[MessageT]
    read: Callable[[bytes], MessageT]
    """Returns the message in JSON; raises ValueError."""


def model_of(output: type[MessageT] | HotOutput[MessageT]) -> type[MessageT]:
    """Return the model of an output, which is the output itself unless it is hot."""
    return output.model if isinstance(output, HotOutput) else output
