"""Names of the fields that the entrypoints of a card take, by its typed-entrypoint extension."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final

_MOST_ENTRYPOINTS, _MOST_ALTERNATIVES, _MOST_FIELDS = 64, 16, 64
_LENGTH: Final = 128
_DEFINITIONS: Final = "#/$defs/"


def declared_inputs(params: list[Any]) -> Mapping[str, frozenset[str]]:
    """Return the names of the input's fields by skill, from the params of the extension.

    Fields of alternatives (`oneOf`, `anyOf`) are included. What cannot be read is left out.

    >>> schema = {"oneOf": [{"$ref": "#/$defs/A"}], "$defs": {"A": {"properties": {"a": {}}}}}
    >>> declared_inputs([{"entrypoints": [{"skill": "s", "input": schema}]}])
    {'s': frozenset({'a'})}
    """
    entrypoints = [item for declared in params for item in _items(declared, "entrypoints")]
    return {
        skill: frozenset(islice(_fields(entrypoint.get("input")), _MOST_FIELDS))
        for entrypoint in entrypoints[:_MOST_ENTRYPOINTS]
        if isinstance(entrypoint, dict)
        and isinstance(skill := entrypoint.get("skill"), str)
        and len(skill) <= _LENGTH
    }


def _fields(schema: Any) -> Iterator[str]:
    """Yield the names of the properties of a schema and of its alternatives."""
    alternatives = [*_items(schema, "oneOf"), *_items(schema, "anyOf")]
    for form in (schema, *alternatives[:_MOST_ALTERNATIVES]):
        properties = _resolved(form, schema).get("properties")
        if isinstance(properties, dict):
            yield from (name for name in properties if len(name) <= _LENGTH)


def _resolved(form: Any, schema: Any) -> dict[str, Any]:
    """Return a schema, or the definition that it refers to; {} if there is none."""
    if not isinstance(form, dict):
        return {}
    reference = form.get("$ref")
    if not isinstance(reference, str):
        return form
    definitions = schema.get("$defs")
    name = reference.removeprefix(_DEFINITIONS)
    defined = definitions.get(name) if isinstance(definitions, dict) else None
    return defined if isinstance(defined, dict) else {}


def _items(value: Any, key: str) -> list[Any]:
    items = value.get(key) if isinstance(value, dict) else None
    return items if isinstance(items, list) else []
