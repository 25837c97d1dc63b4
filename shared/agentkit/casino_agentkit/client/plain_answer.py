"""Plain answers to typed calls: a message of one data part, as most agents send it.

Everything in such a reply is known. Other replies are read as JSON values, see `reply`, and so is a
plain one whose data is not read: the output is the same either way.
"""

from typing import Final, Literal, NamedTuple

import msgspec

from casino_agentkit.bounds import is_id

_MOST_BYTES: Final = 16_384
"""The largest plain reply; a larger one is counted value by value before it is read."""


class _Part(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    data: msgspec.Raw
    mediaType: str = ""  # noqa: N815  as it is sent


class _Message(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    parts: tuple[_Part]
    messageId: str = ""  # noqa: N815
    contextId: str = ""  # noqa: N815
    role: str = ""
    extensions: tuple[str, ...] = ()


class _Result(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    message: _Message


class _Response(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    jsonrpc: Literal["2.0"]
    id: str
    result: _Result


_DECODER: Final = msgspec.json.Decoder(_Response)


class PlainAnswer(NamedTuple):
    """The data of an answer, as JSON, and its context id, "" without a valid one."""

    data: bytes
    context_id: str


def plain_answer(body: bytes | bytearray, call_id: str) -> PlainAnswer | None:
    """Return the plain answer to a call in the body of its reply, None if it is not plain."""
    if len(body) > _MOST_BYTES or not body.isascii():
        return None
    try:
        response = _DECODER.decode(body)
    except (ValueError, RecursionError):  # not plain, or nested too deep
        return None
    if response.id != call_id:
        return None
    message = response.result.message
    context_id = message.contextId
    return PlainAnswer(bytes(message.parts[0].data), context_id if is_id(context_id) else "")
