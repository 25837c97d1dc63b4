"""Which media types the parts of a message and the body of a call may have."""

from collections.abc import Container, Sequence
from typing import Final

from a2a.types import Message, Part
from a2a.utils.errors import ContentTypeNotSupportedError

from casino_agentkit.accepted_json import shown
from casino_agentkit.agent import Agent
from casino_agentkit.protocol import JSON, TEXT

_SHOWN: Final = 100
_TYPED: Final = {"data": {JSON}, "text": {JSON, TEXT}}
"""What the input of a typed call may be, by kind of part: JSON, as data or written as text."""


def check_typed_call(message: Message) -> None:
    """Raise ContentTypeNotSupportedError for a part with another stated type than JSON."""
    for part in message.parts:
        if part.media_type:
            _check(part, _TYPED.get(part.WhichOneof("content") or "", ()), [JSON])


def check_input_modes(message: Message, agent: Agent) -> None:
    """Check the parts of a message to an executor, which takes the agent's input modes.

    A part without a stated type is not checked. `image/*` and `*/*` in the modes are families.
    Raises ContentTypeNotSupportedError, which names the accepted types.
    """
    modes = {_plain(mode) for mode in agent.input_modes}
    for part in message.parts:
        if part.media_type and "*/*" not in modes:
            family = _plain(part.media_type).partition("/")[0] + "/*"
            if family not in modes:
                _check(part, modes, agent.input_modes)


def is_json_data(part: Part) -> bool:
    return part.HasField("data") and (not part.media_type or _plain(part.media_type) == JSON)


def check_body_type(content_type: str) -> None:
    """Raise ContentTypeNotSupportedError if what is no JSON is declared as something else."""
    stated = _plain(content_type)
    if stated and stated != JSON and not stated.endswith("+json"):
        raise _not_supported(content_type, [JSON])


def _check(part: Part, accepted: Container[str], named: Sequence[str]) -> None:
    if _plain(part.media_type) not in accepted:
        raise _not_supported(part.media_type, named)


def _not_supported(stated: str, accepted: Sequence[str]) -> ContentTypeNotSupportedError:
    return ContentTypeNotSupportedError(
        f"the media type {shown(stated, _SHOWN)} is not supported; send {' or '.join(accepted)}"
    )


def _plain(media_type: str) -> str:
    return media_type.partition(";")[0].strip().lower()
