"""What messages and responses say, whichever class or order of names they have."""

import json
import re
from typing import Any, Final, NamedTuple

import msgspec
from pydantic import BaseModel
from support.plain.requests import without_ids

_BEGIN: Final = re.compile(rb"(?=HTTP/1\.1 \d{3} )")
_OF_THE_MOMENT: Final = (b"date", b"content-length")


class Said(NamedTuple):
    """One response."""

    status: bytes
    headers: list[bytes]
    body: Any


def responses_in(data: bytes) -> list[Said]:
    """Return the responses in what a connection has sent, without dates, lengths and ids."""
    return [_said(one) for one in _BEGIN.split(without_ids(data)) if one]


def _said(response: bytes) -> Said:
    head, _, body = response.partition(b"\r\n\r\n")
    status, *headers = head.split(b"\r\n")
    kept = [line for line in headers if line.partition(b":")[0].lower() not in _OF_THE_MOMENT]
    try:
        return Said(status, sorted(kept), json.loads(body))
    except (ValueError, RecursionError):
        return Said(status, sorted(kept), body)


def values_of(message: Any) -> Any:
    """Return the values of a message: fields by name, without those that are None."""
    if isinstance(message, BaseModel):
        pairs = ((name, getattr(message, name)) for name in type(message).model_fields)
    elif isinstance(message, msgspec.Struct):
        pairs = ((name, getattr(message, name)) for name in message.__struct_fields__)
    elif isinstance(message, list | tuple):
        return [values_of(one) for one in message]
    else:
        return message
    return {name: values_of(value) for name, value in pairs if value is not None}
