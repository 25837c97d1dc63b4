"""Converts pydantic's errors to violations: path and description in the words of JSON."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from casino_agentkit.errors import Violation

VIOLATIONS_SHOWN = 20  # maximum number of violations in a reply

_OBJECT, _ARRAY = "must be an object", "must be an array"
_BOOLEAN, _NUMBER, _WHOLE = "must be true or false", "must be a number", "must be a whole number"
_DESCRIPTIONS = {
    "missing": "is required",
    "extra_forbidden": "is unknown",
    "none_required": "must be null",
    "bool_type": _BOOLEAN,
    "bool_parsing": _BOOLEAN,
    "dict_type": _OBJECT,
    "mapping_type": _OBJECT,
    "model_type": _OBJECT,
    "model_attributes_type": _OBJECT,
    "dataclass_type": _OBJECT,
    "list_type": _ARRAY,
    "tuple_type": _ARRAY,
    "set_type": _ARRAY,
    "frozen_set_type": _ARRAY,
    "iterable_type": _ARRAY,
    "string_type": "must be a string",
    "bytes_type": "must be a string",
    "string_sub_type": "must be a string",
    "string_unicode": "must be a string of Unicode characters",
    "int_type": _WHOLE,
    "int_parsing": _WHOLE,
    "int_parsing_size": _WHOLE,
    "int_from_float": _WHOLE,
    "float_type": _NUMBER,
    "float_parsing": _NUMBER,
    "decimal_type": _NUMBER,
    "decimal_parsing": _NUMBER,
    "finite_number": "must be a finite number",
    "greater_than": "must be above {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than": "must be below {lt}",
    "less_than_equal": "must be at most {le}",
    "multiple_of": "must be a multiple of {multiple_of}",
    "string_too_short": "must have at least {min_length} character{s}",
    "string_too_long": "must have at most {max_length} character{s}",
    "string_pattern_mismatch": "must match {pattern}",
    "too_short": "must have at least {min_length} item{s}",
    "too_long": "must have at most {max_length} item{s}",
    "literal_error": "must be {expected}",
    "enum": "must be {expected}",
    "union_tag_not_found": "must have {discriminator}",
    "union_tag_invalid": "{discriminator} must be {expected_tags}",
    "recursion_loop": "must not contain itself",
    "json_invalid": "must be valid JSON",
    "json_type": "must be JSON",
}
"""Description by type of pydantic's error; the fields in braces are of its context."""
_CONSTANTS = {"None": "null", "True": "true", "False": "false"}
_CONSTANT = re.compile(r"(?<!')\b(None|True|False)\b(?!')")
_PYDANTIC_START = re.compile(r"^(Input|String|Value) should ")


def violations_of(
    error: ValidationError,
    *within: str,
    data: object = None,
    at_most: int | None = VIOLATIONS_SHOWN,
) -> tuple[Violation, ...]:
    """Convert pydantic's errors to path and description, without the input values.

    `within` is the path of the validated value, and `data` that value: with it, a path has no
    labels of a union's members, and a fault of all members is one violation. `at_most` limits the
    number, None does not.
    """
    by_path: dict[str, list[str]] = {}
    for fault in _distinct(error.errors(include_url=False, include_input=False)):
        place = fault["loc"] if data is None else _path(fault, data)
        path = ".".join(map(str, (*within, *place)))
        if len(by_path) == at_most and path not in by_path:
            break
        by_path.setdefault(path, []).append(description_of(fault))
    return tuple(Violation(path, _joined(texts)) for path, texts in by_path.items())


def violations_text(
    error: ValidationError, whole: str, *, data: object = None, at_most: int
) -> str:
    """Return the first errors as `path: description`; `whole` names the value itself."""
    return "; ".join(
        f"{violation.field or whole}: {violation.message}"
        for violation in violations_of(error, data=data, at_most=at_most)
    )


def description_of(fault: ErrorDetails) -> str:
    """Return the end of a sentence that begins with the field; validators keep their words."""
    context = fault.get("ctx", {})
    if isinstance(raised := context.get("error"), Exception):
        return str(raised)
    form = _DESCRIPTIONS.get(fault["type"])
    if form is None:
        return _PYDANTIC_START.sub("must ", fault["msg"])
    is_one = 1 in (context.get("min_length"), context.get("max_length"))
    values = {
        name: _as_json(value) if name != "pattern" else value for name, value in context.items()
    }
    return form.format_map({**values, "s": "" if is_one else "s"})


def _distinct(faults: list[ErrorDetails]) -> Iterator[ErrorDetails]:
    """Return the faults without those of arrays that lack only their faulty items."""
    if all(fault["type"] != "too_short" for fault in faults):
        return iter(faults)
    above = {fault["loc"][:depth] for fault in faults for depth in range(len(fault["loc"]))}
    return (fault for fault in faults if fault["type"] != "too_short" or fault["loc"] not in above)


def _as_json(value: Any) -> Any:
    """Return a limit, or a list of constants as Python shows them, as JSON shows them."""
    if isinstance(value, str):
        return _CONSTANT.sub(lambda constant: _CONSTANTS[constant[0]], value).replace("'", '"')
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _path(fault: ErrorDetails, data: Any) -> Iterator[str | int]:
    """Yield what leads through the data, without pydantic's names of a union's members."""
    place = fault["loc"]
    for number, part in enumerate(place, 1):
        is_item = isinstance(data, list) and isinstance(part, int) and part < len(data)
        if is_item or (isinstance(data, dict) and part in data):
            data = data[part]
            yield part
        elif fault["type"] == "missing" and number == len(place):
            yield part


def _joined(descriptions: Iterable[str]) -> str:
    """Return one description of a fault that each member of a union describes."""
    distinct = list(dict.fromkeys(descriptions))
    start = "must be "
    if len(distinct) > 1 and all(text.startswith(start) for text in distinct):
        return start + " or ".join(text.removeprefix(start) for text in distinct)
    return distinct[0]
