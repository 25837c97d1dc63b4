"""Convert protobuf's `Value` to plain JSON and back, faster than `json_format`."""

import math
from typing import Any

from google.protobuf.struct_pb2 import NULL_VALUE, Value

from casino_agentkit.accepted_json import whole


def to_value(item: Any) -> Value:
    """Convert a JSON value to protobuf. Raises TypeError for any other value."""
    value = Value()
    _fill(value, item)
    return value


def _fill(value: Value, item: Any) -> None:
    if isinstance(item, str):
        value.string_value = item
    elif isinstance(item, bool):  # before int: a bool is an int
        value.bool_value = item
    elif isinstance(item, int | float):
        value.number_value = item
    elif item is None:
        value.null_value = NULL_VALUE
    elif isinstance(item, dict):
        value.struct_value.SetInParent()  # so that an empty object stays an object
        for key, child in item.items():
            _fill(value.struct_value.fields[key], child)
    elif isinstance(item, list | tuple):
        value.list_value.SetInParent()
        for child in item:
            _fill(value.list_value.values.add(), child)
    else:
        raise TypeError(f"{type(item).__name__} is not a JSON value")


def from_value(value: Value) -> Any:
    """Whole numbers become ints. Raises ValueError for NaN and the infinities."""
    match value.WhichOneof("kind"):
        case "string_value":
            return value.string_value
        case "number_value":
            number = value.number_value
            if not math.isfinite(number):
                raise ValueError("must hold finite numbers only")
            return whole(number)
        case "struct_value":
            return {key: from_value(child) for key, child in value.struct_value.fields.items()}
        case "list_value":
            return [from_value(child) for child in value.list_value.values]
        case "bool_value":
            return value.bool_value
        case _:
            return None
