"""A message as plain values, whichever class it was read into; numbers keep their kind."""

from typing import Any

import msgspec
from pydantic import BaseModel


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
