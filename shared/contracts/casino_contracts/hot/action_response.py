"""The answer to a request for a Hold'em action as a struct, which equals `ActionResponse`.

An answer is read into it if it has nothing but the action and a whole amount. One that says more is
read by the model, which cuts its texts.
"""

from typing import Annotated, Final

import msgspec

from casino_contracts.numbers import MAX_SAFE
from casino_contracts.player_messages import ActionKind, ActionResponse


class HotActionResponse(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The answer; see `ActionResponse`."""

    action: ActionKind
    amount: Annotated[int, msgspec.Meta(ge=0, le=MAX_SAFE)] | None = None

    @property
    def message(self) -> None:
        """None: it has no table talk."""
        return None

    @property
    def reasoning(self) -> None:
        """None: it has no reasoning."""
        return None

    @property
    def away(self) -> None:
        """None: somebody is there."""
        return None


AnyActionResponse = ActionResponse | HotActionResponse
"""An answer, however it was read."""

_DECODER: Final = msgspec.json.Decoder(HotActionResponse)


def read_action_response(data: bytes) -> AnyActionResponse:
    """Return the answer in JSON. Raises ValueError: the model has to read it."""
    return _DECODER.decode(data)
